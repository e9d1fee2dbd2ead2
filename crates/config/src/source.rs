//! Origins of settings.

/// Where a setting's value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingSource {
    /// Nobody gave one.
    Default,
    /// The TOML file.
    File,
    /// The environment.
    Environment,
    /// A flag.
    Flag,
}

impl SettingSource {
    /// The word that `config show` prints.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}
