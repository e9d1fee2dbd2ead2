//! The time of this process and that of the database, and a clock that is set again and again while calls are
//! limited and their rows are sealed.

use serde_json::json;
use toolcrib_engine::chain::Depth;
use toolcrib_model::{Clock as _, SystemClock};
use toolcrib_testkit::{NOW, TestDb, both_databases, change_workspace, soak, sqlite};

use crate::{chain::sealed::Sealed, things::app};

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

fn rounds() -> u64 {
    soak(20, 1_000)
}

#[both_databases]
async fn soak_clock_jumps_lift_no_limit_and_leave_no_row_unsealed(db: TestDb) {
    let all = Sealed::new(db).await;
    change_workspace(&all.app.db, all.app.a.workspace, |row| row.settings.write_per_minute = 10).await;
    let (sealer, owner, clock) = (all.sealer(), all.app.owner(), &all.app.clock);
    let (mut admitted, mut refused, mut passed, mut chance) = (0, 0, 0, 1_u64);
    for round in 0..rounds() {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        clock.jump([-3_600, 3_600, -86_400, 0, 7][usize::try_from(chance >> 33).unwrap() % 5]);
        for _ in 0..4 {
            let status = owner.call("create_thing", json!({"name": all.app.engine.new_id()})).await.status();
            match status {
                200 => admitted += 1,
                429 => refused += 1,
                other => panic!("round {round}: {other}"),
            }
        }
        sealer.seal(if round % 5 == 0 { Depth::Recent } else { Depth::New }).await.unwrap();
        clock.advance(1);
        passed += 1;
    }
    assert!(admitted <= 10 + passed / 6, "{admitted} in {passed} s");
    assert!(admitted >= 10 + passed / 6 - 1, "{admitted} in {passed} s");
    sealer.seal(Depth::New).await.unwrap();
    let found = all.verify().await;
    assert_eq!((found.ok, found.unsealed), (true, 0), "{found:?}");
    println!(
        "clock, {}: set {} times; {admitted} writes admitted and {refused} refused in {passed} s at 10 a \
         minute; {} rows sealed, {} of them late, none left out",
        all.app.db.kind(),
        rounds(),
        found.sealed,
        found.late
    );
}
