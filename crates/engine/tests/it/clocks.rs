//! What time it is, to this process and to the database.

use toolcrib_model::{Clock as _, SystemClock};
use toolcrib_testkit::both_databases;

use crate::things::app;

both_databases! {
    async fn a_database_whose_clock_is_off_is_told(db: TestDb) {
        let app = app(db).await;
        let sqlite = app.db.kind() == "sqlite";
        // The test's clock stands in another year.
        assert_eq!(app.engine.clocks_agree().await.is_ok(), sqlite, "SQLite has no clock of its own");
        for (off, agree) in [(0, true), (1, true), (-1, true), (4, false), (-4, false)] {
            app.clock.set(SystemClock.now().plus_seconds(off));
            assert_eq!(app.engine.clocks_agree().await.is_ok(), agree || sqlite, "{off} s");
        }
    }
}
