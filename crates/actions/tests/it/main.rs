//! Every action, through the engine with all its gates, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod activity;
mod admin_audit;
mod admin_connections;
mod admin_datasources;
mod admin_keys;
mod admin_marketplace;
mod admin_members;
mod admin_settings;
mod admin_support;
mod admin_workspaces;
mod agents;
mod analytics;
mod chat;
mod connectors;
mod data;
mod discovery;
mod documents;
mod due;
mod field;
mod governance;
mod harness;
mod infrastructure;
mod integrations;
mod marketplace;
mod memory;
mod missions;
mod playbooks;
mod records;
mod records_executions;
mod reports;
mod scheduling;
mod tasks;
mod workspace;
