//! The audit log keeps every row, with every value as it was given, and is append-only.

use std::collections::BTreeSet;

use serde_json::Value;
use sqlx::{Connection, Executor};
use toolcrib_model::{AuditKind, ErrorCode, ExecutorKind, Id, IdGen, Outcome};
use toolcrib_store::{AuditRow, audit};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, postgres, seed, seed_named, sqlite};

use crate::help::{audit_entry, audit_row, raw_pg, raw_sqlite};

/// Texts that break statements and encodings which are joined by hand.
const HOSTILE: [&str; 8] = [
    "'); DROP TABLE action_log; --",
    "a 'quote' and a ''double'' one",
    r#"back\slash, \' \" \\ \u0041 and \n"#,
    "Ünïcödé 漢字 👩‍👩‍👧 \u{202e}bidi",
    "line\nbreak\r\ttab\u{1}",
    "$1 $2 $tag$ :name ?1 %s {}",
    "E'\\x41' U&'\\0041'",
    "123",
];

#[both_databases]
async fn rows_of_reads_are_durable_when_the_call_returns(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let rows: Vec<_> = [world.workspace, other.workspace].map(|w| audit_row(&ids, w, NOW)).into();
    let (mine, theirs) = (rows[0].id, rows[1].id);
    db.audit(rows).await.unwrap();
    // Another connection, which bypasses the store, sees the rows, so they are committed.
    let count: i64 = if db.kind() == "sqlite" {
        let mut raw = raw_sqlite(&db).await;
        sqlx::query_scalar("SELECT COUNT(*) FROM action_log").fetch_one(&mut raw).await.unwrap()
    } else {
        let mut raw = raw_pg(&db).await;
        sqlx::query_scalar("SELECT COUNT(*) FROM action_log").fetch_one(&mut raw).await.unwrap()
    };
    assert_eq!(count, 2);
    assert!(audit_entry(&db, world.workspace, mine).await.is_some());
    assert!(audit_entry(&db, world.workspace, theirs).await.is_none());
    assert!(audit_entry(&db, other.workspace, theirs).await.is_some());
}

#[both_databases]
async fn hostile_text_survives_both_ways_in(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    for text in HOSTILE {
        let mut read = audit_row(&ids, world.workspace, NOW);
        read.action = text.into();
        read.caller_type = text.into();
        read.caller_name = Some(text.into());
        read.session = Some(text.into());
        read.reason = Some(text.into());
        read.arguments = serde_json::json!({ "text": text }).to_string();
        read.target = Some(text.into());
        read.request_id = text.into();
        let mut write = read.clone();
        write.id = ids.new_id(NOW);
        db.audit(vec![read.clone()]).await.unwrap();
        let mut tx = db.begin_write(world.workspace).await.unwrap();
        tx.audit(write.clone());
        tx.commit().await.unwrap();
        for row in [read, write] {
            let found = audit_entry(&db, world.workspace, row.id).await.unwrap();
            let back = [&found.action, &found.caller_type, &found.request_id].map(String::as_str);
            assert_eq!(back, [text; 3]);
            let back = [found.caller_name, found.session, found.reason, found.target];
            assert_eq!(back, [(); 4].map(|()| Some(text.to_owned())));
            assert_eq!(*found.arguments, row.arguments);
        }
    }
}

#[both_databases]
async fn a_text_that_a_database_cannot_hold_keeps_the_write_out(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = audit_row(&ids, world.workspace, NOW);
    let (id, cut) = (row.id, toolcrib_store::AuditRow { target: Some("one\0'); two".into()), ..row });
    let mut tx = db.begin_write(world.workspace).await.unwrap();
    tx.audit(cut);
    let done = tx.commit().await;
    let found = audit_entry(&db, world.workspace, id).await;
    if db.kind() == "sqlite" {
        assert_eq!(found.unwrap().target.as_deref(), Some("one\0'); two"));
    } else {
        // The store refuses the row before it sends it to the server.
        assert!(matches!(done, Err(toolcrib_store::StoreError::NotCommitted(_))) && found.is_none());
    }
}

#[both_databases]
async fn every_column_is_read_as_written(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let mut row = audit_row(&ids, world.workspace, NOW);
    row.credential_id = Some(Id::from_u128(2));
    row.mission_id = Some(Id::from_u128(3));
    row.relayed_by = Some(Id::from_u128(4));
    row.confirmation_id = Some(Id::from_u128(5));
    row.system_admin = true;
    row.always_allow = true;
    row.error_code = Some(ErrorCode::NotFound);
    row.trace_id = Some("trace".into());
    row.duration_ms = i64::MAX;
    row.user_id = Some(Id::from_u128(6));
    row.caller_name = Some("name".into());
    row.session = Some("session".into());
    row.reason = Some("reason".into());
    row.target = Some("target".into());
    row.minters = Some(format!("[\"{}\"]", Id::from_u128(7)));
    row.edited_by = Some(Id::from_u128(8));
    row.issuer = Some("issuer".into());
    row.subject = Some("subject".into());
    row.repaired = Some("[\"/limit\"]".into());
    row.executor = Some(ExecutorKind::Client);
    row.definition = Some("sha256:9f2c".into());
    row.call_ref = Some(Id::from_u128(9));
    row.reported_by = Some(Id::from_u128(10));
    let written = toolcrib_store::AuditRow { id: ids.new_id(NOW), ..row.clone() };
    db.audit(vec![row.clone()]).await.unwrap();
    let mut tx = db.begin_write(world.workspace).await.unwrap();
    tx.audit(written.clone());
    tx.commit().await.unwrap();
    for row in [row, written] {
        assert_whole(&audit_entry(&db, world.workspace, row.id).await.unwrap(), &row);
    }
}

