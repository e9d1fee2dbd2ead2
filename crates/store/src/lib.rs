//! Rows in, rows out: the only crate that speaks SQL to Toolcrib's own database, on SQLite and PostgreSQL from one text.
//!
//! Depends on `model` alone. It decides nothing about access; every function takes a transaction that is bound to
//! one workspace, so that a query without its tenant can't be written outside this crate.
//!
//! To add an aggregate: a pair of migrations with the same number, a module with its rows and functions (reads take
//! [`Tx`], changes take [`WriteTx`]), a line in the parity test's list if a column differs in kind.
#![deny(missing_docs)]

#[macro_use]
mod macros;

mod access_row;
mod audit_row;
mod bulk_insert;
mod db;
mod error;
mod event_row;
mod pg;
mod pool;
mod sqlite;
mod tx;

pub mod activity;
pub mod agents;
pub mod alerts;
pub mod analytics;
pub mod analyze;
pub mod assignments;
pub mod audit;
pub mod blueprints;
pub mod builtin_data;
pub mod confirmations;
pub mod connections;
pub mod datasources;
pub mod documents;
pub mod events;
pub mod executions;
pub mod field;
pub mod health;
pub mod heartbeat_runs;
pub mod heartbeats;
pub mod idempotency;
pub mod keys;
pub mod llm_usage;
pub mod logins;
pub mod lookup;
pub mod marketplace;
pub mod members;
pub mod memories;
pub mod messages;
pub mod minters;
pub mod missions;
pub mod models;
pub mod notifications;
pub mod playbooks;
pub mod promotions;
pub mod reported_records;
pub mod reports;
pub mod retention;
pub mod schedules;
pub mod schema_owner;
pub mod tasks;
pub mod text;
pub mod users;
pub mod webhooks;
pub mod workspaces;

pub use access_row::{AccessRow, ActorIds};
pub use audit_row::AuditRow;
pub use db::{Db, JobFuture, write_job};
pub use error::StoreError;
pub use event_row::EventRow;
pub use logins::Logins;
pub use tx::{Tx, WriteTx};
