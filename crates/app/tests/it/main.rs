//! The binary itself, run as a user runs it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod administration;
mod alerts;
mod audit_chain;
mod binary;
mod canaries;
mod api;
mod binary;
mod confirmations;
mod decisions;
mod demo;
mod due;
mod events;
mod examples;
mod golden;
mod kill;
mod replicas;
mod secrets;
mod ready;
mod session_grants;
mod settings;
