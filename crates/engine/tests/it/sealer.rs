//! The sealer: a backlog of any size, what it reports, and which chains it does not sign.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use serde_json::json;
use toolcrib_engine::chain::{Depth, Sealer, TrustedKeys};
use toolcrib_testkit::{TestDb, both_databases};

use crate::chain::sealed::{COLUMNS, FIFTH, Sealed, audit_key};

impl Sealed {
    /// Inserts `count` copies of the only row.
    async fn copies(&self, count: usize) {
        let (numbers, id) = self.app.db.numbered_rows(count);
        let sql = format!(
            "{numbers} INSERT INTO action_log (workspace_id, id, {COLUMNS}) \
             SELECT workspace_id, {id}, {COLUMNS} FROM action_log, numbers"
        );
        self.app.db.raw_sql(&sql).await;
    }
}

/// The age in seconds that the sealer reported last.
fn overdue(handle: &PrometheusHandle) -> Option<String> {
    let text = handle.render();
    text.lines()
        .find_map(|line| line.strip_prefix("toolcrib_audit_oldest_unsealed_seconds "))
        .map(str::to_owned)
}

/// Makes the database refuse every new link.
async fn jam(db: &TestDb) {
    let sql = if db.kind() == "sqlite" {
        "CREATE TRIGGER jam BEFORE INSERT ON audit_chain BEGIN SELECT RAISE(ABORT, 'jammed'); END"
    } else {
        "CREATE FUNCTION jam() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'jammed'; END $$; \
         CREATE TRIGGER jam BEFORE INSERT ON audit_chain FOR EACH ROW EXECUTE FUNCTION jam()"
    };
    db.raw_sql(sql).await;
}

async fn unjam(db: &TestDb) {
    db.raw_sql(if db.kind() == "sqlite" { "DROP TRIGGER jam" } else { "DROP TRIGGER jam ON audit_chain" })
        .await;
}

#[both_databases]
async fn a_backlog_of_several_batches_is_sealed_at_once(db: TestDb) {
    let all = Sealed::new(db).await;
    all.row("one").await;
    all.copies(1_100).await;
    all.app.as_role_b(toolcrib_model::Role::Owner).done("create_thing", json!({"name": "theirs"})).await;
    assert_eq!(all.sealer().seal(Depth::All).await.unwrap(), 1_102);
    let found = all.verify().await;
    assert_eq!((found.ok, found.sealed, found.unsealed), (true, 1_101, 0), "{found:?}");
    assert_eq!(all.sealer().seal(Depth::All).await.unwrap(), 0);
}

#[both_databases]
async fn only_what_stays_unsealed_is_reported(db: TestDb) {
    let (recorder, all) = (PrometheusBuilder::new().build_recorder(), Sealed::new(db).await);
    let (told, _measured) = (recorder.handle(), metrics::set_default_local_recorder(&recorder));
    let (sealer, clock) = (all.sealer(), &all.app.clock);
    all.row("while nobody sealed").await;
    clock.advance(3600);
    assert_eq!(sealer.seal(Depth::All).await.unwrap(), 1);
    assert_eq!(overdue(&told).as_deref(), Some("0"));
    all.row("while it can't be sealed").await;
    jam(&all.app.db).await;
    for (wait, reported) in [(0, "0"), (10, "0"), (1, "11"), (60, "71")] {
        clock.advance(wait);
        sealer.seal(Depth::All).await.unwrap_err();
        assert_eq!(overdue(&told).as_deref(), Some(reported));
    }
    unjam(&all.app.db).await;
    assert_eq!(sealer.seal(Depth::All).await.unwrap(), 1);
    assert_eq!(overdue(&told).as_deref(), Some("0"));
}

#[both_databases]
async fn no_chain_is_signed_after_an_untrusted_checkpoint(db: TestDb) {
    let all = Sealed::twelve(db).await;
    all.row("one more").await;
    all.sealer().seal_all().await.unwrap();
    let (key, home) = (Arc::new(audit_key("AC")), all.app.a.workspace);
    let known = [all.key.public().to_owned()];
    for (others, made, broken) in [(&[][..], 0, vec![home]), (&known[..], 1, vec![])] {
        let trusted = TrustedKeys::new(&key, others).unwrap();
        let sealer = Sealer::new((*all.app.db).clone(), all.app.clock.clone(), key.clone(), trusted);
        let signed = sealer.sign().await.unwrap();
        assert_eq!((signed.made, signed.broken), (made, broken));
    }
}

#[both_databases]
async fn a_sealer_recognises_the_chain_that_it_signed(db: TestDb) {
    let all = Sealed::twelve(db).await;
    let watching = all.sealer();
    all.row("one more").await;
    watching.seal_all().await.unwrap();
    assert_eq!(watching.sign().await.unwrap().made, 1);
    // If the checkpoints are lost, the same chain with the same length is signed again.
    all.tamper("DELETE FROM audit_checkpoints").await;
    let signed = watching.sign().await.unwrap();
    assert_eq!((signed.made, signed.broken), (1, vec![]));
    // A different chain of that length is not signed.
    all.tamper(&format!(
        "UPDATE action_log SET decision = 'denied' WHERE {FIFTH}; DELETE FROM audit_checkpoints"
    ))
    .await;
    all.rewrite().await;
    let signed = watching.sign().await.unwrap();
    assert_eq!((signed.made, signed.broken), (0, vec![all.app.a.workspace]));
}

#[both_databases]
async fn a_late_row_is_found_among_rows_that_were_found_sealed(db: TestDb) {
    let all = Sealed::new(db).await;
    let (sealer, clock) = (all.sealer(), &all.app.clock);
    for _ in 0..3 {
        all.row("in time").await;
        clock.advance(5);
    }
    sealer.seal_all().await.unwrap();
    for (depth, age) in [(Depth::Recent, 10), (Depth::Late, 15), (Depth::Late, 200)] {
        // The second run knows from the first that all rows are sealed.
        for _ in 0..2 {
            assert_eq!(sealer.seal(depth).await.unwrap(), 0, "{depth:?}");
        }
        clock.jump(-age);
        all.row("late").await;
        clock.jump(age);
        assert_eq!(sealer.seal(depth).await.unwrap(), 1, "{depth:?}, {age} s");
    }
    assert!(all.verify().await.ok);
}

#[both_databases]
async fn rows_that_were_found_sealed_are_counted_afterwards(db: TestDb) {
    let all = Sealed::new(db).await;
    all.row("one").await;
    all.copies(1_000).await;
    let sealer = all.sealer();
    sealer.seal_all().await.unwrap();
    let steps = Arc::new(AtomicU64::new(0));
    all.app.db.count_steps(&steps).await.unwrap();
    sealer.seal(Depth::Late).await.unwrap();
    let looked_up = steps.swap(0, Ordering::Relaxed);
    sealer.seal(Depth::Late).await.unwrap();
    let counted = steps.swap(0, Ordering::Relaxed);
    // PostgreSQL counts no steps.
    assert!(counted * 3 < looked_up * 2 || all.app.db.kind() != "sqlite", "{counted} of {looked_up}");
}
