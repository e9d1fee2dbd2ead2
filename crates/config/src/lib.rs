//! The settings. Each is a flag, an environment variable `TOOLCRIB_…` and a key of an optional TOML file, in
//! this order of precedence. One table describes all of them.
//!
//! Depends on `model` only. Reads the environment, so that other crates don't have to.
//!
//! To add a setting: a line in its section of `settings.toml`, a field in [`Settings`], a line in `resolve`; then
//! `UPDATE_GOLDEN=1 cargo test -p toolcrib-config golden`.
#![deny(missing_docs)]

mod error;
mod load;
mod raw_value;
mod resolve;
mod show;
mod table;

pub use error::ConfigError;
pub use load::{Loaded, load, with_flags};
pub use raw_value::SettingSource;
pub use resolve::{
    Anchor, AssistantSettings, Database, EdgeSettings, LogFormat, LoginUrls, OutsideSettings, Settings,
};
pub use show::show;
pub use table::{Setting, SettingKind, TABLE, schema};
