//! Readiness needs more than a database that answers.

use crate::binary::{Server, folder};

#[tokio::test(flavor = "multi_thread")]
async fn a_database_whose_clock_is_off_is_not_ready() {
    let (folder, db) = (folder(), toolcrib_testkit::postgres().await);
    let url = db.url();
    let name = url.rsplit('/').next().unwrap();
    let clock = |off: &str| {
        format!(
            "CREATE OR REPLACE FUNCTION late.clock_timestamp() RETURNS timestamptz LANGUAGE sql \
             AS $$ SELECT pg_catalog.clock_timestamp() + INTERVAL '{off}' $$"
        )
    };
    // PostgreSQL finds the function in this schema before its own. New objects are still created in `public`.
    db.raw_sql(&format!(
        "CREATE SCHEMA late; GRANT USAGE ON SCHEMA late TO PUBLIC; {}; \
         ALTER DATABASE \"{name}\" SET search_path = public, late, pg_catalog",
        clock("0 seconds")
    ))
    .await;
    let server = Server::start(folder.path(), &["--demo", "--database", &url]);
    for (off, status) in [("0 seconds", 200), ("5 seconds", 503), ("-5 seconds", 503)] {
        db.raw_sql(&clock(off)).await;
        let answer = reqwest::get(format!("{}/readyz", server.base())).await.unwrap();
        assert_eq!(answer.status().as_u16(), status, "{off}");
        let text = answer.text().await.unwrap();
        let told = text.contains("the service is not ready: the database's clock");
        assert_eq!(told, status == 503, "{off}: {text}");
    }
    assert_eq!(server.stop(), Some(0));
}
