//! The audit log: its rows, and the chain that shows whether any was changed.

pub mod chain;
mod row;

pub(crate) use row::{AuditOutcome, AuditSubject, row};
