//! The value of a setting as text, before it is parsed, and where it came from.

use std::fmt;

use crate::table::Setting;

/// The value of a setting as text. Commas separate the items of a list.
#[derive(Clone)]
pub struct RawValue {
    /// The setting.
    pub setting: &'static Setting,
    /// The value, if there is one.
    pub text: Option<String>,
    /// Where it came from.
    pub source: SettingSource,
}

/// Omits the text, because it may contain a password.
impl fmt::Debug for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawValue")
            .field("key", &self.setting.key)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

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
