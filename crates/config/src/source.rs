//! The sources of settings.

/// Where a setting's value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// The default; the setting is not set.
    Default,
    /// The TOML file.
    File,
    /// An environment variable.
    Environment,
    /// A flag.
    Flag,
}

impl SettingSource {
    /// Returns the word that `config show` prints.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}
