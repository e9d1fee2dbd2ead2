//! The binary, run as a user runs it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod abuse;
mod administration;
mod alerts;
mod anchor;
mod api;
mod audit_chain;
mod beside;
mod binary;
mod canaries;
mod confirmations;
mod console;
mod decisions;
mod demo;
mod due;
mod events;
mod examples;
mod full_disk;
mod golden;
mod hangups;
mod kill;
mod kill_upstream;
mod load;
mod logins;
mod mixed;
mod outages;
mod outgoing;
mod private;
mod ready;
mod replicas;
mod secrets;
mod session_grants;
mod settings;
mod start;
mod toolset;
mod webhooks;
