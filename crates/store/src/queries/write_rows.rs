//! Audit rows, and the events that go with them, of calls that have no write transaction.

use crate::{
    backend::{BulkRow, BulkRows, Db, StoreError},
    tables::{audit::AuditRow, events::EventRow},
};

impl Db {
    /// Makes audit rows durable; returns when their group is committed.
    pub async fn audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError> {
        self.audit_telling(rows, Vec::new()).await
    }

    /// The same, with events that are told in that very commit.
    pub async fn audit_telling(&self, rows: Vec<AuditRow>, events: Vec<EventRow>) -> Result<(), StoreError> {
        let audit = rows.into_iter().map(BulkRow::from).collect();
        let outbox = events.into_iter().map(BulkRow::from).collect();
        self.write_rows(BulkRows { audit, outbox }).await
    }
}
