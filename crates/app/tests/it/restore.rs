//! Backups that are put back: what was taken away since stays away, and nothing is served before it is
//! accepted.

mod damaged;
mod interrupted;
mod load;

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use toolcrib_model::{Clock as _, Id, IdGen as _, ServingState, SystemClock, SystemIds};
use toolcrib_store::{Db, agents, audit::chain, invitations, invitations::InvitationRow, schedules, serving};
use toolcrib_testkit::{TestDb, both_databases, eventually, open_pg_transaction, postgres, write};

use crate::{
    api::Api,
    binary::{Server, demo, folder, run},
    due::schedule,
    place::{Place, strs},
};

/// Runs a program of PostgreSQL, which must succeed.
fn client(program: &str, args: &[&str]) {
    let output = Command::new(program).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Place {
    pub async fn state(&self) -> Option<ServingState> {
        let db = self.open().await;
        let state = serving::state(&db).await.unwrap();
        db.close().await;
        state
    }

    /// Backs the database up while it is served.
    pub fn back_up(&self, to: &Path) {
        let to = to.to_str().unwrap();
        match &self.url {
            None => drop(self.done(&["backup", "--to", to])),
            Some(url) => {
                let file = format!("--file={to}");
                client("pg_dump", &["--format=custom", "--exclude-table-data=serving", &file, url]);
            }
        }
    }

    /// Puts a backup into another place with this one's keys, up to where `toolcrib restore` begins.
    pub fn put_back(&self, from: &Path, folder: &Path) -> Self {
        let back = |url: &String| format!("{url}_back");
        let other = Self::at(folder, self.url.as_ref().map(back));
        fs::create_dir_all(other.data()).unwrap();
        for key in ["audit.pem", "issuer.pem", "secret.key", "demo.json"] {
            // The key of secrets is made when it is needed.
            let _ = fs::copy(self.data().join(key), other.data().join(key));
        }
        if let (Some(url), Some(back)) = (&self.url, &other.url) {
            let name = back.rsplit_once('/').unwrap().1;
            client("psql", &["-q", "-c", &format!("CREATE DATABASE {name}"), url]);
            client("pg_restore", &["--exit-on-error", &format!("--dbname={back}"), from.to_str().unwrap()]);
        }
        other
    }

    /// Runs `toolcrib restore`.
    pub fn restore(&self, from: &Path) -> String {
        match self.url {
            None => self.done(&["restore", "--from", from.to_str().unwrap()]),
            Some(_) => self.done(&["restore"]),
        }
    }

    /// Drops the database that [`Place::put_back`] made.
    fn drop(&self) {
        if let Some(url) = &self.url {
            let (server, name) = url.rsplit_once('/').unwrap();
            client(
                "psql",
                &["-q", "-c", &format!("DROP DATABASE {name} WITH (FORCE)"), &format!("{server}/postgres")],
            );
        }
    }
}

/// What the test did after the backup.
struct After {
    key: String,
    confirmation: String,
    viewer: String,
}

/// Revokes the agent's key, removes the viewer, demotes the editor and approves the deletion of an agent.
async fn change(owner: &Api, workspace: &Value) -> After {
    let text = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().to_owned();
    let keys = owner.get("/v1/keys").await;
    let agents = keys["items"].as_array().unwrap().iter().find(|key| key["kind"] == "agent").unwrap();
    let id = agents["id"].as_str().unwrap();
    owner.ok("DELETE", &format!("/v1/keys/{id}"), None, 200).await;
    let viewer = text("/viewer/user_id");
    owner.ok("DELETE", &format!("/v1/members/{viewer}"), None, 200).await;
    let editor = format!("/v1/members/{}", text("/editor/user_id"));
    owner.ok("PATCH", &editor, Some(&json!({ "role": "viewer" })), 200).await;
    let open = owner.get("/v1/confirmations?status=pending").await;
    let open = open["items"].as_array().unwrap();
    let deletion = open.iter().find(|one| one["action"] == "platform_delete_agent").unwrap();
    let confirmation = deletion["id"].as_str().unwrap().to_owned();
    let approve = format!("/v1/confirmations/{confirmation}/approve");
    owner.post(&approve, &json!({}), 202).await;
    let phrase = json!({ "phrase": "Release Writer" });
    assert_eq!(owner.post(&approve, &phrase, 200).await["status"], "completed");
    owner.post("/v1/actions/platform_create_agent", &json!({ "name": "Later" }), 200).await;
    After { key: text("/agent/key"), confirmation, viewer: text("/viewer/token") }
}

async fn status(base: &str, path: &str, token: &str, workspace: &str) -> (u16, String) {
    let request = reqwest::Client::new().get(format!("{base}{path}")).bearer_auth(token);
    match request.header("X-Workspace-Id", workspace).send().await {
        Ok(answer) => (answer.status().as_u16(), answer.text().await.unwrap()),
        Err(error) => (0, error.to_string()),
    }
}

/// Makes an invitation, which the API makes only with an identity provider.
async fn invite(place: &Place, workspace: Id) {
    let (db, now) = (place.open().await, SystemClock.now());
    let row = InvitationRow {
        workspace_id: workspace,
        id: SystemIds.new_id(now),
        code_hash: vec![1; 32],
        role: "viewer".into(),
        email: None,
        inviter: None,
        invited_by: None,
        issuer: None,
        created_at: now,
        expires_at: now.plus_days(1),
        used_by: None,
        used_at: None,
        revoked_at: None,
    };
    write(&db, workspace, async |tx| invitations::insert(tx, &row).await).await.unwrap();
    db.close().await;
}

/// Makes a due schedule in the restored database.
async fn plan(place: &Place, workspace: &Value) -> Id {
    let text = |path: &str| workspace.pointer(path).unwrap().as_str().unwrap().parse::<Id>().unwrap();
    let (db, now, id) = (place.open().await, SystemClock.now(), SystemIds.new_id(SystemClock.now()));
    let row = schedule(id, text("/agent/agent_id"), now.plus_seconds(-60));
    write(&db, text("/id"), async |tx| schedules::insert(tx, &row).await).await.unwrap();
    db.close().await;
    id
}

/// Whether the schedule fired.
async fn fired(db: &Db, workspace: Id, schedule: Id) -> bool {
    let mut tx = db.read(workspace).await.unwrap();
    let row = schedules::get(&mut tx, schedule).await.unwrap().unwrap();
    tx.end().await.unwrap();
    row.runs > 0
}

#[both_databases]
async fn nothing_that_was_taken_away_comes_back(db: TestDb) {
    let (first, second) = (folder(), folder());
    let (file, heads, export) =
        (first.path().join("backup"), first.path().join("heads.jsonl"), first.path().join("audit.jsonl"));
    let place = Place::new(first.path(), &db);
    let server = place.start(&["--demo", "--audit-anchor", heads.to_str().unwrap()]);
    let owner = Api::new(&reqwest::Client::new(), &server, first.path(), "owner");
    let session = reqwest::Client::new().post(format!("{}/console/session", server.base()));
    let workspace = demo(first.path())["workspaces"][0].take();
    let id = workspace["id"].as_str().unwrap().to_owned();
    let token = workspace["owner"]["token"].as_str().unwrap().to_owned();
    let signed_in = session.bearer_auth(&token).header("Sec-Fetch-Site", "same-origin").send().await.unwrap();
    assert_eq!(signed_in.status().as_u16(), 204);
    invite(&place, owner.workspace).await;
    place.back_up(&file);
    let after = change(&owner, &workspace).await;
    fs::write(&export, place.done(&["audit", "export", "--workspace", &id])).unwrap();
    assert_eq!(server.stop(), Some(0));

    let back = place.put_back(&file, second.path());
    if back.url.is_some() {
        // Nothing was restored yet, and nothing is served already.
        let server = back.start(&["--demo"]);
        let (code, text) = status(&server.base(), "/v1/me", &token, &id).await;
        assert!(code == 503 && text.contains("runs `toolcrib restore`, and then"), "{text}");
        assert!(back.refused(&["restore"], 3).contains("stop every `toolcrib serve`"));
        assert_eq!(server.stop(), Some(0));
    }
    let told = back.restore(&file);
    assert!(told.contains("ended: 1 session, 2 confirmations (`void`)"), "{told}");
    assert!(told.contains(" 1 invitation (revoked)"), "{told}");
    assert_eq!(back.state().await, Some(ServingState::Restored));
    let due = plan(&back, &workspace).await;
    let again = match back.url {
        None => back.refused(&["restore", "--from", file.to_str().unwrap()], 2),
        Some(_) => back.refused(&["restore"], 2),
    };
    assert!(again.contains("exists: restore into") || again.contains("restored already"), "{again}");

    let server = back.start(&["--demo"]);
    held(&server, &after, (&token, &id)).await;
    accept(&back, &place, (&heads, &export));
    let db = back.open().await;
    served(&db, &server, &after, (&token, &id)).await;
    both_heads(&back, &id, &export);
    let workspace: Id = id.parse().unwrap();
    let owner = Api::new(&reqwest::Client::new(), &server, second.path(), "owner");
    let hook = json!({ "url": "https://hooks.example.test/in", "types": ["agent.created"] });
    let hook = owner.post("/v1/webhooks", &hook, 201).await;
    let deliveries = format!("/v1/webhooks/{}/deliveries", hook["id"].as_str().unwrap());
    let delivered = async || !owner.get(&deliveries).await["items"].as_array().unwrap().is_empty();
    owner.post("/v1/actions/platform_create_agent", &json!({ "name": "Told" }), 200).await;
    // The sealer runs less often than webhooks and what is due: after its round, both would have begun.
    sealed(&db, workspace).await;
    assert!(!fired(&db, workspace, due).await && !delivered().await, "due work and webhooks are held");
    assert!(back.done(&["restore", "--resume"]).contains("webhooks and due work run"));
    eventually("the schedule fires", async || fired(&db, workspace, due).await).await;
    eventually("the webhook is served", async || delivered().await).await;
    assert!(back.refused(&["restore", "--resume"], 2).contains("nothing is held"));
    db.close().await;
    assert_eq!(server.stop(), Some(0));
    assert!(back.done(&["audit", "verify", "--workspace", &id]).contains("intact"));
    back.drop();
}

/// Every request is refused while the database is not accepted, whoever sends it.
async fn held(server: &Server, after: &After, (token, workspace): (&str, &str)) {
    let base = server.base();
    for path in ["/v1/me", "/v1/tools", "/v1/members", "/mcp", "/console/", "/readyz", "/metrics", "/nowhere"]
    {
        for credential in [token, &after.key, &after.viewer, "none"] {
            let (code, text) = status(&base, path, credential, workspace).await;
            assert!(
                code == 503 && text.contains("held until the operator runs `toolcrib restore --accept`"),
                "{path}: {text}"
            );
        }
    }
    assert_eq!(status(&base, "/healthz", token, workspace).await.0, 200);
    let refused = reqwest::get(format!("{base}/v1/me")).await.unwrap();
    let id = refused.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert_eq!(refused.headers()["x-content-type-options"], "nosniff");
    let problem: Value = refused.json().await.unwrap();
    assert_eq!(problem["request_id"], id);
}

fn accept(back: &Place, place: &Place, (heads, export): (&Path, &Path)) {
    let (heads, export) = (heads.to_str().unwrap(), export.to_str().unwrap());
    assert!(back.refused(&["restore", "--resume"], 2).contains("callers come first"));
    assert!(place.refused(&["restore", "--accept"], 2).contains("nothing waits to be accepted"));
    // Without an export nothing is known, and with the heads it is known that rows are missing.
    for (with, told) in [
        (&[][..], "nothing is known of the time after it"),
        (&["--heads", heads][..], "and no export has these rows"),
        (&["--audit-export", export][..], "nothing is known of the time after it"),
    ] {
        let output = run(&strs(&back.args(&[&["restore", "--accept"], with].concat())));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(1) && text.contains(told), "{text}");
        assert!(!text.contains("  taken away again"), "{text}");
        assert!(text.contains("nothing was changed, because it is not known"), "{text}");
    }
    // An export that was changed, and one of another log.
    let whole = fs::read_to_string(export).unwrap();
    let changed = back.folder.join("changed.jsonl");
    fs::write(&changed, whole.replacen("\"keys.revoke\"", "\"keys.listed\"", 1)).unwrap();
    let other = ["restore", "--accept", "--audit-export", changed.to_str().unwrap()];
    assert!(back.refused(&other, 2).contains("the row was changed"));
    let lines: Vec<&str> = whole.lines().collect();
    fs::write(&changed, lines[lines.len() - 3..].join("\n")).unwrap();
    assert!(back.refused(&other, 2).contains("the export begins at place"));

    let signed = fs::read_to_string(heads).unwrap();
    fs::write(&changed, signed.replacen("\"hash\":\"", "\"hash\":\"0", 1)).unwrap();
    let other = ["restore", "--accept", "--heads", changed.to_str().unwrap()];
    assert!(back.refused(&other, 2).contains("line 1: the signature of its checkpoint is wrong"));

    let with = ["--heads", heads, "--audit-export", export];
    let list = back.done(&[&["restore", "--list"], &with[..]].concat());
    for told in [
        "  would be taken away again: keys.revoke",
        "  would be taken away again: members.remove",
        "  would be taken away again: members.update",
        "  would be taken away again: platform_delete_agent",
        "1 decision on confirmations, which would be void",
        "lost: 1 platform_create_agent",
        "nothing was changed: `--accept`",
    ] {
        assert!(list.contains(told), "{told}: {list}");
    }
    let accepted = back.done(&[&["restore", "--accept"], &with[..]].concat());
    for told in ["  taken away again: keys.revoke", "which are void now", "accepted: callers are served"] {
        assert!(accepted.contains(told), "{told}: {accepted}");
    }
}

