//! An engine whose audit log the test seals and tampers with.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::json;
use toolcrib_engine::chain::{AuditKey, Sealer, TrustedKeys, Verification, VerifyRequest, verify};
use toolcrib_model::{Clock as _, Id};
use toolcrib_store::audit::{
    self, AuditFilter,
    chain::{Head, Link, links},
};
use toolcrib_testkit::{App, TestDb};

use crate::things::app;

const ROWS: usize = 12;

/// The columns of the audit log except the workspace, the id, and those that these rows leave empty.
pub const COLUMNS: &str = "occurred_at, kind, action, permission_level, via, surface, principal_kind, \
    principal_id, user_id, credential_id, role, system_admin, caller_type, caller_name, session, \
    mission_id, decision, granted_by, always_allow, relayed_by, reason, arguments, target, error_code, \
    outcome, duration_ms, request_id, trace_id, confirmation_id";

/// Selects the row with number 5 in the chain.
pub const FIFTH: &str = "id = (SELECT row_id FROM audit_chain WHERE seq = 5)";

/// An engine whose audit log the test seals.
pub struct Sealed {
    pub app: App,
    pub key: Arc<AuditKey>,
    pub trusted: TrustedKeys,
}

pub fn audit_key(byte: &str) -> AuditKey {
    // The key is 32 bytes, all zero except the end.
    AuditKey::from_setting(&format!("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA{byte}A=").into()).unwrap()
}

impl Sealed {
    pub async fn new(db: TestDb) -> Self {
        let key = Arc::new(audit_key("AB"));
        let trusted = TrustedKeys::new(&key, &[]).unwrap();
        Self { app: app(db).await, key, trusted }
    }

    pub fn sealer(&self) -> Sealer {
        Sealer::new((*self.app.db).clone(), self.app.clock.clone(), self.key.clone(), self.trusted.clone())
    }

    /// Twelve rows, one second apart; signed after the eighth and the last.
    pub async fn twelve(db: TestDb) -> Self {
        let all = Self::new(db).await;
        let sealer = all.sealer();
        for n in 0..ROWS {
            all.app.clock.advance(1);
            all.app.owner().done("create_thing", json!({ "name": format!("Thing {n}") })).await;
            if n == 7 {
                sealer.seal_all().await.unwrap();
                assert_eq!(sealer.sign().await.unwrap().made, 1);
            }
        }
        sealer.seal_all().await.unwrap();
        assert_eq!(sealer.sign().await.unwrap().made, 1);
        assert_eq!(sealer.sign().await.unwrap().made, 0, "nothing is signed twice");
        all
    }

    pub async fn verify(&self) -> Verification {
        self.verify_against(BTreeMap::new()).await
    }

    pub async fn verify_against(&self, earlier: BTreeMap<i64, String>) -> Verification {
        let question =
            VerifyRequest { now: self.app.clock.now(), earlier, ..VerifyRequest::of(&self.trusted) };
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let found = verify(&mut tx, &question).await.unwrap();
        tx.end().await.unwrap();
        found
    }

    pub async fn links(&self) -> Vec<Link> {
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let links = links(&mut tx, 0, 1_000_000).await.unwrap();
        tx.end().await.unwrap();
        links
    }

    /// Runs SQL with the triggers disabled, as the database's owner could.
    pub async fn tamper(&self, sql: &str) {
        for table in ["action_log", "audit_chain", "audit_checkpoints"] {
            let free = if self.app.db.kind() == "sqlite" {
                format!("DROP TRIGGER IF EXISTS {table}_no_update; DROP TRIGGER IF EXISTS {table}_no_delete")
            } else {
                format!("ALTER TABLE {table} DISABLE TRIGGER ALL")
            };
            self.app.db.raw_sql(&free).await;
        }
        self.app.db.raw_sql(sql).await;
    }

    pub fn id(&self, id: Id) -> String {
        if self.app.db.kind() == "sqlite" { format!("x'{}'", id.simple()) } else { format!("'{id}'") }
    }

    /// Adds one row to the log.
    pub async fn row(&self, name: &str) {
        let name = format!("{name} {}", self.app.engine.new_id());
        self.app.owner().done("create_thing", json!({ "name": name })).await;
    }

    /// Makes the database refuse new links of this workspace.
    pub async fn refuse_places_of(&self, workspace: Id) {
        let id = self.id(workspace);
        let sql = if self.app.db.kind() == "sqlite" {
            format!(
                "CREATE TRIGGER refuse BEFORE INSERT ON audit_chain WHEN NEW.workspace_id = {id} \
                 BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
        } else {
            format!(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF NEW.workspace_id = {id} THEN RAISE 'refused'; END IF; RETURN NEW; END $$; \
                 CREATE TRIGGER refuse BEFORE INSERT ON audit_chain FOR EACH ROW EXECUTE FUNCTION refuse()"
            )
        };
        self.app.db.raw_sql(&sql).await;
    }

    /// SQL that copies the fifth row under another id and with another time.
    pub fn copy(&self, id: Id, seconds: i64) -> String {
        let values = COLUMNS.replace("occurred_at", &format!("occurred_at + {}", seconds * 1_000_000));
        let id = self.id(id);
        let fifth = "id = (SELECT row_id FROM audit_chain WHERE seq = 5)";
        if self.app.db.kind() == "postgres" {
            return format!(
                "INSERT INTO action_log (workspace_id, id, {COLUMNS}) \
                 SELECT workspace_id, CAST({id} AS UUID), {values} FROM action_log WHERE {fifth}"
            );
        }
        format!(
            "INSERT INTO action_log (workspace_id, id, {COLUMNS}) SELECT workspace_id, {id}, {values} \
             FROM action_log WHERE {fifth}"
        )
    }

    /// Adds a link as the sealer would have written it.
    pub async fn forge(&self, link: &Link) {
        let Link { workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at } = link;
        self.tamper(&format!(
            "INSERT INTO audit_chain (workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, \
             sealed_at) VALUES ({}, {seq}, {}, '{row_hash}', '{prev_hash}', '{hash}', {}, {})",
            self.id(*workspace_id),
            self.id(*row_id),
            newest.as_micros(),
            sealed_at.as_micros()
        ))
        .await;
    }

    /// Computes the whole chain anew from the rows as they are now, as somebody could who has read the
    /// documentation.
    pub async fn rewrite(&self) {
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let rows = audit::chained_rows(&mut tx, &AuditFilter::default(), 0, 1_000).await.unwrap();
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
