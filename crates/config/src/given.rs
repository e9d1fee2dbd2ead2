//! The value of a setting as text, before it is parsed.

use std::fmt;

use crate::{source::SettingSource, table::Setting};

/// The value of a setting as text. Commas separate the items of a list.
#[derive(Clone)]
pub struct Given {
    /// The setting.
    pub setting: &'static Setting,
    /// The value, if there is one.
    pub text: Option<String>,
    /// Where it came from.
    pub source: SettingSource,
}

/// Omits the text, because it may contain a password.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given")
            .field("key", &self.setting.key)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}
