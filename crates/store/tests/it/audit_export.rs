//! Rows that were written and sealed before a change of the code keep their hashes.

use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    AuditRow,
    audit::{self, chain::Link, row_hash},
};
use toolcrib_testkit::{TestDb, TestIds, both_databases};

use crate::help::{audit_entry, audit_row};

/// What `toolcrib audit export` printed before some columns existed that are hashed only with a value. Two
/// rows have values in others of these columns.
const EXPORT: &str = include_str!("../../../../tests/data/audit_export.jsonl");

fn text(line: &Value, name: &str) -> Option<String> {
    line[name].as_str().map(str::to_owned)
}

fn id(line: &Value, name: &str) -> Option<Id> {
    line[name].as_str().map(|text| text.parse().unwrap())
}

fn time(line: &Value, name: &str) -> Ts {
    line[name].as_str().unwrap().parse().unwrap()
}

/// A word of a closed set.
fn word<W: std::str::FromStr<Err: std::fmt::Debug>>(line: &Value, name: &str) -> W {
    line[name].as_str().unwrap().parse().unwrap()
}

/// A word that is stored as it is.
fn constant(line: &Value, name: &str) -> &'static str {
    let words = ["read", "write", "destructive", "user", "agent", "service", "operator"];
    words.into_iter().find(|word| line[name] == *word).unwrap()
}

fn row(line: &Value) -> AuditRow {
    AuditRow {
        id: id(line, "id").unwrap(),
        kind: word(line, "kind"),
        action: text(line, "action").unwrap(),
        permission_level: constant(line, "permission_level"),
        via: word(line, "via"),
        surface: word(line, "surface"),
        principal_kind: constant(line, "principal_kind"),
        principal_id: id(line, "principal_id").unwrap(),
        user_id: id(line, "user_id"),
        credential_id: id(line, "credential_id"),
        role: line["role"].as_str().map(|role| role.parse().unwrap()),
        system_admin: line["system_admin"].as_bool().unwrap(),
        caller_type: text(line, "caller_type").unwrap(),
        caller_name: text(line, "caller_name"),
        session: text(line, "session"),
        mission_id: id(line, "mission_id"),
        decision: word(line, "decision"),
        granted_by: line["granted_by"].as_str().map(|by| by.parse().unwrap()),
        always_allow: line["always_allow"].as_bool().unwrap(),
        relayed_by: id(line, "relayed_by"),
        reason: text(line, "reason"),
        arguments: text(line, "arguments").unwrap(),
        target: text(line, "target"),
        outcome: word(line, "outcome"),
        duration_ms: line["duration_ms"].as_i64().unwrap(),
        request_id: text(line, "request_id").unwrap(),
        trace_id: text(line, "trace_id"),
        confirmation_id: id(line, "confirmation_id"),
        minters: text(line, "minters"),
        edited_by: id(line, "edited_by"),
        issuer: text(line, "issuer"),
        subject: text(line, "subject"),
        repaired: text(line, "repaired"),
        ..audit_row(&TestIds::default(), id(line, "workspace_id").unwrap(), time(line, "occurred_at"))
    }
}

#[both_databases]
async fn an_export_of_an_earlier_version_has_the_same_hashes(db: TestDb) {
    let lines: Vec<Value> = EXPORT.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rows: Vec<&Value> = lines.iter().filter(|line| line.get("row_hash").is_some()).collect();
    db.audit(rows.iter().map(|line| row(line)).collect()).await.unwrap();
    for line in &rows {
        let workspace_id = id(line, "workspace_id").unwrap();
        let found = audit_entry(&db, workspace_id, id(line, "id").unwrap()).await.unwrap();
        let exported = line.as_object().unwrap();
        for (name, value) in
            serde_json::to_value(audit::Canonical::from(&found)).unwrap().as_object().unwrap()
        {
            assert_eq!(exported.get(name), Some(value), "{name}");
        }
        let link = Link {
            workspace_id,
            seq: line["seq"].as_i64().unwrap(),
            row_id: found.id,
            row_hash: row_hash(&found),
            prev_hash: text(line, "prev_hash").unwrap(),
            hash: text(line, "hash").unwrap(),
            newest: time(line, "newest"),
            sealed_at: time(line, "sealed_at"),
        };
        assert_eq!(
            (Some(&link.row_hash), link.digest()),
            (text(line, "row_hash").as_ref(), link.hash.clone())
        );
    }
    let later = ["minters", "edited_by", "issuer", "subject", "repaired"];
    assert!(later.iter().all(|name| rows.iter().any(|line| line.get(*name).is_some())));
    assert_eq!(rows.len(), 18);
}