/// Callers are served, and what was taken away is not there.
async fn served(db: &Db, server: &Server, after: &After, (token, workspace): (&str, &str)) {
    let base = server.base();
    eventually("callers are served", async || match status(&base, "/v1/me", token, workspace).await {
        (200, _) => Ok(()),
        (code, text) => Err(format!("{code} {text} {}", server.text())),
    })
    .await;
    assert_eq!(status(&base, "/v1/me", &after.key, workspace).await.0, 401, "the key stays revoked");
    assert_eq!(
        status(&base, "/v1/members", &after.viewer, workspace).await.0,
        403,
        "the member stays removed"
    );
    let (_, members) = status(&base, "/v1/members", token, workspace).await;
    let members: Value = serde_json::from_str(&members).unwrap();
    let editor = members["items"].as_array().unwrap().iter().find(|one| one["subject"] == "editor").unwrap();
    assert_eq!(editor["role"], "viewer", "the demoted member stays demoted");
    let (_, record) =
        status(&base, &format!("/v1/confirmations/{}", after.confirmation), token, workspace).await;
    assert_eq!(serde_json::from_str::<Value>(&record).unwrap()["status"], "void");
    let approve =
        reqwest::Client::new().post(format!("{base}/v1/confirmations/{}/approve", after.confirmation));
    let approve =
        approve.bearer_auth(token).header("X-Workspace-Id", workspace).json(&json!({})).send().await;
    assert_eq!(approve.unwrap().status().as_u16(), 410, "the approved confirmation is void");
    let workspace: Id = workspace.parse().unwrap();
    let mut tx = db.read(workspace).await.unwrap();
    let agent = agents::by_name(&mut tx, "Release Writer").await.unwrap().unwrap();
    tx.end().await.unwrap();
    assert_eq!(agent.status, "inactive", "the deleted agent does nothing");
}

