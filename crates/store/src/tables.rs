//! One file for each table or aggregate: its rows and its statements. A module uses `backend`, and other
//! tables if a statement changes both.

pub mod agents;
pub mod alerts;
pub mod assignments;
pub mod audit;
pub mod blueprints;
pub mod confirmations;
pub mod connections;
pub mod datasources;
pub mod documents;
pub mod events;
pub mod executions;
pub mod field;
pub mod heartbeat_runs;
pub mod heartbeats;
pub mod idempotency;
pub mod keys;
pub mod llm_usage;
pub mod marketplace;
pub mod members;
pub mod memories;
pub mod messages;
pub mod missions;
pub mod models;
pub mod notifications;
pub mod open_calls;
pub mod playbooks;
pub mod promotions;
pub mod reported_records;
pub mod reports;
pub mod schedules;
pub mod tasks;
pub mod toolsets;
pub mod users;
pub mod webhooks;
pub mod workspaces;
