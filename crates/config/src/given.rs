//! The value of a setting as text, before it is parsed.

use std::fmt;

use crate::{source::SettingSource, table::Setting};

/// One setting's value as text. A list is joined by commas.
#[derive(Clone)]
pub struct Given {
    /// The setting.
    pub setting: &'static Setting,
    /// The value, where there is one.
    pub text: Option<String>,
    /// Where it came from.
    pub source: SettingSource,
}

/// Without the text: it may hold a password.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Given")
            .field("key", &self.setting.key)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}
