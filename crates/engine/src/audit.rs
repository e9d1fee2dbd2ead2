//! The audit log: its rows, and the hash chain that reveals changes to them.

pub mod chain;
mod row;

pub(crate) use row::{AuditOutcome, repaired_text, row};