async fn sealed(db: &Db, workspace: Id) {
    eventually("the log is sealed", async || {
        let mut tx = db.read(workspace).await.unwrap();
        let found = chain::count_unsealed(&mut tx, SystemClock.now()).await.unwrap();
        tx.end().await.unwrap();
        found.unsealed == 0
    })
    .await;
}

/// The audit log has the head of the backup and the last one that is known.
fn both_heads(back: &Place, workspace: &str, export: &Path) {
    let rows = |text: &str| -> Vec<Value> {
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .filter(|row: &Value| row["hash"].is_string())
            .collect()
    };
    let log = rows(&back.done(&["audit", "export", "--workspace", workspace]));
    let later = rows(&fs::read_to_string(export).unwrap());
    let arguments = |action: &str| -> Value {
        let row = log.iter().rfind(|row| row["action"] == action).unwrap();
        serde_json::from_str(row["arguments"].as_str().unwrap()).unwrap()
    };
    let (begun, accepted) = (arguments("backups.restore"), arguments("backups.accept"));
    assert_eq!(begun["backup_head"], accepted["backup_head"]);
    let seq = usize::try_from(accepted["backup_head"]["seq"].as_i64().unwrap()).unwrap();
    assert_eq!(accepted["backup_head"]["hash"], later[seq - 1]["hash"], "the logs part behind this place");
    let last = later.last().unwrap();
    assert_eq!(accepted["last_known_head"], json!({ "seq": last["seq"], "hash": last["hash"] }));
    assert_eq!(accepted["applied"].as_array().unwrap().len(), 4);
}

