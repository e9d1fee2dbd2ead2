//! The gates, seen from outside: each refuses, each is needed, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod audit_rows;
mod confirmations;
mod faults;
mod gates;
mod idempotency;
mod limits;
mod list_execute;
mod things;
mod told;
