//! Queries over several tables or the whole database: access rows, look-ups, statistics, setup and retention.

mod access_row;
mod open;

pub mod activity;
pub mod analytics;
pub mod analyze;
pub mod builtin_data;
pub mod display_names;
pub mod health;
pub mod logins;
pub mod lookup;
pub mod minters;
pub mod named_records;
pub mod retention;
pub mod schema_owner;
pub mod sqlite_file;
pub mod standing_work;

pub use access_row::{AccessRow, ActorIds};
#[cfg(test)]
pub(crate) use open::STATEMENTS;
