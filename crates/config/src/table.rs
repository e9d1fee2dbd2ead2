//! The table of settings. Flags, environment variables, the file's keys, the help and the schema are
//! generated from it. Each section is a file.

mod calls;
mod connectors;
mod databases;
mod edge;
mod keys;
mod operation;
mod tokens;

/// The type of a setting's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// Any text.
    Text,
    /// The URL of another service. A login in it is never shown.
    Url,
    /// A text that is never shown.
    Secret,
    /// An integer from 1.
    Number,
    /// A list of texts: separated by commas in a flag or variable, an array in the file.
    List,
    /// One of these words.
    Word(&'static [&'static str]),
}

impl SettingKind {
    /// Returns the JSON type of the value in the file.
    pub(crate) const fn json_type(self) -> &'static str {
        match self {
            Self::Number => "integer",
            Self::List => "array",
            Self::Text | Self::Url | Self::Secret | Self::Word(_) => "string",
        }
    }
}

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The key in the file. The flag has `-` instead of `_`; the variable is in upper case with the prefix
    /// `TOOLCRIB_`.
    pub key: &'static str,
    /// The placeholder of the value in the help.
    pub value: &'static str,
    /// The type of the value.
    pub kind: SettingKind,
    /// The default, if there is one.
    pub default: Option<&'static str>,
    /// The help text.
    pub help: &'static str,
}

impl Setting {
    /// Returns the flag, such as `--data-dir`.
    pub fn flag(&self) -> String {
        format!("--{}", self.key.replace('_', "-"))
    }

    /// Returns the environment variable, such as `TOOLCRIB_DATA_DIR`.
    pub fn variable(&self) -> String {
        format!("{VARIABLES}{}", self.key.to_uppercase())
    }
}

/// The prefix of every environment variable.
pub const VARIABLES: &str = "TOOLCRIB_";

const fn setting(
    key: &'static str,
    value: &'static str,
    kind: SettingKind,
    default: Option<&'static str>,
    help: &'static str,
) -> Setting {
    Setting { key, value, kind, default, help }
}

/// Every setting, in the order of the help.
pub const TABLE: [Setting; 67] = join(&[
    &databases::SETTINGS,
    &edge::SETTINGS,
    &tokens::SETTINGS,
    &calls::SETTINGS,
    &keys::SETTINGS,
    &operation::SETTINGS,
    &connectors::SETTINGS,
]);

/// Joins the sections. Does not compile if they have another number of settings.
const fn join<const N: usize>(sections: &[&[Setting]]) -> [Setting; N] {
    let mut joined = [sections[0][0]; N];
    let mut count = 0;
    let mut section = 0;
    while section < sections.len() {
        let mut at = 0;
        while at < sections[section].len() {
            joined[count] = sections[section][at];
            count += 1;
            at += 1;
        }
        section += 1;
    }
    assert!(count == N, "the type of `TABLE` has another number of settings than the sections");
    joined
}
