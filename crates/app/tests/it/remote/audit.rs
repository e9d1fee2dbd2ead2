//! `audit tail` and `audit export`.

use toolcrib_testkit::{TestDb, both_databases, eventually};

use super::{Remote, ended, file, json};
use crate::{
    api::Api,
    binary::{Server, folder, toolcrib},
};

#[both_databases]
async fn an_export_is_that_of_the_database_byte_for_byte(db: TestDb) {
    let url = db.url();
    let on: &[&str] = if db.kind() == "sqlite" { &[] } else { &["--database", &url] };
    let folder = folder();
    let server = Server::start(folder.path(), &[&["--demo"], on].concat());
    let remote = Remote { server, folder };
    let owner = Api::new(&reqwest::Client::new(), &remote.server, remote.folder.path(), "owner");
    for _ in 0..3 {
        owner.post("/v1/actions/platform_list_agents", &serde_json::json!({}), 200).await;
    }
    let row = |line: &str| line.contains("\"row_hash\"");
    let export = eventually("rows are sealed and signed", async || {
        let export = remote.ok("owner", &["audit", "export"]);
        export.lines().any(|line| !row(line)).then_some(export)
    })
    .await;

    let id = remote.workspace_id();
    let data = remote.data();
    let place = [&["--workspace", &id, "--data-dir", &data], on].concat();
    let local =
        |args: &[&str], code| ended(toolcrib().args(args).args(&place).output().unwrap(), args, code).0;
    let rows: Vec<&str> = export.lines().filter(|line| row(line)).collect();
    let seq = json(rows[rows.len() - 5])["seq"].to_string();
    let of_database = local(&["audit", "export"], 0);
    assert!(of_database.starts_with(&(rows.join("\n") + "\n")), "other bytes");
    let part = remote.ok("owner", &["audit", "export", "--after-seq", &seq]);
    assert!(part.starts_with(rows[rows.len() - 4]), "{part}");
    // An export is a row of the log itself, so that only one of the past is the same twice.
    let row_of_past = json(rows[rows.len() - 5]);
    let past = ["audit", "export", "--to", row_of_past["occurred_at"].as_str().unwrap()];
    assert_eq!(remote.ok("owner", &past), local(&past, 0));

    let kept = file(remote.folder.path(), "audit.jsonl", &export, 0o600);
    let verified = local(&["audit", "verify", "--against", &kept], 0);
    assert!(verified.contains(": intact: "), "{verified}");
    let changed = export.replacen("\"hash\":\"", "\"hash\":\"0", 1);
    let changed = file(remote.folder.path(), "changed.jsonl", &changed, 0o600);
    local(&["audit", "verify", "--against", &changed], 1);
}

#[test]
fn the_last_rows_are_those_of_the_database() {
    let remote = Remote::start();
    let local = ended(remote.in_database(&["audit", "tail", "--rows", "120"]), &[], 0).0;
    let printed = remote.ok("owner", &["audit", "tail", "--rows", "120"]);
    assert_eq!(printed.lines().count(), 120);
    assert_eq!(printed, local);
    for caller in [
        "user Demo owner (owner)",
        "agent Support Desk for Demo editor (editor)",
        "service demo chat backend (editor)",
    ] {
        assert!(printed.contains(&format!(" {caller} ")), "{caller}: {printed}");
    }
    assert_eq!(remote.ok("owner", &["audit", "tail"]).lines().count(), 20);
    let wrong = remote.refused("owner", &["audit", "export", "--from", "today"], 2);
    assert!(wrong.contains("`/from`") && wrong.contains("status 422"), "{wrong}");
    assert!(remote.refused("member", &["audit", "tail"], 3).contains("`permission_denied`"));
}
