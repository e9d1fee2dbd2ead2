//! The store against both real databases: rows, transactions, the audit log, and the separation of tenants.
#![expect(clippy::unwrap_used, reason = "tests")]

mod alerts;
mod audit_export;
mod audit_log;
mod audit_queries;
mod confirmations;
mod counts;
mod events;
mod field_text;
mod full_text;
mod grants;
mod help;
mod idempotency;
mod logins;
mod memory_tags;
mod message_text;
mod named_records;
mod open_calls;
mod open_effects;
mod other_build;
mod parity;
mod pooler;
mod refused_rows;
mod rows;
mod sql_lint;
mod tenant_walls;
mod toolsets;
mod upkeep;
mod upstream_tools;
mod upstreams;
mod usage_totals;
mod writes;
