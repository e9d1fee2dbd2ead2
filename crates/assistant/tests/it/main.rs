//! Runs of the assistant, against a model server that speaks the real protocol and answers as a test says.
#![expect(clippy::unwrap_used, reason = "tests")]

mod approvals;
mod background;
mod durability;
mod formats;
mod harness;
mod limits;
mod runs;
mod shop;
mod threads;
mod upstreams;
