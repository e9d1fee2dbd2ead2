//! Errors of settings. Each message is one line.

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
    /// A key of the file is not a setting.
    #[error("`{key}` in `{}` is not a setting; `toolcrib config show` lists them", path.display())]
    UnknownKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// An environment variable is not a setting.
    #[error("the environment variable `{0}` is not a setting; `toolcrib config show` lists them")]
    UnknownVariable(String),
    /// A value is not valid for its setting.
    #[error("`{flag}` (from the {place}) {problem}")]
    Value {
        /// The setting's flag.
        flag: String,
        /// Where the value came from.
        place: &'static str,
        /// What is wrong and what to set.
        problem: String,
    },
    /// Settings contradict each other.
    #[error("{0}")]
    Together(String),
}