#[both_databases]
async fn a_workspace_that_was_deleted_is_listed_and_deleted_again(db: TestDb) {
    let (first, second) = (folder(), folder());
    let file = first.path().join("backup");
    let place = Place::new(first.path(), &db);
    let server = place.start(&["--demo"]);
    place.back_up(&file);
    let owner = Api::new(&reqwest::Client::new(), &server, first.path(), "owner");
    let (id, workspaces) = (owner.workspace.to_string(), demo(first.path())["workspaces"].take());
    let name = json!({ "name": workspaces[0]["name"] });
    owner.ok("DELETE", &format!("/v1/workspaces/{id}"), Some(&name), 200).await;
    assert_eq!(server.stop(), Some(0));
    let mut exports = Vec::new();
    for workspace in workspaces.as_array().unwrap() {
        let id = workspace["id"].as_str().unwrap();
        let export = first.path().join(id);
        fs::write(&export, place.done(&["audit", "export", "--workspace", id])).unwrap();
        exports.extend(["--audit-export".to_owned(), export.to_str().unwrap().to_owned()]);
    }
    let back = place.put_back(&file, second.path());
    back.restore(&file);
    let list = back.done(&[&["restore", "--list"], &strs(&exports)[..]].concat());
    assert!(list.contains("  would be taken away again: workspaces.delete"), "{list}");
    let accepted = back.done(&[&["restore", "--accept"], &strs(&exports)[..]].concat());
    assert!(accepted.contains("  taken away again: workspaces.delete"), "{accepted}");
    let listed = back.done(&["workspace", "list"]);
    assert!(listed.lines().any(|line| line.starts_with(&id) && line.contains(", deleted ")), "{listed}");
    back.drop();
}

