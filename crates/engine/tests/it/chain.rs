//! The audit log's chain. Verification finds every change, removal, insertion, reordering or cut of rows, on
//! both databases.

pub mod sealed;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::json;
use toolcrib_engine::chain::{Depth, TrustedKeys, VerifyRequest, verify};
use toolcrib_model::{Clock as _, Id};
use toolcrib_store::audit::{self, AuditFilter, chain::links};
use toolcrib_testkit::{TestDb, both_databases, postgres, sqlite};

use sealed::{FIFTH, Sealed, audit_key};

/// What somebody with the owner's password may do, and the first number in the chain at which verification
/// finds it.
fn tricks() -> Vec<(&'static str, String, i64)> {
    let trick = |name, sql: &str, first| (name, sql.to_owned(), first);
    vec![
        trick("changed", &format!("UPDATE action_log SET decision = 'denied' WHERE {FIFTH}"), 5),
        trick("its arguments changed", &format!("UPDATE action_log SET arguments = '{{}}' WHERE {FIFTH}"), 5),
        trick(
            "its time moved",
            &format!("UPDATE action_log SET occurred_at = occurred_at + 1 WHERE {FIFTH}"),
            5,
        ),
        trick("removed", &format!("DELETE FROM action_log WHERE {FIFTH}"), 5),
        trick(
            "removed with its place",
            &format!("DELETE FROM action_log WHERE {FIFTH}; DELETE FROM audit_chain WHERE seq = 5"),
            5,
        ),
        trick(
            "removed, and the gap closed",
            &format!(
                "DELETE FROM action_log WHERE {FIFTH}; DELETE FROM audit_chain WHERE seq = 5; \
                UPDATE audit_chain SET seq = seq + 100 WHERE seq > 5; \
                UPDATE audit_chain SET seq = seq - 101 WHERE seq > 100"
            ),
            5,
        ),
        trick(
            "reordered",
            "UPDATE audit_chain SET seq = 100 WHERE seq = 5; UPDATE audit_chain SET seq = 5 WHERE seq = 6; \
             UPDATE audit_chain SET seq = 6 WHERE seq = 100",
            5,
        ),
        trick("the place changed", "UPDATE audit_chain SET sealed_at = sealed_at + 1 WHERE seq = 5", 5),
        trick(
            "the tail cut",
            "DELETE FROM action_log WHERE id IN (SELECT row_id FROM audit_chain WHERE seq > 9); \
             DELETE FROM audit_chain WHERE seq > 9",
            10,
        ),
        trick("all of it cut", "DELETE FROM action_log; DELETE FROM audit_chain", 1),
        trick("a checkpoint moved", "UPDATE audit_checkpoints SET seq = 7 WHERE seq = 8", 7),
        trick("a checkpoint changed", "UPDATE audit_checkpoints SET made_at = made_at + 1 WHERE seq = 8", 8),
    ]
}

async fn another(kind: &str) -> TestDb {
    if kind == "sqlite" { sqlite().await } else { postgres().await }
}

