//! Counts the work of a database.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use toolcrib_testkit::TestDb;

/// On SQLite the steps of the virtual machine, on PostgreSQL the rows and index entries that are read.
pub struct Meter<'d> {
    db: &'d TestDb,
    /// SQLite: in tens.
    steps: Arc<AtomicU64>,
    /// PostgreSQL: the count at the last reset.
    rows_before: u64,
}

/// A connection of PostgreSQL reports what it read when it ends.
const END_CONNECTIONS: &str = "SELECT COUNT(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity \
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
const ROWS: &str = "SELECT CAST((SELECT SUM(seq_tup_read) FROM pg_stat_user_tables) \
    + (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes) AS BIGINT)";

impl<'d> Meter<'d> {
    /// Begins to count.
    pub async fn new(db: &'d TestDb) -> Self {
        let steps = Arc::new(AtomicU64::new(0));
        db.count_steps(&steps).await.unwrap();
        let mut meter = Self { db, steps, rows_before: 0 };
        meter.reset().await;
        meter
    }

    fn is_sqlite(&self) -> bool {
        self.db.kind() == "sqlite"
    }

    pub async fn reset(&mut self) {
        self.steps.store(0, Ordering::Relaxed);
        if !self.is_sqlite() {
            self.rows_before = self.rows().await;
        }
    }

    /// The work since the last reset.
    pub async fn read(&self) -> u64 {
        if self.is_sqlite() {
            self.steps.load(Ordering::Relaxed) * 10
        } else {
            self.rows().await - self.rows_before
        }
    }

    async fn rows(&self) -> u64 {
        self.db.number(END_CONNECTIONS).await;
        u64::try_from(self.db.number(ROWS).await).unwrap()
    }
}