/// Row level security binds an owner who is no superuser, also in the transaction of a restore.
#[tokio::test(flavor = "multi_thread")]
async fn an_owner_who_is_no_superuser_restores() {
    let (folder, db) = (folder(), postgres().await);
    let url = db.url();
    let (server, name) = url.rsplit_once('/').unwrap();
    let host = server.rsplit_once('@').unwrap().1;
    let (owner, owned) = (format!("{name}_owner"), format!("{name}_owned"));
    client("psql", &["-q", "-c", &format!("CREATE ROLE {owner} LOGIN CREATEROLE"), &url]);
    client("psql", &["-q", "-c", &format!("CREATE DATABASE {owned} OWNER {owner}"), &url]);
    let place = Place::at(folder.path(), Some(format!("postgres://{owner}@{host}/{owned}")));
    place.done(&["workspace", "create", "Shop", "--owner", "first"]);
    client("psql", &["-q", "-c", "DELETE FROM serving", &format!("{server}/{owned}")]);
    let other = open_pg_transaction(&format!("{server}/{owned}"), "SELECT 1").await;
    assert!(place.refused(&["restore"], 3).contains("the database has 1 other session: "));
    other.release().await;
    let ended = "ended: 0 sessions, 0 confirmations (`void`)";
    // The server notices the end of a session a moment later.
    let mut told = String::new();
    eventually("nobody else uses it", async || {
        let output = run(&strs(&place.args(&["restore"])));
        told = String::from_utf8(output.stdout).unwrap();
        output.status.success()
    })
    .await;
    assert!(told.contains(ended), "{told}");
    assert!(place.refused(&["restore"], 2).contains("restored already"));
    assert!(place.done(&["restore", "--accept", "--unknown-changes"]).contains("accepted"));
    assert!(place.done(&["restore", "--resume"]).contains("run"));
    place.drop();
    client("psql", &["-q", "-c", &format!("DROP ROLE {owner}"), &url]);
}