#[both_databases]
async fn an_untouched_chain_is_intact(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let found = all.verify().await;
    assert!(found.ok, "{found:?}");
    assert_eq!(
        (found.rows, found.sealed, found.first_bad_seq, found.checkpoints, found.signed_seq),
        (12, 12, None, 2, 12)
    );
    assert_eq!((found.unsealed, found.overdue, found.defects), (0, 0, 0));
    let links = all.links().await;
    assert_eq!(links.iter().map(|link| link.seq).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    assert_eq!(links[11].hash, found.head_hash);
    // A row that was just written is not sealed yet. After ten seconds it is reported as overdue, which is
    // not a defect.
    all.app.owner().done("create_thing", json!({"name": "late"})).await;
    let found = all.verify().await;
    assert_eq!((found.ok, found.rows, found.unsealed, found.overdue), (true, 13, 1, 0));
    all.app.clock.advance(11);
    let found = all.verify().await;
    assert_eq!((found.ok, found.unsealed, found.overdue), (true, 1, 1));
    assert_eq!(all.sealer().seal(Depth::Recent).await.unwrap(), 1);
    assert!(all.verify().await.ok);
}

#[both_databases]
async fn rows_that_commit_late_are_sealed_too(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let sealer = all.sealer();
    // A sealer's first run searches all rows.
    assert_eq!(sealer.seal(Depth::New).await.unwrap(), 0);
    all.app.clock.advance(5);
    all.row("in time").await;
    assert_eq!(sealer.seal(Depth::New).await.unwrap(), 1);
    // The row's time is before that of the newest sealed row, so `Depth::New` misses it.
    all.app.clock.jump(-3);
    all.row("late").await;
    all.app.clock.jump(3);
    assert_eq!(sealer.seal(Depth::New).await.unwrap(), 0);
    assert_eq!(sealer.seal(Depth::Recent).await.unwrap(), 1);
    // A row that is minutes late, such as that of a slow call in another process.
    all.app.clock.jump(-200);
    all.row("later").await;
    all.app.clock.jump(200);
    assert_eq!(sealer.seal(Depth::Recent).await.unwrap(), 0);
    assert_eq!(sealer.seal(Depth::Late).await.unwrap(), 1);
    assert!(all.verify().await.ok);
}

#[both_databases]
async fn a_clock_that_is_set_leaves_no_row_out(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let (sealer, clock) = (all.sealer(), &all.app.clock);
    sealer.seal_all().await.unwrap();
    let mut sealed = 12;
    for jump in [-3_600, 3_600, 3_600, -3_600, -86_400] {
        all.row("before").await;
        clock.jump(jump);
        all.row("after").await;
        // The next run finds both rows whatever its depth. Later runs find the rows that follow.
        assert_eq!(sealer.seal(Depth::New).await.unwrap(), 2, "{jump}");
        for depth in [Depth::Recent, Depth::Late] {
            clock.advance(1);
            all.row("later").await;
            assert_eq!(sealer.seal(depth).await.unwrap(), 1, "{jump}, {depth:?}");
        }
        sealed += 4;
        let found = all.verify().await;
        assert_eq!((found.ok, found.sealed, found.unsealed), (true, sealed, 0), "{jump}: {found:?}");
        assert!(sealer.sign().await.unwrap().broken.is_empty(), "{jump}");
    }
    // The clock of another process was set, which this process can't know. The sealer finds the row within an
    // hour.
    clock.jump(-7_200);
    all.row("elsewhere").await;
    clock.jump(7_200);
    clock.advance(3_600);
    assert_eq!(sealer.seal(Depth::New).await.unwrap(), 1);
    let found = all.verify().await;
    assert_eq!((found.ok, found.sealed, found.unsealed), (true, sealed + 1, 0), "{found:?}");
}

#[both_databases]
async fn one_chain_that_takes_no_place_keeps_no_other_waiting(db: TestDb) {
    let all = Sealed::new(db).await;
    all.row("refused").await;
    all.app.as_role_b(toolcrib_model::Role::Owner).done("create_thing", json!({"name": "theirs"})).await;
    let (home, other) = (all.app.a.workspace, all.app.b.workspace);
    all.refuse_places_of(home).await;
    assert!(all.sealer().seal_all().await.is_err());
    let mut tx = all.app.db.read(other).await.unwrap();
    let links = toolcrib_store::audit::chain::links(&mut tx, 0, 10).await.unwrap();
    tx.end().await.unwrap();
    assert_eq!(links.len(), 1);
    assert!(all.links().await.is_empty());
}

#[both_databases]
async fn whatever_was_done_to_it_is_found(db: TestDb) {
    let mut db = Some(db);
    let kind = db.as_ref().unwrap().kind();
    for (name, sql, first) in tricks() {
        let fresh = match db.take() {
            Some(db) => db,
            None => another(kind).await,
        };
        let all = Sealed::twelve(fresh).await;
        assert!(all.verify().await.ok, "{name}");
        all.tamper(&sql).await;
        let found = all.verify().await;
        assert_eq!((found.ok, found.first_bad_seq), (false, Some(first)), "{name}: {found:?}");
        assert!(found.defects >= 1 && !found.problems.is_empty(), "{name}");
        // Sealing and signing more rows does not hide the change.
        all.app.owner().done("create_thing", json!({"name": "after"})).await;
        all.sealer().seal_all().await.unwrap();
        all.sealer().sign().await.unwrap();
        let found = all.verify().await;
        assert!(!found.ok, "{name}: {found:?}");
    }
    println!("{kind}: {} ways to tamper with the log, each found at its place", tricks().len());
}

#[both_databases]
async fn a_row_put_into_the_past_stands_where_it_was_found_and_is_told(db: TestDb) {
    let all = Sealed::twelve(db).await;
    assert_eq!(all.verify().await.late, 0);
    all.tamper(&all.copy(Id::from_u128(2), -86_400)).await;
    all.sealer().seal_all().await.unwrap();
    let found = all.verify().await;
    assert_eq!((found.ok, found.sealed, found.unsealed, found.late), (true, 13, 0, 1), "{found:?}");
    let [from, to] = [found.late_from, found.late_to].map(|time| time.unwrap());
    assert_eq!((from, all.app.clock.now().micros_since(from) / 3_600_000_000), (to, 24));
    let last = all.links().await.pop().unwrap();
    assert_eq!((last.seq, last.row_id), (13, Id::from_u128(2)));
    // Links must be numbered without gaps.
    all.tamper("UPDATE audit_chain SET seq = 100 WHERE seq = 5").await;
    assert!(!all.verify().await.ok);
}

/// A row is late if it is older than one that was sealed before it by more than concurrent calls explain,
/// even if the clock was put back to its time.
#[both_databases]
async fn a_row_older_than_sealed_ones_is_late(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let clock = &all.app.clock;
    for (number, seconds, late) in [(2, 140, 0), (3, 160, 1), (4, 299, 2)] {
        all.tamper(&all.copy(Id::from_u128(number), -seconds)).await;
        clock.jump(-seconds);
        all.sealer().seal_all().await.unwrap();
        clock.jump(seconds);
        let found = all.verify().await;
        assert_eq!((found.ok, found.late), (true, late), "{seconds}: {found:?}");
    }
    // Rows of newer times do not make those that follow them late.
    all.app.owner().done("create_thing", json!({"name": "after"})).await;
    all.sealer().seal_all().await.unwrap();
    assert_eq!(all.verify().await.late, 2);
}

#[both_databases]
async fn a_chain_that_was_made_anew_fails_its_checkpoints(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let before: BTreeMap<i64, String> =
        all.links().await.into_iter().map(|link| (link.seq, link.hash)).collect();
    let watching = all.sealer();
    all.app.owner().done("create_thing", json!({"name": "one more"})).await;
    watching.seal_all().await.unwrap();
    assert_eq!(watching.sign().await.unwrap().made, 1);
    all.tamper(&format!("UPDATE action_log SET decision = 'denied' WHERE {FIFTH}")).await;
    all.rewrite().await;
    let found = all.verify().await;
    assert_eq!((found.ok, found.first_bad_seq, found.defects), (false, Some(8), 3), "{found:?}");
    // Without the checkpoints the chain looks sound, but an export or a hash that was kept shows the change.
    all.tamper("DELETE FROM audit_checkpoints").await;
    assert!(all.verify().await.ok);
    let found = all.verify_against(before.clone()).await;
    assert_eq!((found.ok, found.first_bad_seq, found.defects), (false, Some(5), 8), "{found:?}");
    // A process that signed the old chain does not sign another.
    all.app.owner().done("create_thing", json!({"name": "and more"})).await;
    watching.seal_all().await.unwrap();
    let signed = watching.sign().await.unwrap();
    assert_eq!((signed.made, signed.broken), (0, vec![all.app.a.workspace]));
    // Cuts off the end of the log and its links.
    all.tamper(
        "DELETE FROM action_log WHERE id IN (SELECT row_id FROM audit_chain WHERE seq > 9); \
        DELETE FROM audit_chain WHERE seq > 9",
    )
    .await;
    let found = all.verify_against(before).await;
    assert_eq!((found.ok, found.first_bad_seq, found.defects), (false, Some(5), 8), "{found:?}");
}

#[both_databases]
async fn only_trusted_keys_count(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let other = audit_key("AC");
    for (trusted, ok) in [
        (TrustedKeys::new(&other, &[]).unwrap(), false),
        (TrustedKeys::new(&other, &[all.key.public().to_owned()]).unwrap(), true),
        (TrustedKeys::default(), false),
    ] {
        let question = VerifyRequest { now: all.app.clock.now(), ..VerifyRequest::of(&trusted) };
        let mut tx = all.app.db.read(all.app.a.workspace).await.unwrap();
        assert_eq!(verify(&mut tx, &question).await.unwrap().ok, ok);
        tx.end().await.unwrap();
    }
}

#[both_databases]
async fn verification_may_start_after_verified_rows(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let earlier: BTreeMap<i64, String> =
        all.links().await.into_iter().map(|link| (link.seq, link.hash)).collect();
    all.tamper(&format!("UPDATE action_log SET decision = 'denied' WHERE {FIFTH}")).await;
    for (after, ok, first) in
        [(0, false, Some(5)), (4, false, Some(5)), (5, true, None), (12, true, None), (13, false, Some(13))]
    {
        // `earlier` may hold more links than needed: only those after `after` are compared.
        let question = VerifyRequest {
            now: all.app.clock.now(),
            after,
            earlier: earlier.clone(),
            ..VerifyRequest::of(&all.trusted)
        };
        let mut tx = all.app.db.read(all.app.a.workspace).await.unwrap();
        let found = verify(&mut tx, &question).await.unwrap();
        tx.end().await.unwrap();
        assert_eq!((found.ok, found.first_bad_seq), (ok, first), "{after}: {found:?}");
    }
}

#[both_databases]
async fn workspaces_have_chains_of_their_own(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let theirs = all.app.as_role_b(toolcrib_model::Role::Owner);
    theirs.done("create_thing", json!({"name": "theirs"})).await;
    all.sealer().seal_all().await.unwrap();
    let mut tx = all.app.db.read(all.app.b.workspace).await.unwrap();
    assert_eq!(links(&mut tx, 0, 10).await.unwrap().len(), 1);
    assert_eq!(audit::chained_rows(&mut tx, &AuditFilter::default(), 0, 10).await.unwrap().len(), 1);
    tx.end().await.unwrap();
    all.tamper(&format!(
        "UPDATE action_log SET decision = 'denied' WHERE workspace_id = {}",
        all.id(all.app.b.workspace)
    ))
    .await;
    assert!(all.verify().await.ok, "another workspace's chain is not ours");
}

#[both_databases]
async fn the_chain_is_linear_under_64_writers(db: TestDb) {
    const WRITERS: usize = 64;
    const EACH: usize = 10;
    let all = Arc::new(Sealed::new(db).await);
    // Three sealers compete for every row while rows are written.
    let (done, watch) = tokio::sync::watch::channel(false);
    let sealers: Vec<_> = (0..3)
        .map(|_| {
            let (sealer, mut watch) = (all.sealer(), watch.clone());
            tokio::spawn(async move {
                let mut sealed = 0;
                while !*watch.borrow() {
                    sealed += sealer.seal(Depth::All).await.unwrap();
                    assert!(sealer.sign().await.unwrap().broken.is_empty());
                    // Run again after a short time, or at once when the writers are done.
                    let _ = tokio::time::timeout(Duration::from_millis(5), watch.changed()).await;
                }
                sealed
            })
        })
        .collect();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let all = all.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    all.app.owner().done("create_thing", json!({ "name": format!("{writer}-{n}") })).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    done.send_replace(true);
    let mut sealed = 0;
    for sealer in sealers {
        sealed += sealer.await.unwrap();
    }
    all.sealer().seal_all().await.unwrap();
    all.sealer().sign().await.unwrap();
    let found = all.verify().await;
    let rows = i64::try_from(WRITERS * EACH).unwrap();
    assert!(found.ok, "{found:?}");
    assert_eq!((found.rows, found.sealed, found.signed_seq), (rows, rows, rows));
    println!(
        "{}: {WRITERS} writers, {rows} rows, {sealed} of them sealed by three sealers meanwhile, {} \
         checkpoints",
        all.app.db.kind(),
        found.checkpoints
    );
}
