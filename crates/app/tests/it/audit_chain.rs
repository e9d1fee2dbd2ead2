//! The audit log's chain as an operator sees it: with several processes, on the command line, and with an
//! export on another machine.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, change_workspace, eventually};

use crate::{
    api::Api,
    binary::{folder, json, run, said},
    place::{Place, strs},
};

const WRITERS: usize = 64;
const EACH: usize = 4;

/// Runs an `audit` command.
pub fn audit(place: &Place, args: &[&str]) -> Output {
    run(&strs(&place.args(&[&["audit"], args].concat())))
}

/// Runs the Python verifier, which is independent of this code.
pub fn offline(file: &Path, args: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/verify-audit");
    Command::new("python3").arg(script).args(args).arg(file).output().unwrap()
}

/// Many writers on several servers. Returns the number of acknowledged calls.
async fn load(owners: &[Api]) -> usize {
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let owner = owners[writer % owners.len()].clone();
            tokio::spawn(async move {
                for n in 0..EACH {
                    let agent = json!({ "name": format!("chain-{writer}-{n}") });
                    owner.post("/v1/actions/platform_create_agent", &agent, 200).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    WRITERS * EACH
}

/// Waits until the servers have sealed at least this many rows.
pub async fn sealed(owner: &Api, calls: usize) -> Value {
    eventually("the servers seal", async || {
        let found = owner.get("/v1/audit/verify").await;
        // Calls of the API are logged too, so the last one is not sealed yet when it is answered.
        let all = found["sealed"].as_u64().unwrap() >= calls as u64;
        if all && found["unsealed"].as_u64().unwrap() <= 5 { Ok(found) } else { Err(found) }
    })
    .await
}

/// Writes to the servers until all rows are sealed. Returns the number of calls.
pub async fn write_to_all(owners: &[Api], db: &TestDb) -> usize {
    change_workspace(db, owners[0].workspace, |row| row.settings.write_per_minute = 1_000_000).await;
    let calls = load(owners).await;
    let found = sealed(&owners[0], calls).await;
    assert_eq!(found["ok"], true, "{found}");
    calls
}

/// Servers that stopped in order left no row unsealed or unsigned. They are those of `decisions.rs`.
pub fn three_processes_make_one_chain(place: &Place, workspace: &str, calls: usize) {
    let text = place.done(&["audit", "verify", "--workspace", workspace]);
    let export = place.done(&["audit", "export", "--workspace", workspace]);
    let lines: Vec<Value> = export.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let places: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(places, (1..=places.len() as u64).collect::<Vec<_>>());
    let rows: BTreeSet<&str> = lines.iter().filter_map(|line| line["id"].as_str()).collect();
    assert_eq!(rows.len(), places.len());
    println!("three processes, {WRITERS} writers, {calls} writes: {}", text.trim());
    assert!(text.contains("intact"), "{text}");
}

/// An export, changed in five ways, with the name of each.
pub fn tampered(export: &str) -> [(&'static str, Vec<String>); 5] {
    let lines: Vec<String> = export.lines().map(ToOwned::to_owned).collect();
    let (middle, last) = (lines.len() / 2, lines.len() - 1);
    let rows = lines.iter().filter(|line| line.contains("\"row_hash\"")).count();
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines = lines.clone();
        change(&mut lines);
        lines
    };
    let replace = |line: &mut String, from: &str, to: &str| *line = line.replacen(from, to, 1);
    [
        ("changed", with(&|lines| replace(&mut lines[middle], "\"outcome\":\"", "\"outcome\":\"un"))),
        ("removed", with(&|lines| drop(lines.remove(middle)))),
        ("reordered", with(&|lines| lines.swap(middle, middle + 1))),
        ("cut", with(&|lines| drop(lines.remove(rows - 1)))),
        ("signature", with(&|lines| replace(&mut lines[last], "\"signature\":\"", "\"signature\":\"AAAA"))),
    ]
}

/// Copies a row with values in the columns that only calls of declared tools have. The id of its principal
/// becomes its own id, which no other row has.
const CALL_OUTCOME: &str = "INSERT INTO action_log (workspace_id, occurred_at, permission_level, via, \
    surface, principal_kind, principal_id, system_admin, caller_type, decision, always_allow, arguments, \
    duration_ms, request_id, id, action, kind, outcome, executor, definition, call_ref, reported_by) \
    SELECT workspace_id, occurred_at, permission_level, via, surface, \
    principal_kind, principal_id, system_admin, caller_type, decision, always_allow, arguments, duration_ms, \
    request_id, principal_id, 'desk__close', 'outcome', 'unknown', 'client', 'sha256:9f2c', id, principal_id \
    FROM action_log WHERE principal_kind = 'user' ORDER BY occurred_at DESC, id DESC LIMIT 1";

/// Checks that one line of an export has the columns of [`CALL_OUTCOME`].
fn has_call_outcome(export: &str) {
    for column in ["call_ref", "definition", "executor", "reported_by"] {
        assert_eq!(export.matches(&format!("\"{column}\":")).count(), 1, "{column}");
    }
}

/// What `audit export` printed once.
const EARLIER_EXPORT: &str = include_str!("../../../../tests/data/audit_export.jsonl");

#[test]
fn an_export_of_an_earlier_version_is_still_verified() {
    let folder = folder();
    let file = folder.path().join("audit.jsonl");
    fs::write(&file, EARLIER_EXPORT).unwrap();
    let checkpoint: Value = serde_json::from_str(EARLIER_EXPORT.lines().last().unwrap()).unwrap();
    let key = checkpoint["checkpoint"]["public_key"].as_str().unwrap();
    let checked = offline(&file, &["--public-key", key]);
    assert!(checked.status.success(), "{}", said(&checked));
    assert!(
        said(&checked).contains("18 rows, 18 of them sealed late, 2 checkpoints: intact"),
        "{}",
        said(&checked)
    );
}

#[both_databases]
async fn a_row_of_the_past_is_counted_and_an_export_verified_elsewhere(db: TestDb) {
    let folder = folder();
    let place = Place::new(folder.path(), &db);
    let server = place.start(&["--demo"]);
    let owner = Api::new(&reqwest::Client::new(), &server, folder.path(), "owner");
    for _ in 0..5 {
        owner.get("/v1/audit?limit=5").await;
    }
    // While the service runs, both it and the command seal rows, and neither disturbs the other.
    assert_eq!(audit(&place, &["verify"]).status.code(), Some(0));
    assert_eq!(server.stop(), Some(0));
    let id = owner.workspace.to_string();
    a_row_that_was_put_into_the_past_is_counted(&db, &place, &id).await;
    an_export_is_verified_elsewhere(&db, &place, &id).await;
}

/// Cuts the log and changes a row at its end.
async fn an_export_is_verified_elsewhere(db: &TestDb, place: &Place, id: &str) {
    let folder = &place.folder;
    let command = |args: &[&str]| audit(place, args);
    tamper(db, folder, CALL_OUTCOME).await;

    let key = place.done(&["audit", "key"]);
    let key = key.trim();
    let export = place.done(&["audit", "export", "--workspace", id]);
    let file = folder.join("audit.jsonl");
    fs::write(&file, &export).unwrap();
    has_call_outcome(&export);
    let checked = offline(&file, &["--public-key", key]);
    assert!(checked.status.success() && said(&checked).contains("intact"), "{}", said(&checked));
    println!("{}: the Python verifier says: {}", db.kind(), said(&checked).trim());

    // The verifier finds every change of the file with the public key alone.
    for (name, lines) in tampered(&export) {
        let bad = folder.join("bad.jsonl");
        fs::write(&bad, lines.join("\n")).unwrap();
        let checked = offline(&bad, &["--public-key", key]);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", said(&checked));
    }
    let stranger = offline(&file, &["--public-key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]);
    assert!(said(&stranger).contains("not trusted"));

    // Parts of an export: the rows after a number, and a span of time.
    let part = place.done(&["audit", "export", "--workspace", id, "--after-seq", "10"]);
    assert!(part.lines().next().unwrap().contains("\"seq\":11,"));
    let half = folder.join("half.jsonl");
    fs::write(&half, part).unwrap();
    assert!(offline(&half, &["--public-key", key, "--partial"]).status.success());

    a_file_that_proves_nothing_is_refused(place, id, &export);
    // Verification against the export succeeds until a row is changed, or the end of the log is cut off with
    // its links and checkpoints.
    let against = ["verify", "--workspace", id, "--against", file.to_str().unwrap()];
    assert_eq!(command(&against).status.code(), Some(0), "{}", said(&command(&against)));
    tamper(
        db,
        folder,
        "DELETE FROM action_log WHERE id IN (SELECT row_id FROM audit_chain WHERE seq > 20); \
        DELETE FROM audit_chain WHERE seq > 20; DELETE FROM audit_checkpoints WHERE seq > 20",
    )
    .await;
    assert_eq!(command(&against).status.code(), Some(1));
    tamper(
        db,
        folder,
        "UPDATE action_log SET decision = 'approved' WHERE id = (SELECT row_id FROM audit_chain \
         WHERE seq = 7 AND workspace_id = action_log.workspace_id)",
    )
    .await;
    let found = command(&["verify"]);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    assert!(
        said(&found).contains("place 7 (row ") && said(&found).contains("the row was changed"),
        "{}",
        said(&found)
    );
}

/// The log is compared with no file that was changed, and with none in which nothing is to be compared.
fn a_file_that_proves_nothing_is_refused(place: &Place, id: &str, export: &str) {
    let other = json(&place.done(&["workspace", "create", "Other"]));
    let other = other["id"].as_str().unwrap();
    let row = export.replacen("\"outcome\":\"succeeded\"", "\"outcome\":\"failed\"", 1);
    let row_hash = export.replacen("\"row_hash\":\"", "\"row_hash\":\"0", 1);
    let file = place.folder.join("earlier.jsonl");
    let file = file.to_str().unwrap();
    for (text, workspace, after, told) in [
        ("", id, "0", "has no line of this workspace"),
        (export, other, "0", "has no line of this workspace"),
        (export, id, "9999", "has no line of this workspace behind place 9999"),
        (row.as_str(), id, "0", "the row was changed"),
        (row_hash.as_str(), id, "0", "the row was changed"),
    ] {
        fs::write(file, text).unwrap();
        let verify = ["audit", "verify", "--workspace", workspace, "--after-seq", after, "--against", file];
        let text = place.refused(&verify, 2);
        assert!(text.contains(told), "{text}");
    }
}

/// A copy of the row at the fifth place of a workspace's chain, with a time of two days before.
fn backdated(kind: &str, workspace: &str) -> String {
    let literal =
        |id: &str| if kind == "sqlite" { format!("x'{}'", id.replace('-', "")) } else { format!("'{id}'") };
    let (id, workspace) = (literal("0197c0de-0000-7000-8000-000000000001"), literal(workspace));
    format!(
        "CREATE TABLE forged AS SELECT * FROM action_log WHERE id = \
         (SELECT row_id FROM audit_chain WHERE seq = 5 AND workspace_id = {workspace}); \
         UPDATE forged SET id = {id}, occurred_at = occurred_at - 172800000000; \
         INSERT INTO action_log SELECT * FROM forged; DROP TABLE forged"
    )
}

async fn a_row_that_was_put_into_the_past_is_counted(db: &TestDb, place: &Place, id: &str) {
    let folder = &place.folder;
    let command = |args: &[&str]| audit(place, args);
    let export = || place.done(&["audit", "export", "--workspace", id]);
    let places = || export().lines().filter(|line| line.contains("\"row_hash\"")).count().to_string();
    // The rows of the demo's past were sealed late too.
    let demo = places();
    let since = |place: &str| command(&["verify", "--workspace", id, "--strict", "--after-seq", place]);
    let before = since(&demo);
    assert!(before.status.success() && said(&before).contains(" 0 of them late"), "{}", said(&before));
    tamper(db, folder, &backdated(db.kind(), id)).await;
    let found = since(&demo);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    assert!(
        said(&found).contains(": intact: ") && said(&found).contains(" 1 of them late"),
        "{}",
        said(&found)
    );
    assert!(said(&found).contains("sealed late: 1 row of 20"), "{}", said(&found));
    assert!(command(&["verify", "--workspace", id]).status.success(), "the chain is intact");
    assert_eq!(command(&["verify", "--strict"]).status.code(), Some(1));
    // What was looked into is left out.
    assert!(since(&places()).status.success());
    let file = folder.join("audit.jsonl");
    fs::write(&file, export()).unwrap();
    let key = place.done(&["audit", "key"]);
    let checked = offline(&file, &["--public-key", key.trim()]);
    let all = command(&["verify", "--workspace", id]);
    let late = said(&all).split(" sealed, ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert!(
        said(&checked).contains(&format!(" {late} of them sealed late")),
        "{} {}",
        said(&checked),
        said(&all)
    );
}

/// Runs SQL with the triggers disabled, as the database's owner could.
pub async fn tamper(db: &TestDb, folder: &Path, sql: &str) {
    if db.kind() == "postgres" {
        for table in ["action_log", "audit_chain", "audit_checkpoints"] {
            db.raw_sql(&format!("ALTER TABLE {table} DISABLE TRIGGER ALL")).await;
        }
        return db.raw_sql(sql).await;
    }
    let file = folder.join("data/toolcrib.db");
    let free = |table| {
        format!("DROP TRIGGER IF EXISTS {table}_no_update; DROP TRIGGER IF EXISTS {table}_no_delete; ")
    };
    let script = ["action_log", "audit_chain", "audit_checkpoints"].map(free).concat();
    let python =
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.close()";
    let done = Command::new("python3").args(["-c", python]).arg(file).arg(script + sql).output().unwrap();
    assert!(done.status.success(), "{}", said(&done));
}
