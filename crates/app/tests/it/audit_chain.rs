//! The audit log's chain as an operator sees it: with several processes, on the command line, and with an
//! export on another machine.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, eventually};

use crate::binary::{Server, demo, done, folder, run};

const WRITERS: usize = 64;
const EACH: usize = 4;

/// Arguments of an `audit` command, for a folder's data or for a database.
pub fn audit(folder: &Path, database: Option<&str>, args: &[&str]) -> Vec<String> {
    let data = folder.join("data");
    let mut all = vec!["audit".to_owned()];
    all.extend(args.iter().map(ToString::to_string));
    all.extend(["--data-dir".to_owned(), data.to_str().unwrap().to_owned()]);
    if let Some(url) = database {
        all.extend(["--database".to_owned(), url.to_owned()]);
    }
    all
}

pub fn strs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// Runs the Python verifier, which is independent of this code.
pub fn offline(file: &Path, args: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/verify-audit");
    Command::new("python3").arg(script).args(args).arg(file).output().unwrap()
}

pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Many writers on several servers. Returns the number of acknowledged calls.
async fn load(bases: &[String], workspace: &Value) -> usize {
    let client = reqwest::Client::new();
    let text = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().to_owned();
    let (token, id) = (text("/owner/token"), text("/id"));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (client, base) = (client.clone(), bases[writer % bases.len()].clone());
            let (token, id) = (token.clone(), id.clone());
            tokio::spawn(async move {
                for n in 0..EACH {
                    let call = client
                        .post(format!("{base}/v1/actions/platform_create_agent"))
                        .bearer_auth(&token)
                        .header("X-Workspace-Id", &id)
                        .json(&json!({ "name": format!("chain-{writer}-{n}") }));
                    let answer = call.send().await.unwrap();
                    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    WRITERS * EACH
}

async fn asked(base: &str, workspace: &Value, path: &str) -> Value {
    serde_json::from_str(&text_of(base, workspace, path).await).unwrap()
}

/// Returns what a read answers to the owner.
pub async fn text_of(base: &str, workspace: &Value, path: &str) -> String {
    let text = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().to_owned();
    let call = reqwest::Client::new()
        .get(format!("{base}{path}"))
        .bearer_auth(text("/owner/token"))
        .header("X-Workspace-Id", text("/id"));
    let answer = call.send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}");
    answer.text().await.unwrap()
}

/// Waits until the servers have sealed at least this many rows.
pub async fn sealed(base: &str, workspace: &Value, calls: usize) -> Value {
    eventually("the servers seal", async || {
        let found = asked(base, workspace, "/v1/audit/verify").await;
        // Calls of the API are logged too, so the last one is not sealed yet when it is answered.
        let all = found["sealed"].as_u64().unwrap() >= calls as u64;
        if all && found["unsealed"].as_u64().unwrap() <= 5 { Ok(found) } else { Err(found) }
    })
    .await
}

async fn many_calls(db: &toolcrib_testkit::TestDb, workspace: &Value) {
    let id = workspace["id"].as_str().unwrap().parse().unwrap();
    toolcrib_testkit::change_workspace(db, id, |row| row.settings.write_per_minute = 1_000_000).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_processes_make_one_chain() {
    let (folder, database) = (folder(), toolcrib_testkit::postgres().await);
    let url = database.url();
    let start = || Server::start(folder.path(), &["--demo", "--database", &url]);
    let mut servers = Vec::new();
    let mut bases = Vec::new();
    for _ in 0..3 {
        // The servers share a folder, and with it the file with the address of the one that started last.
        let server = start();
        bases.push(server.base());
        servers.push(server);
    }
    let workspace = demo(folder.path())["workspaces"][0].take();
    many_calls(&database, &workspace).await;
    let calls = load(&bases, &workspace).await;
    let found = sealed(&bases[0], &workspace, calls).await;
    assert_eq!(found["ok"], true, "{found}");
    let id = workspace["id"].as_str().unwrap();
    for server in servers {
        assert_eq!(server.stop(), Some(0));
    }
    // Servers that stopped in order left no row unsealed or unsigned.
    let text = done(&strs(&audit(folder.path(), Some(&url), &["verify", "--workspace", id])));
    let export = done(&strs(&audit(folder.path(), Some(&url), &["export", "--workspace", id])));
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
async fn an_export_is_verified_elsewhere(db: TestDb) {
    let folder = folder();
    let url = db.url();
    let on = if db.kind() == "sqlite" { None } else { Some(url.as_str()) };
    let with: Vec<&str> = on.map_or(vec!["--demo"], |url| vec!["--demo", "--database", url]);
    let server = Server::start(folder.path(), &with);
    let workspace = demo(folder.path())["workspaces"][0].take();
    let id = workspace["id"].as_str().unwrap();
    asked(&server.base(), &workspace, "/v1/audit?limit=5").await;
    let command = |args: &[&str]| run(&strs(&audit(folder.path(), on, args)));
    // While the service runs, both it and the command seal rows, and neither disturbs the other.
    assert_eq!(command(&["verify"]).status.code(), Some(0));
    assert_eq!(server.stop(), Some(0));
    tamper(&db, folder.path(), CALL_OUTCOME).await;

    let key = done(&strs(&audit(folder.path(), on, &["key"])));
    let key = key.trim();
    let export = done(&strs(&audit(folder.path(), on, &["export", "--workspace", id])));
    let file = folder.path().join("audit.jsonl");
    fs::write(&file, &export).unwrap();
    has_call_outcome(&export);
    let checked = offline(&file, &["--public-key", key]);
    assert!(checked.status.success() && said(&checked).contains("intact"), "{}", said(&checked));
    println!("{}: the Python verifier says: {}", db.kind(), said(&checked).trim());

    // The verifier finds every change of the file with the public key alone.
    for (name, lines) in tampered(&export) {
        let bad = folder.path().join("bad.jsonl");
        fs::write(&bad, lines.join("\n")).unwrap();
        let checked = offline(&bad, &["--public-key", key]);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", said(&checked));
    }
    let stranger = offline(&file, &["--public-key", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]);
    assert!(said(&stranger).contains("not trusted"));

    // Parts of an export: the rows after a number, and a span of time.
    let part = done(&strs(&audit(folder.path(), on, &["export", "--workspace", id, "--after-seq", "10"])));
    assert!(part.lines().next().unwrap().contains("\"seq\":11,"));
    let half = folder.path().join("half.jsonl");
    fs::write(&half, part).unwrap();
    assert!(offline(&half, &["--public-key", key, "--partial"]).status.success());

    // Verification against the export succeeds until a row is changed, or the end of the log is cut off with
    // its links and checkpoints.
    let against = ["verify", "--workspace", id, "--against", file.to_str().unwrap()];
    assert_eq!(command(&against).status.code(), Some(0), "{}", said(&command(&against)));
    tamper(
        &db,
        folder.path(),
        "DELETE FROM action_log WHERE id IN (SELECT row_id FROM audit_chain WHERE seq > 20); \
        DELETE FROM audit_chain WHERE seq > 20; DELETE FROM audit_checkpoints WHERE seq > 20",
    )
    .await;
    assert_eq!(command(&against).status.code(), Some(1));
    tamper(
        &db,
        folder.path(),
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

#[both_databases]
async fn a_row_that_was_put_into_the_past_is_counted(db: TestDb) {
    let folder = folder();
    let url = db.url();
    let on = if db.kind() == "sqlite" { None } else { Some(url.as_str()) };
    let with: Vec<&str> = on.map_or(vec!["--demo"], |url| vec!["--demo", "--database", url]);
    let server = Server::start(folder.path(), &with);
    let workspace = demo(folder.path())["workspaces"][0].take();
    let id = workspace["id"].as_str().unwrap();
    for _ in 0..5 {
        asked(&server.base(), &workspace, "/v1/audit?limit=5").await;
    }
    assert_eq!(server.stop(), Some(0));
    let command = |args: &[&str]| run(&strs(&audit(folder.path(), on, args)));
    let export = || done(&strs(&audit(folder.path(), on, &["export", "--workspace", id])));
    let places = || export().lines().filter(|line| line.contains("\"row_hash\"")).count().to_string();
    // The rows of the demo's past were sealed late too.
    let demo = places();
    let since = |place: &str| command(&["verify", "--workspace", id, "--strict", "--after-seq", place]);
    let before = since(&demo);
    assert!(before.status.success() && said(&before).contains(" 0 of them late"), "{}", said(&before));
    tamper(&db, folder.path(), &backdated(db.kind(), id)).await;
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
    let file = folder.path().join("audit.jsonl");
    fs::write(&file, export()).unwrap();
    let key = done(&strs(&audit(folder.path(), on, &["key"])));
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
pub async fn tamper(db: &toolcrib_testkit::TestDb, folder: &Path, sql: &str) {
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
