//! Whether this process and the database agree on what time it is: what expires does so by the process' clock, and every
//! process of a deployment must say the same of the same record.

use toolcrib_store::health;

use super::Engine;

/// The most that the two may differ, in microseconds: two seconds.
const APART: i64 = 2_000_000;

impl Engine {
    /// An error says in a few words that the database's clock is more than two seconds off. SQLite has no clock but this
    /// process's own: there is nothing to compare, and one process to ask.
    pub async fn clocks_agree(&self) -> Result<(), String> {
        let before = self.clock.now();
        let theirs = health::clock(&self.db).await.map_err(|_| "the database does not answer".to_owned())?;
        let Some(theirs) = theirs else { return Ok(()) };
        let after = self.clock.now();
        // However long the question took, the answer was true at some moment in between.
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
