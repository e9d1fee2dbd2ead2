//! An export over HTTP is verified without the service, as one of the command line is.

use std::{fs, path::Path};

use serde_json::json;
use toolcrib_testkit::TestDb;

use crate::{
    api::Api,
    audit_chain::{audit, offline, sealed, tamper, tampered},
    binary::{Server, said},
    place::Place,
};

/// Calls, of which each leaves a row: with the rows of the demo more than fit into one page of an export, and
/// fewer than the limit of a minute.
const CALLS: usize = 480;
const PAGE: usize = 500;
const EXPORT: &str = "/v1/audit/export";

fn rows(export: &str) -> Vec<&str> {
    export.lines().filter(|line| line.contains("\"row_hash\"")).collect()
}

fn saved(folder: &Path, export: &str) -> std::path::PathBuf {
    let file = folder.join("audit.jsonl");
    fs::write(&file, export).unwrap();
    file
}

/// Takes over the demo of the test of `remote/audit.rs`.
pub async fn an_export_over_http_is_verified_elsewhere(db: &TestDb, server: Server, place: &Place) {
    let (folder, client) = (&place.folder, reqwest::Client::new());
    let owner = Api::new(&client, &server, folder, "owner");
    let id = &owner.workspace.to_string();
    for _ in 0..CALLS {
        owner.post("/v1/actions/platform_list_agents", &json!({}), 200).await;
    }
    sealed(&owner, CALLS).await;
    let whole = owner.text(EXPORT).await;
    assert!(rows(&whole).len() > PAGE, "{} rows", rows(&whole).len());
    let part = owner.text(&format!("{EXPORT}?after_seq=100")).await;
    assert_eq!(rows(&part)[..10], rows(&whole)[100..110]);
    assert_eq!(server.stop(), Some(0));

    // The verifier in Python and the command judge it as an export of the command line, which has the same
    // lines.
    let of_command = place.done(&["audit", "export", "--workspace", id]);
    assert_eq!(rows(&of_command)[..rows(&whole).len()], rows(&whole));
    let key = place.done(&["audit", "key"]);
    let file = saved(folder, &whole);
    let checked = offline(&file, &["--public-key", key.trim()]);
    assert!(checked.status.success() && said(&checked).contains("intact"), "{}", said(&checked));
    let against = ["verify", "--workspace", id, "--against", file.to_str().unwrap()];
    assert_eq!(audit(place, &against).status.code(), Some(0));
    // The last rows may be newer than the last checkpoint: without them the file is an earlier export.
    for (name, lines) in tampered(&whole).into_iter().filter(|(name, _)| *name != "cut") {
        let checked = offline(&saved(folder, &lines.join("\n")), &["--public-key", key.trim()]);
        assert_eq!(checked.status.code(), Some(1), "{name}: {}", said(&checked));
    }

    // A row that was changed in the database is found in the export too.
    let changed = "UPDATE action_log SET decision = 'approved' WHERE id = (SELECT row_id FROM audit_chain \
        WHERE seq = 7 AND workspace_id = action_log.workspace_id)";
    tamper(db, folder, changed).await;
    let server = place.start(&["--demo"]);
    let owner = Api::new(&client, &server, folder, "owner");
    let file = saved(folder, &owner.text(EXPORT).await);
    let checked = offline(&file, &["--public-key", key.trim()]);
    assert_eq!(checked.status.code(), Some(1), "{}", said(&checked));
    assert!(said(&checked).starts_with("place 7: the row was changed\n"), "{}", said(&checked));
}
