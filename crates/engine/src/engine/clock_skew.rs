//! Compares this process's clock with the database's. Expiry uses the process's clock, and all processes of a
//! deployment must agree on it.

use toolcrib_store::health;

use super::Engine;

/// Maximum difference in microseconds.
const APART: i64 = 2_000_000;

impl Engine {
    /// Returns an error if the database's clock differs by more than two seconds. Always succeeds on SQLite,
    /// which has no clock of its own.
    pub async fn clocks_agree(&self) -> Result<(), String> {
        let before = self.clock.now();
        let theirs = health::clock(&self.db).await.map_err(|_| "the database does not answer".to_owned())?;
        let Some(theirs) = theirs else { return Ok(()) };
        let after = self.clock.now();
        // The database read its clock at some time between `before` and `after`, however long the query took.
        let early = before.as_micros() - theirs.as_micros();
        let late = theirs.as_micros() - after.as_micros();
        let apart = early.max(late);
        if apart <= APART {
            return Ok(());
        }
        tracing::warn!(
            apart_ms = apart / 1_000,
            "not ready: the database's clock is another than this machine's"
        );
        Err("the database's clock is more than 2 seconds off".to_owned())
    }
}
