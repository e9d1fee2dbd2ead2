//! The time of this process and that of the database.

use toolcrib_model::{Clock as _, SystemClock};
use toolcrib_testkit::{NOW, TestDb, both_databases, sqlite};

use crate::things::app;

#[tokio::test(flavor = "multi_thread")]
async fn an_id_has_the_time_of_the_clock() {
    let app = app(sqlite().await).await;
    app.clock.advance(3);
    let made = app.engine.new_id().get_timestamp().unwrap().to_unix().0;
    assert_eq!(i64::try_from(made).unwrap(), NOW.plus_seconds(3).as_seconds());
}

#[both_databases]
async fn a_database_whose_clock_is_off_is_told(db: TestDb) {
    let app = app(db).await;
    let sqlite = app.db.kind() == "sqlite";
    // The test's clock is in another year.
    assert_eq!(app.engine.clocks_agree().await.is_ok(), sqlite, "SQLite has no clock of its own");
    for (off, agree) in [(0, true), (1, true), (-1, true), (4, false), (-4, false)] {
        app.clock.set(SystemClock.now().plus_seconds(off));
        assert_eq!(app.engine.clocks_agree().await.is_ok(), agree || sqlite, "{off} s");
    }
}
