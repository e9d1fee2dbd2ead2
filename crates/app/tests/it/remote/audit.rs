//! `audit tail` and `audit export`.

use std::process::{Command, Stdio};

use toolcrib_testkit::{TestDb, both_databases, eventually};

use super::{Remote, approvals::typed_on_terminal, ended, file, foreign::answering, json, said};
use crate::{
    api::Api,
    audit_export::an_export_over_http_is_verified_elsewhere,
    binary::{folder, toolcrib},
    place::Place,
};

#[both_databases]
async fn an_export_is_that_of_the_database_byte_for_byte(db: TestDb) {
    let folder = folder();
    let place = Place::new(folder.path(), &db);
    let remote = Remote { server: place.start(&["--demo"]), folder };
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
    let local = |args: &[&str], code| {
        let whole = place.args(&[args, &["--workspace", &id]].concat());
        ended(toolcrib().args(whole).output().unwrap(), args, code).0
    };
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
    local(&["audit", "verify", "--against", &changed], 2);
    let Remote { server, folder: _folder } = remote;
    an_export_over_http_is_verified_elsewhere(&db, server, &place).await;
}

pub fn the_last_rows_are_those_of_the_database(remote: &Remote) {
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
    assert!(wrong.contains("`from`") && wrong.contains("status 422"), "{wrong}");
    assert!(remote.refused("member", &["audit", "tail"], 3).contains("`permission_denied`"));
}

/// An export of these parts, of one chunk each.
fn chunked(parts: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n".to_vec();
    for part in parts.into_iter().chain([Vec::new()]) {
        answer.extend([format!("{:x}\r\n", part.len()).as_bytes(), &part, b"\r\n"].concat());
    }
    answer
}

fn export(base: &str) -> Command {
    let mut command = toolcrib();
    command.env("TOOLCRIB_TOKEN", "t").args(["audit", "export", "--url", base]);
    command
}

#[test]
fn an_export_ends_when_nobody_reads_it() {
    // The answer has no end, so a client that waits for it fails.
    let mut answer = chunked(vec![vec![b'x'; 1_000]; 20_000]);
    answer.truncate(answer.len() - 100);
    let (base, thread) = answering([answer]);
    let mut child = export(&base).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    thread.join().unwrap();
}

#[test]
fn a_terminal_shows_whole_characters() {
    let text = "{\"name\":\"J\u{fc}rgen \u{1b}[2J \r\"}\r\nend";
    let (base, thread) = answering([chunked(text.bytes().map(|byte| vec![byte]))]);
    let output = typed_on_terminal(&export(&base), ("none", ""));
    let shown = ended(output, &[], 0).0;
    assert!(
        shown.starts_with("{\"name\":\"J\u{fc}rgen \\u{1b}[2J \\u{d}\"}\r") && shown.ends_with("\nend"),
        "{shown:?}"
    );
    thread.join().unwrap();
}
