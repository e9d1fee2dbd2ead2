//! Session grants belong to the process: they are gone when it ends, and never in its database. The processes
//! are those of `private.rs`.

use std::{fs, path::Path};

use serde_json::{Value, json};
use toolcrib_model::Id;

use crate::{api::Api, binary::Server};

const GRANTS: &str = "/v1/sessions/talk-of-today/grants";

/// Whether a file in the folder contains these bytes.
fn holds(folder: &Path, needle: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, needle);
        }
        fs::read(&path).unwrap().windows(needle.len()).any(|window| window == needle)
    })
}

fn owner(server: &Server, folder: &Path) -> Api {
    let client = reqwest::Client::new();
    Api::new(&client, server, folder, "owner").with("X-Session-Id", "talk-of-today")
}

async fn create(api: &Api, name: &str, status: u16) -> Value {
    api.post("/v1/actions/platform_create_agent", &json!({ "name": name }), status).await
}

/// Approves a call for the rest of a session. Returns the id of the grant.
pub async fn granted(server: &Server, folder: &Path) -> String {
    let owner = owner(server, folder);
    owner.ok("PATCH", "/v1/settings", Some(&json!({"approval_mode": "confirm_writes"})), 200).await;
    let asked = create(&owner, "One", 202).await;
    let id = asked["confirmation"]["id"].as_str().unwrap();
    owner.post(&format!("/v1/confirmations/{id}/approve"), &json!({"remember": "session"}), 200).await;
    assert_eq!(create(&owner, "Two", 200).await["granted_by"], "session");
    let grants = owner.get(GRANTS).await;
    grants["items"][0]["id"].as_str().unwrap().to_owned()
}

/// The audit log names the session, because it says where a call came from. The grant is stored nowhere.
pub fn is_in_no_file(data: &Path, grant: &str) {
    assert!(holds(data, b"talk-of-today"));
    let bytes = grant.parse::<Id>().unwrap();
    for form in [grant.as_bytes(), bytes.simple().to_string().as_bytes(), bytes.as_bytes()] {
        assert!(!holds(data, form), "the grant is on disk");
    }
}

/// Checks another process in the folder.
pub async fn a_restart_forgets_them(server: &Server, folder: &Path) {
    let owner = owner(server, folder);
    assert_eq!(owner.get(GRANTS).await["items"], json!([]));
    create(&owner, "Three", 202).await;
}
