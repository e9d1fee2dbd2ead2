//! Inserts audit and outbox rows of calls that have no write transaction.

use crate::{
    backend::{BulkRow, BulkRows, Db, StoreError},
    tables::{audit::AuditRow, events::EventRow},
};

impl Db {
    /// Inserts audit rows. Returns when the commit is durable.
    pub async fn audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError> {
        self.audit_with_events(rows, Vec::new()).await
    }

    /// Like [`Db::audit`], with outbox rows in the same commit.
    pub async fn audit_with_events(
        &self,
        rows: Vec<AuditRow>,
        events: Vec<EventRow>,
    ) -> Result<(), StoreError> {
        let audit = rows.into_iter().map(BulkRow::from).collect();
        let outbox = events.into_iter().map(BulkRow::from).collect();
        self.write_rows(BulkRows { audit, outbox }).await
    }
}
