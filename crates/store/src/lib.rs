//! Reads and writes the rows of Toolcrib's own database, on SQLite and PostgreSQL. Most SQL texts run on
//! both.
//!
//! Depends only on `model`. It decides nothing about access. Functions take a transaction that is bound to
//! one workspace, so that other crates can't write a query without its tenant; only functions for workers and
//! operators read across workspaces.
//!
//! The modules: `backend` (connections, transactions, commits; names no table), `tables` (one file per aggregate, whose
//! statements may also read or change tables of others), `queries` (what belongs to no one aggregate). `tables` uses
//! `backend`, and `queries` uses both.
//!
//! To add an aggregate: add its tables to both schemas in `migrations`, a module in `tables` with its rows and
//! functions (reads take [`Tx`], writes take [`WriteTx`]), and, if a column's type differs between the
//! databases, a line in the parity test's list.

#[macro_use]
mod backend;
mod queries;
mod tables;

pub use backend::{
    AnyOf, Connection, Db, JsonText, OptionalTime, PackSchema, PgSession, StoreError, Tx, WORKER_LIMIT,
    WriteTx, folded, hex_id, json, pack_schemas, text, within,
};
pub use queries::{
    AccessRow, ActorIds, activity, analytics, analyze, builtin_data, display_names, health, logins,
    logins::Logins, lookup, minters, named_records, retention, schema_owner, sqlite_file, standing_work,
};
pub use tables::{
    agents, alerts, assignments, assistant_runs, assistant_steps, audit, audit::AuditRow, blueprints,
    confirmations, connections, datasources, documents, events, events::EventRow, executions, field,
    heartbeats, idempotency, invitations, keys, llm_usage, marketplace, members, memories, messages,
    missions, models, notifications, open_calls, open_effects, packs, playbooks, reported_records, reports,
    schedules, serving, sessions, tasks, toolsets, upstream_tools, upstreams, users, webhooks, workspaces,
};
