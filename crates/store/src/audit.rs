//! Queries over the audit log.
