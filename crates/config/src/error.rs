//! What can be wrong with settings; each is one clear line.

use std::path::PathBuf;

/// Why the settings can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file can't be read.
    #[error("the settings file `{}` can't be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A key of the file is no setting.
    #[error("`{key}` in `{}` is not a setting; `toolcrib config show` lists them", path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A variable is no setting.
    #[error("the environment variable `{0}` is not a setting; `toolcrib config show` lists them")]
    UnknownVariable(String),
    /// A value is not what the setting takes.
    #[error("`{flag}` (from the {place}) {problem}")]
    Value {
        /// The setting's flag.
        flag: String,
        /// Where the value came from.
        place: &'static str,
        /// What is wrong and what to give.
        problem: String,
    },
    /// Settings that don't go together.
    #[error("{0}")]
    Together(String),
}
