//! Workspaces, members, keys and tokens on the command line, on both databases. Each change is audited.

use serde_json::Value;
use toolcrib_model::Id;
use toolcrib_store::{StoreError, keys};
use toolcrib_testkit::{TestDb, both_databases, key_row, write};

use crate::{
    api::Api,
    binary::{Server, demo, done, folder, json, refused},
};

#[both_databases]
async fn a_workspace_gets_no_more_keys_than_it_may_have(db: TestDb) {
    let (url, folder) = (db.url(), folder());
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let place = ["--database", &url, "--data-dir", &data];
    let made = json(&done(&[&["workspace", "create", "Shop", "--owner", "first"], &place[..]].concat()));
    let workspace: Id = made["id"].as_str().unwrap().parse().unwrap();
    write::<_, StoreError>(&db, workspace, async |tx| {
        for n in 0..999 {
            keys::insert(tx, &key_row(workspace, Id::from_u128(0x1000 + n), "service")).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
    let id = workspace.to_string();
    let create = ["key", "create", "--workspace", &id, "--name", "x", "--scopes", "*:read"];
    let create = [&create[..], &place[..]].concat();
    assert!(done(&create).contains("tc_"));
    assert!(refused(&create, 2).contains("1000 valid keys"));
}

#[both_databases]
#[expect(clippy::unused_async, reason = "the attribute calls every test alike")]
async fn workspaces_members_and_keys_are_made_and_audited(db: TestDb) {
    let (url, folder) = (db.url(), folder());
    // Sealing the log creates a key in the data directory.
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let with = |args: &[&str]| {
        [args, &["--database", &url, "--data-dir", &data]]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    let ok = |args: &[&str]| done(&with(args).iter().map(String::as_str).collect::<Vec<_>>());
    let no = |args: &[&str]| refused(&with(args).iter().map(String::as_str).collect::<Vec<_>>(), 2);

    let made = json(&ok(&["workspace", "create", "Shop", "--external-id", "org_1", "--owner", "first"]));
    let id = made["id"].as_str().unwrap();
    assert!(made["owner"].is_string());
    assert!(no(&["workspace", "create", "Shop", "--external-id", "org_1"]).contains("exists already"));

    let member = ["member", "add", "--workspace", "org_1", "--user", "second", "--role", "editor"];
    assert_eq!(json(&ok(&member))["role"], "editor");
    assert!(no(&member).contains("already"));
    assert!(
        no(&["member", "add", "--workspace", "org_2", "--user", "x", "--role", "viewer"]).contains("`org_2`")
    );

    let key = ["key", "create", "--workspace", id, "--name", "backend", "--scopes", "*:read,act_as"];
    assert!(json(&ok(&key))["secret"].as_str().unwrap().starts_with("tc_"));
    assert!(
        no(&["key", "create", "--workspace", id, "--name", "x", "--scopes", "everything"])
            .contains("`everything`")
    );
    assert!(
        no(&["key", "create", "--workspace", id, "--name", "x", "--scopes", "events:all"])
            .contains("for operator keys")
    );
    assert!(
        no(&["key", "create", "--workspace", id, "--name", "x", "--scopes", "*:read", "--role", "admin"])
            .contains("at most")
    );
    let agent =
        ["key", "create", "--workspace", id, "--kind", "agent", "--agent", "Nobody", "--runs-as", "second"];
    assert!(no(&[&agent[..], &["--name", "x", "--scopes", "*:read"]].concat()).contains("`Nobody`"));

    let lost = ["--name", "x", "--scopes", "*:read", "--mission", "7"];
    assert!(no(&[&agent[..], &lost].concat()).contains("`mission` must be an id"));

    let operator = ["key", "create", "--operator", "--name", "provisioning", "--scopes", "workspaces:create"];
    assert!(json(&ok(&operator))["secret"].as_str().unwrap().starts_with("tc_"));
    assert!(
        no(&["key", "create", "--operator", "--name", "x", "--scopes", "*:read"])
            .contains("of a workspace only")
    );

    let lines: Vec<Value> = ok(&["audit", "export", "--workspace", id]).lines().map(json).collect();
    let (rows, signed): (Vec<Value>, Vec<Value>) =
        lines.into_iter().partition(|line| line.get("checkpoint").is_none());
    assert_eq!((signed.len(), &signed[0]["checkpoint"]["seq"]), (1, &Value::from(4)));
    let mut actions: Vec<&str> = rows.iter().map(|row| row["action"].as_str().unwrap()).collect();
    // Rows of the same commit have no order.
    actions.sort_unstable();
    assert_eq!(actions, ["keys.create", "members.add", "members.add", "workspaces.create"]);
    assert!(rows.iter().all(|row| row["kind"] == "admin" && row["surface"] == "cli"));
    assert!(!rows.iter().any(|row| row.to_string().contains("tc_")), "no secret is audited");
    assert_eq!(ok(&["audit", "tail", "--workspace", id, "--rows", "2"]).lines().count(), 2);
    assert_eq!(ok(&["audit", "export", "--workspace", id, "--to", "2020-01-01T00:00:00Z"]), "");
}

/// Runs the command in the database of the demo.
async fn a_key_is_made_for_an_agent_in_a_mission(owner: &Api, agent: &Value, place: &[&str]) {
    let goal = serde_json::json!({ "goal": "count the jars" });
    let made = owner.post("/v1/actions/platform_create_mission", &goal, 200).await;
    let mission = made["data"]["id"].as_str().unwrap();
    let text = |name: &str| agent[name].as_str().unwrap();
    let (workspace, runs_as) = (owner.workspace.to_string(), text("runs_as"));
    let create =
        ["key", "create", "--workspace", &workspace, "--name", "counter", "--scopes", "missions:read"];
    let holder = ["--kind", "agent", "--agent", text("agent_id"), "--runs-as", runs_as, "--mission", mission];
    done(&[&create[..], &holder, place].concat());
    let keys = owner.get("/v1/keys?limit=100").await;
    let mut keys = keys["items"].as_array().unwrap().iter();
    assert_eq!(keys.find(|key| key["name"] == "counter").unwrap()["mission"], mission);
}

/// What an operation refuses, its command refuses too.
#[both_databases]
#[expect(clippy::unused_async, reason = "the attribute calls every test alike")]
async fn the_command_line_takes_no_more_than_the_api(db: TestDb) {
    let (url, folder) = (db.url(), folder());
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let place = ["--database", &url, "--data-dir", &data];
    let made = json(&done(&[&["workspace", "create", "Shop"], &place[..]].concat()));
    let id = made["id"].as_str().unwrap();
    let (long, hidden) = ("x".repeat(201), "Ann\u{202e}");
    let member = ["member", "add", "--workspace", id, "--role", "viewer", "--user"];
    let key = ["key", "create", "--workspace", id, "--scopes", "*:read", "--name"];
    let operator = ["key", "create", "--operator", "--scopes", "workspaces:create", "--name"];
    let scopes = ["key", "create", "--workspace", id, "--name", "x", "--scopes"];
    let agent = ["--kind", "agent", "--agent", "bot", "--runs-as", id];
    let create = ["workspace", "create"];
    let wrong: [(&[&str], &[&str], &str); 10] = [
        (&scopes, &["nope:read"], "`nope:read` names no resource"),
        (&[&scopes[..], &["approvals:relay"]].concat(), &agent, "is for service keys"),
        (&member, &[""], "`subject` must not be empty"),
        (&member, &[hidden], "`subject` must not contain"),
        (&key, &[long.as_str()], "`name` must have at most 200 characters"),
        (&operator, &[long.as_str()], "`name` must have at most 200 characters"),
        (&create, &[" "], "`name` must not be empty"),
        (&create, &["x", "--external-id", id], "`external_id` must not be a UUID"),
        (&create, &["x", "--external-id", hidden], "`external_id` must not contain"),
        (&create, &["x", "--owner", ""], "`owner/subject` must not be empty"),
    ];
    for (command, arguments, told) in wrong {
        let text = refused(&[command, arguments, &place].concat(), 2);
        assert!(text.contains(told) && !text.contains(hidden), "{text}");
    }
}

/// A name may have been stored before its characters were checked.
#[both_databases]
async fn the_list_of_workspaces_has_a_line_each(db: TestDb) {
    let (url, folder) = (db.url(), folder());
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let place = ["--database", &url, "--data-dir", &data];
    done(&[&["workspace", "create", "Shop"], &place[..]].concat());
    let character = if db.kind() == "sqlite" { "char" } else { "chr" };
    let names = format!("name = 'A' || {character}(10), external_id = {character}(27) || '[2J'");
    db.raw_sql(&format!("UPDATE workspaces SET {names}")).await;
    let listed = done(&[&["workspace", "list"], &place[..]].concat());
    assert!(listed.ends_with(" A\\u{a} (\\u{1b}[2J)\n"), "{listed}");
}

#[test]
fn a_token_is_minted_with_the_key_of_the_folder() {
    let folder = folder();
    let data = folder.path().to_str().unwrap();
    let token = done(&["token", "mint", "--user", "somebody", "--ttl", "2h", "--data-dir", data]);
    assert_eq!(token.trim().split('.').count(), 3);
    assert!(folder.path().join("issuer.pem").exists());
    let provider = ["--jwks-url", "https://x.test", "--issuer", "x", "--audience", "y", "--data-dir", data];
    let text = refused(&[&["token", "mint", "--user", "somebody"], &provider[..]].concat(), 2);
    assert!(text.contains("identity provider"), "{text}");
}

#[both_databases]
async fn the_log_of_a_deleted_workspace_is_read_on_the_command_line(db: TestDb) {
    let (url, folder) = (db.url(), folder());
    let server = Server::start(folder.path(), &["--demo", "--database", &url]);
    let workspace = demo(folder.path())["workspaces"][0].take();
    let text = |pointer: &str| workspace.pointer(pointer).unwrap().as_str().unwrap().to_owned();
    let (id, name) = (text("/id"), text("/name"));
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let place = ["--database", &url, "--data-dir", &data];
    let owner = Api::new(&reqwest::Client::new(), &server, folder.path(), "owner");
    a_key_is_made_for_an_agent_in_a_mission(&owner, &workspace["agent"], &place).await;
    let name = serde_json::json!({ "name": name });
    owner.ok("DELETE", &format!("/v1/workspaces/{id}"), Some(&name), 200).await;
    assert_eq!(server.stop(), Some(0));

    let ok = |args: &[&str]| done(&[args, &place].concat());
    let listed = ok(&["workspace", "list"]);
    let line = listed.lines().find(|line| line.starts_with(&id)).unwrap();
    assert!(line.contains(", deleted "), "{line}");
    // A worker may write a row after the deletion: that of a confirmation that nobody decided in time.
    let tail = ok(&["audit", "tail", "--workspace", &id, "--rows", "5"]);
    assert!(tail.contains(" workspaces.delete "), "{tail}");
    let export = ok(&["audit", "export", "--workspace", &id]);
    assert_eq!(export.matches("\"action\":\"workspaces.delete\"").count(), 1);
    assert!(ok(&["audit", "verify", "--workspace", &id]).contains("intact"));
    let never = ["audit", "tail", "--workspace", "01999999-0000-7000-8000-000000000000"];
    assert!(refused(&[&never[..], &place].concat(), 2).contains("never was"));
}
