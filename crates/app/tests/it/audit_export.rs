//! An export over HTTP is verified without the service, as one of the command line is.

use std::{fs, path::Path};

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases};

use crate::{
    api::Api,
    audit_chain::{audit, offline, said, sealed, strs, tamper, tampered, text_of},
    binary::{Server, demo, done, folder, run},
};

/// Calls, of which each leaves a row: with the rows of the demo more than fit into one page of an export, and
/// fewer than the limit of a minute.
const CALLS: usize = 480;
const PAGE: usize = 500;
const EXPORT: &str = "/v1/audit/export";

/// Makes many calls of an action that reads.
async fn call_often(owner: &Api) {
    for _ in 0..CALLS {
        let (status, body) =
            owner.ask("POST", "/v1/actions/platform_list_agents", Some(&json!({}))).await.unwrap();
        assert_eq!(status, 200, "{body}");
    }
}

fn rows(export: &str) -> Vec<&str> {
    export.lines().filter(|line| line.contains("\"row_hash\"")).collect()
}

fn saved(folder: &Path, export: &str) -> std::path::PathBuf {
    let file = folder.join("audit.jsonl");
    fs::write(&file, export).unwrap();
    file
}

#[both_databases]
async fn an_export_over_http_is_verified_elsewhere(db: TestDb) {
    let folder = folder();
    let url = db.url();
    let on = if db.kind() == "sqlite" { None } else { Some(url.as_str()) };
    let with: Vec<&str> = on.map_or(vec!["--demo"], |url| vec!["--demo", "--database", url]);
    let server = Server::start(folder.path(), &with);
    let workspace = demo(folder.path())["workspaces"][0].take();
    let id = workspace["id"].as_str().unwrap();
    call_often(&Api::new(&reqwest::Client::new(), &server, folder.path(), "owner")).await;
    sealed(&server.base(), &workspace, CALLS).await;
    let whole = text_of(&server.base(), &workspace, EXPORT).await;
    assert!(rows(&whole).len() > PAGE, "{} rows", rows(&whole).len());
    let part = text_of(&server.base(), &workspace, &format!("{EXPORT}?after_seq=100")).await;
    assert_eq!(rows(&part)[..10], rows(&whole)[100..110]);
    assert_eq!(server.stop(), Some(0));

    // The verifier in Python and the command judge it as an export of the command line, which has the same
    // lines.
    let command = |args: &[&str]| audit(folder.path(), on, args);
    let of_command = done(&strs(&command(&["export", "--workspace", id])));
    assert_eq!(rows(&of_command)[..rows(&whole).len()], rows(&whole));
    let key = done(&strs(&command(&["key"])));
    let file = saved(folder.path(), &whole);
    let checked = offline(&file, &["--public-key", key.trim()]);
    assert!(checked.status.success() && said(&checked).contains("intact"), "{}", said(&checked));
    let against = command(&["verify", "--workspace", id, "--against", file.to_str().unwrap()]);
    assert_eq!(run(&strs(&against)).status.code(), Some(0));
    // The last rows may be newer than the last checkpoint: without them the file is an earlier export.
    for (name, lines) in tampered(&whole).into_iter().filter(|(name, _)| *name != "cut") {
        let checked = offline(&saved(folder.path(), &lines.join("\n")), &["--public-key", key.trim()]);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", said(&checked));
    }

    // A row that was changed in the database is found in the export too.
    let changed = "UPDATE action_log SET decision = 'approved' WHERE id = (SELECT row_id FROM audit_chain \
        WHERE seq = 7 AND workspace_id = action_log.workspace_id)";
    tamper(&db, folder.path(), changed).await;
    let server = Server::start(folder.path(), &with);
    let file = saved(folder.path(), &text_of(&server.base(), &workspace, EXPORT).await);
    let checked = offline(&file, &["--public-key", key.trim()]);
    assert_eq!(checked.status.code(), Some(1), "{}", said(&checked));
    assert!(said(&checked).starts_with("place 7: the row was changed\n"), "{}", said(&checked));
}
