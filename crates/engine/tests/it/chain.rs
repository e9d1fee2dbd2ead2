//! The audit log's chain: whoever changes, removes, inserts, reorders or cuts off rows is found, on both databases.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::json;
use toolcrib_engine::chain::{AuditKey, Depth, Question, Sealer, TrustedKeys, Verification, verify};
use toolcrib_model::{Clock, Id};
use toolcrib_store::audit::{
    self, Filter,
    chain::{Head, Link, links},
};
use toolcrib_testkit::{App, NOW, TestDb, both_databases, postgres, sqlite};

use crate::things::app;

const ROWS: usize = 12;

/// An engine whose log is sealed by hand.
struct Sealed {
    app: App,
    key: Arc<AuditKey>,
    trusted: TrustedKeys,
}

fn audit_key(byte: &str) -> AuditKey {
    // 32 bytes of zero but for the last two.
    AuditKey::given(&format!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA{byte}A=").into()).unwrap()
}

impl Sealed {
    async fn new(db: TestDb) -> Self {
        let key = Arc::new(audit_key("AB"));
        let trusted = TrustedKeys::new(&key, &[]).unwrap();
        Self { app: app(db).await, key, trusted }
    }

    fn sealer(&self) -> Sealer {
        Sealer::new((*self.app.db).clone(), self.app.clock.clone(), self.key.clone(), self.trusted.clone())
    }

    /// Twelve rows, half a second apart in the log; signed at the eighth and at the last.
    async fn twelve(db: TestDb) -> Self {
        let all = Self::new(db).await;
        let sealer = all.sealer();
        for n in 0..ROWS {
            all.app.clock.advance(1);
            all.app.owner().done("create_thing", json!({ "name": format!("Thing {n}") })).await;
            if n == 7 {
                sealer.settle().await.unwrap();
                assert_eq!(sealer.sign().await.unwrap().made, 1);
            }
        }
        sealer.settle().await.unwrap();
        assert_eq!(sealer.sign().await.unwrap().made, 1);
        assert_eq!(sealer.sign().await.unwrap().made, 0, "nothing is signed twice");
        all
    }

    async fn verify(&self) -> Verification {
        self.verify_against(BTreeMap::new()).await
    }

    async fn verify_against(&self, earlier: BTreeMap<i64, String>) -> Verification {
        let question = Question { now: self.app.clock.now(), earlier, ..Question::of(&self.trusted) };
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let found = verify(&mut tx, &question).await.unwrap();
        tx.end().await.unwrap();
        found
    }

    async fn links(&self) -> Vec<Link> {
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let links = links(&mut tx, 0, 1_000_000).await.unwrap();
        tx.end().await.unwrap();
        links
    }

    /// Runs SQL with the triggers gone, as somebody who owns the database.
    async fn tamper(&self, sql: &str) {
        for table in ["action_log", "audit_chain", "audit_checkpoints"] {
            let free = if self.app.db.kind() == "sqlite" {
                format!("DROP TRIGGER IF EXISTS {table}_no_update; DROP TRIGGER IF EXISTS {table}_no_delete")
            } else {
                format!("ALTER TABLE {table} DISABLE TRIGGER ALL")
            };
            self.app.db.sabotage(&free).await;
        }
        self.app.db.sabotage(sql).await;
    }

    fn id(&self, id: Id) -> String {
        if self.app.db.kind() == "sqlite" { format!("x'{}'", id.simple()) } else { format!("'{id}'") }
    }

    /// SQL for a copy of the fifth row under another id and another time.
    fn copy(&self, id: Id, seconds: i64) -> String {
        let columns = "occurred_at, kind, action, permission_level, via, surface, principal_kind, principal_id, user_id, \
            credential_id, role, system_admin, caller_type, caller_name, session, mission_id, decision, granted_by, \
            always_allow, relayed_by, reason, arguments, target, error_code, outcome, duration_ms, request_id, trace_id, \
            confirmation_id";
        let values = columns.replace("occurred_at", &format!("occurred_at + {}", seconds * 1_000_000));
        let id = self.id(id);
        let fifth = "id = (SELECT row_id FROM audit_chain WHERE seq = 5)";
        if self.app.db.kind() == "postgres" {
            return format!(
                "INSERT INTO action_log (workspace_id, id, {columns}) SELECT workspace_id, CAST({id} AS UUID), {values} \
                 FROM action_log WHERE {fifth}"
            );
        }
        format!(
            "INSERT INTO action_log (workspace_id, id, {columns}) SELECT workspace_id, {id}, {values} FROM action_log WHERE {fifth}"
        )
    }
}

const FIFTH: &str = "id = (SELECT row_id FROM audit_chain WHERE seq = 5)";

/// What somebody with the owner's password may do, and the first place at which it shows.
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
                UPDATE audit_chain SET seq = seq + 100 WHERE seq > 5; UPDATE audit_chain SET seq = seq - 101 WHERE seq > 100"
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
            "DELETE FROM action_log WHERE id IN (SELECT row_id FROM audit_chain WHERE seq > 9); DELETE FROM audit_chain WHERE seq > 9",
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

both_databases! {
    async fn an_untouched_chain_is_intact(db: TestDb) {
        let all = Sealed::twelve(db).await;
        let found = all.verify().await;
        assert!(found.ok, "{found:?}");
        assert_eq!((found.rows, found.sealed, found.first_bad_seq, found.checkpoints, found.signed_seq), (12, 12, None, 2, 12));
        assert_eq!((found.unsealed, found.overdue, found.defects), (0, 0, 0));
        let links = all.links().await;
        assert_eq!(links.iter().map(|link| link.seq).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
        assert_eq!(links[11].hash, found.head_hash);
        // A row that was just written waits; after ten seconds it is told of, and it is no defect.
        all.app.owner().done("create_thing", json!({"name": "late"})).await;
        let found = all.verify().await;
        assert_eq!((found.ok, found.rows, found.unsealed, found.overdue), (true, 13, 1, 0));
        all.app.clock.advance(11);
        let found = all.verify().await;
        assert_eq!((found.ok, found.unsealed, found.overdue), (true, 1, 1));
        assert_eq!(all.sealer().seal(Depth::Recent).await.unwrap(), 1);
        assert!(all.verify().await.ok);
    }

    async fn what_committed_late_gets_its_place_too(db: TestDb) {
        let all = Sealed::twelve(db).await;
        all.app.clock.advance(5);
        all.app.owner().done("create_thing", json!({"name": "in time"})).await;
        assert_eq!(all.sealer().seal(Depth::New).await.unwrap(), 1);
        // A row whose time is before that of the newest that has its place: the quick look misses it.
        all.app.clock.advance(-3);
        all.app.owner().done("create_thing", json!({"name": "late"})).await;
        all.app.clock.advance(3);
        assert_eq!(all.sealer().seal(Depth::New).await.unwrap(), 0);
        assert_eq!(all.sealer().seal(Depth::Recent).await.unwrap(), 1);
        assert!(all.verify().await.ok);
    }

    async fn whatever_was_done_to_it_is_found(db: TestDb) {
        let mut db = Some(db);
        let kind = db.as_ref().unwrap().kind();
        for (name, sql, first) in tricks() {
            let fresh = match db.take() { Some(db) => db, None => another(kind).await };
            let all = Sealed::twelve(fresh).await;
            assert!(all.verify().await.ok, "{name}");
            all.tamper(&sql).await;
            let found = all.verify().await;
            assert_eq!((found.ok, found.first_bad_seq), (false, Some(first)), "{name}: {found:?}");
            assert!(found.defects >= 1 && !found.problems.is_empty(), "{name}");
            // Sealing and signing more on top of it hides nothing.
            all.app.owner().done("create_thing", json!({"name": "after"})).await;
            all.sealer().settle().await.unwrap();
            all.sealer().sign().await.unwrap();
            let found = all.verify().await;
            assert!(!found.ok, "{name}: {found:?}");
        }
        println!("{kind}: {} ways to tamper with the log, each found at its place", tricks().len());
    }

    async fn a_row_put_into_the_past_is_found(db: TestDb) {
        let all = Sealed::twelve(db).await;
        // Minutes late is what a slow call may be: it is sealed.
        all.tamper(&all.copy(Id::from_u128(1), -120)).await;
        all.sealer().settle().await.unwrap();
        assert!(all.verify().await.ok);
        all.tamper(&all.copy(Id::from_u128(2), -86_400)).await;
        all.sealer().settle().await.unwrap();
        let found = all.verify().await;
        assert_eq!((found.ok, found.first_bad_seq, found.unsealed, found.overdue), (false, Some(14), 1, 1));
        // With a place that was made for it: the hash is computed by everybody, the order of time is not undone.
        let last = all.links().await.pop().unwrap();
        let mut tx = all.app.db.read(all.app.a.workspace).await.unwrap();
        let row = audit::get(&mut tx, Id::from_u128(2)).await.unwrap().unwrap();
        tx.end().await.unwrap();
        all.forge(&last.head().link(&row, NOW)).await;
        let found = all.verify().await;
        assert_eq!((found.ok, found.first_bad_seq, found.unsealed), (false, Some(14), 0), "{found:?}");
    }

    async fn a_chain_that_was_made_anew_fails_its_checkpoints(db: TestDb) {
        let all = Sealed::twelve(db).await;
        let before: BTreeMap<i64, String> = all.links().await.into_iter().map(|link| (link.seq, link.hash)).collect();
        let watching = all.sealer();
        all.app.owner().done("create_thing", json!({"name": "one more"})).await;
        watching.settle().await.unwrap();
        assert_eq!(watching.sign().await.unwrap().made, 1);
        all.tamper(&format!("UPDATE action_log SET decision = 'denied' WHERE {FIFTH}")).await;
        all.rewrite().await;
        let found = all.verify().await;
        assert_eq!((found.ok, found.first_bad_seq, found.defects), (false, Some(8), 3), "{found:?}");
        // Without the checkpoints it looks well: whoever kept an export, or a hash, knows better.
        all.tamper("DELETE FROM audit_checkpoints").await;
        assert!(all.verify().await.ok);
        let found = all.verify_against(before.clone()).await;
        assert_eq!((found.ok, found.first_bad_seq, found.defects), (false, Some(5), 8), "{found:?}");
        // And a process that signed the old one signs no other.
        all.app.owner().done("create_thing", json!({"name": "and more"})).await;
        watching.settle().await.unwrap();
        let signed = watching.sign().await.unwrap();
        assert_eq!((signed.made, signed.broken), (0, vec![all.app.a.workspace]));
        // The tail cut with everything that speaks of it.
        all.tamper("DELETE FROM action_log WHERE id IN (SELECT row_id FROM audit_chain WHERE seq > 9); DELETE FROM audit_chain WHERE seq > 9").await;
        let found = all.verify_against(before).await;
        assert_eq!((found.ok, found.first_bad_seq, found.defects), (false, Some(5), 8), "{found:?}");
    }

    async fn only_trusted_keys_count(db: TestDb) {
        let all = Sealed::twelve(db).await;
        let other = audit_key("AC");
        for (trusted, ok) in [
            (TrustedKeys::new(&other, &[]).unwrap(), false),
            (TrustedKeys::new(&other, &[all.key.public().to_owned()]).unwrap(), true),
            (TrustedKeys::default(), false),
        ] {
            let question = Question { now: all.app.clock.now(), ..Question::of(&trusted) };
            let mut tx = all.app.db.read(all.app.a.workspace).await.unwrap();
            assert_eq!(verify(&mut tx, &question).await.unwrap().ok, ok);
            tx.end().await.unwrap();
        }
    }

    async fn what_was_verified_need_not_be_again(db: TestDb) {
        let all = Sealed::twelve(db).await;
        all.tamper(&format!("UPDATE action_log SET decision = 'denied' WHERE {FIFTH}")).await;
        for (after, ok, first) in [(0, false, Some(5)), (4, false, Some(5)), (5, true, None), (12, true, None), (13, false, Some(13))] {
            let question = Question { now: all.app.clock.now(), after, ..Question::of(&all.trusted) };
            let mut tx = all.app.db.read(all.app.a.workspace).await.unwrap();
            let found = verify(&mut tx, &question).await.unwrap();
            tx.end().await.unwrap();
            assert_eq!((found.ok, found.first_bad_seq), (ok, first), "{after}: {found:?}");
        }
    }

    async fn workspaces_have_chains_of_their_own(db: TestDb) {
        let all = Sealed::twelve(db).await;
        let theirs = all.app.as_role_b(toolcrib_model::Role::Owner);
        theirs.done("create_thing", json!({"name": "theirs"})).await;
        all.sealer().settle().await.unwrap();
        let mut tx = all.app.db.read(all.app.b.workspace).await.unwrap();
        assert_eq!(links(&mut tx, 0, 10).await.unwrap().len(), 1);
        assert_eq!(audit::sealed(&mut tx, &Filter::default(), 0, 10).await.unwrap().len(), 1);
        tx.end().await.unwrap();
        all.tamper(&format!("UPDATE action_log SET decision = 'denied' WHERE workspace_id = {}", all.id(all.app.b.workspace))).await;
        assert!(all.verify().await.ok, "another workspace's chain is not ours");
    }

    async fn the_chain_is_linear_under_64_writers(db: TestDb) {
        const WRITERS: usize = 64;
        const EACH: usize = 10;
        let all = Arc::new(Sealed::new(db).await);
        // Three sealers fight for every row while they are written.
        let (done, watch) = tokio::sync::watch::channel(false);
        let sealers: Vec<_> = (0..3).map(|_| {
            let (sealer, watch) = (all.sealer(), watch.clone());
            tokio::spawn(async move {
                let mut sealed = 0;
                while !*watch.borrow() {
                    sealed += sealer.seal(Depth::All).await.unwrap();
                    assert!(sealer.sign().await.unwrap().broken.is_empty());
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                sealed
            })
        }).collect();
        let writers: Vec<_> = (0..WRITERS).map(|writer| {
            let all = all.clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    all.app.owner().done("create_thing", json!({ "name": format!("{writer}-{n}") })).await;
                }
            })
        }).collect();
        for writer in writers {
            writer.await.unwrap();
        }
        done.send_replace(true);
        let mut sealed = 0;
        for sealer in sealers {
            sealed += sealer.await.unwrap();
        }
        all.sealer().settle().await.unwrap();
        all.sealer().sign().await.unwrap();
        let found = all.verify().await;
        let rows = i64::try_from(WRITERS * EACH).unwrap();
        assert!(found.ok, "{found:?}");
        assert_eq!((found.rows, found.sealed, found.signed_seq), (rows, rows, rows));
        println!(
            "{}: {WRITERS} writers, {rows} rows, {sealed} of them sealed by three sealers meanwhile, {} checkpoints",
            all.app.db.kind(), found.checkpoints
        );
    }
}

impl Sealed {
    /// Adds a place as the sealer would have written it.
    async fn forge(&self, link: &Link) {
        let Link { workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at } = link;
        self.tamper(&format!(
            "INSERT INTO audit_chain (workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at) \
             VALUES ({}, {seq}, {}, '{row_hash}', '{prev_hash}', '{hash}', {}, {})",
            self.id(*workspace_id),
            self.id(*row_id),
            newest.as_micros(),
            sealed_at.as_micros()
        ))
        .await;
    }

    /// Computes the whole chain anew from the rows as they are now, as somebody who has read the documentation.
    async fn rewrite(&self) {
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let rows = audit::sealed(&mut tx, &Filter::default(), 0, 1_000).await.unwrap();
        tx.end().await.unwrap();
        self.tamper("DELETE FROM audit_chain").await;
        let mut head = Head::start();
        for row in rows {
            let link = head.link(&row.entry, row.sealed_at);
            self.forge(&link).await;
            head = link.head();
        }
    }
}