/// Checks that the canonical form, which is hashed, has every column under its name and with its value.
fn assert_whole(found: &audit::AuditEntry, row: &toolcrib_store::AuditRow) {
    let hashed = serde_json::to_value(audit::Canonical::from(found)).unwrap();
    let fields = hashed.as_object().unwrap();
    let given = serde_json::to_value(row).unwrap();
    let plain = |text: &str| text.replace('-', "");
    assert_eq!(fields.keys().collect::<BTreeSet<_>>(), given.as_object().unwrap().keys().collect());
    assert!(fields.keys().is_sorted());
    for (name, value) in fields {
        match (value, &given[name]) {
            (Value::String(text), Value::String(given)) => assert_eq!(plain(text), plain(given), "{name}"),
            (value, given) => assert_eq!(value, given, "{name}"),
        }
    }
}

#[both_databases]
async fn a_row_without_later_columns_has_the_hash_of_before(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = audit_row(&ids, world.workspace, NOW);
    db.audit(vec![row.clone()]).await.unwrap();
    let found = audit_entry(&db, world.workspace, row.id).await.unwrap();
    let hashed = serde_json::to_value(audit::Canonical::from(&found)).unwrap();
    for later in [
        "minters",
        "edited_by",
        "issuer",
        "subject",
        "repaired",
        "executor",
        "definition",
        "call_ref",
        "reported_by",
    ] {
        assert_eq!(hashed.get(later), None, "{later}");
    }
    assert_eq!(hashed.as_object().unwrap().len(), 31, "the columns of the first version");
}

#[both_databases]
async fn outcomes_of_a_call_are_found_by_its_id(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let row = |workspace, second| audit_row(&ids, workspace, NOW.plus_seconds(second));
    let start = AuditRow { outcome: Outcome::Started, ..row(world.workspace, 0) };
    let outcome = |workspace, second, outcome| AuditRow {
        kind: AuditKind::Outcome,
        outcome,
        call_ref: Some(start.id),
        ..row(workspace, second)
    };
    let late = outcome(world.workspace, 60, Outcome::Succeeded);
    let unknown = outcome(world.workspace, 30, Outcome::Unknown);
    let foreign = outcome(other.workspace, 40, Outcome::Failed);
    db.audit(vec![late.clone(), foreign, unknown.clone(), start.clone()]).await.unwrap();

    let mut tx = db.read(world.workspace).await.unwrap();
    let found = audit::outcomes(&mut tx, start.id).await.unwrap();
    let summary: Vec<_> = found.iter().map(|row| (row.id, row.kind.as_str(), row.outcome.as_str())).collect();
    assert_eq!(summary, [(unknown.id, "outcome", "unknown"), (late.id, "outcome", "succeeded")]);
    assert_eq!(audit::outcomes(&mut tx, late.id).await.unwrap(), []);
    tx.end().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_refuses_to_change_the_log() {
    let db = sqlite().await;
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    db.audit(vec![audit_row(&ids, world.workspace, NOW)]).await.unwrap();
    let mut raw = raw_sqlite(&db).await;
    raw.execute(
        "INSERT INTO audit_chain (workspace_id, seq, row_id, row_hash, prev_hash, hash, sealed_at) \
         VALUES (x'01', 1, x'02', 'a', 'b', 'c', 1); \
         INSERT INTO audit_checkpoints (workspace_id, seq, hash, signature, made_at) \
         VALUES (x'01', 1, 'a', 'b', 1)",
    )
    .await
    .unwrap();
    for sql in [
        "UPDATE action_log SET action = 'another'",
        "DELETE FROM action_log",
        "UPDATE audit_chain SET hash = 'another'",
        "DELETE FROM audit_chain",
        "UPDATE audit_checkpoints SET hash = 'another'",
        "DELETE FROM audit_checkpoints",
    ] {
        let refused = raw.execute(sql).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{sql}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_refuses_every_role_of_ours_to_change_the_log() {
    let db = postgres().await;
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    db.audit(vec![audit_row(&ids, world.workspace, NOW)]).await.unwrap();
    for role in ["SET ROLE toolcrib_app", "SET ROLE toolcrib_audit", "SET ROLE toolcrib_worker"] {
        let mut raw = raw_pg(&db).await;
        raw.execute(role).await.unwrap();
        for sql in [
            "UPDATE action_log SET action = 'another'",
            "DELETE FROM action_log",
            "TRUNCATE action_log",
            "UPDATE audit_chain SET hash = 'another'",
            "DELETE FROM audit_chain",
            "UPDATE audit_checkpoints SET hash = 'another'",
            "DELETE FROM audit_checkpoints",
        ] {
            let refused = raw.execute(sql).await.unwrap_err();
            let code =
                refused.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap().into_owned();
            assert_eq!(code, "42501", "{role}: {sql}: {refused}");
        }
        raw.close().await.unwrap();
    }
    // The tables' owner can't change the log by accident either.
    let mut raw = raw_pg(&db).await;
    for sql in
        ["UPDATE action_log SET action = 'another'", "DELETE FROM audit_chain", "TRUNCATE audit_checkpoints"]
    {
        let refused = raw.execute(sql).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{sql}: {refused}");
    }
}
