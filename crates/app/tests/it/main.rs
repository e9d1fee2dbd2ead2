//! The binary itself, run as a user runs it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod administration;
mod alerts;
mod api;
mod audit_chain;
mod binary;
mod canaries;
mod confirmations;
mod decisions;
mod demo;
mod due;
mod events;
mod examples;
mod golden;
mod kill;
mod outages;
mod ready;
mod replicas;
mod secrets;
mod session_grants;
mod settings;
mod webhooks;
