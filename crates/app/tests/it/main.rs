//! The binary itself, run as a user runs it.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod administration;
mod alerts;
mod binary;
mod demo;
mod due;
mod events;
mod examples;
mod golden;
mod kill;
mod settings;
mod webhooks;
