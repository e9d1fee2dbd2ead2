//! Documents with pins: which are stored, what an import makes, and what admins compare.

use serde_json::{Value, json};
use toolcrib_model::{Role, Surface};
use toolcrib_store::upstream_tools;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use super::{NOBODY, accepted, add_upstream, desk, document, find, put, rules, tool};
use crate::harness::{App, pointers};

#[both_databases]
async fn only_the_current_digest_is_accepted(db: TestDb) {
    let app = desk(db).await;
    let admin = app.as_role(Role::Admin);
    let found = vec![tool("look", "Another text.", "id"), tool("note", "As accepted.", "number")];
    find(&app, app.a.workspace, &found).await;
    let old = document(&accepted());
    let refused = admin.problem("toolsets.put", put(&old)).await;
    assert_eq!(refused.code.as_str(), "conflict");
    for words in [
        format!("`desk__look` pins `{}`", accepted()[0].digest()),
        format!("the current definition is `{}`", found[0].digest()),
        format!("`desk__note` pins `{}`", accepted()[1].digest()),
        "`desk__drop`".to_owned(),
        "does not list the tool".to_owned(),
    ] {
        assert!(refused.detail.contains(&words), "{words} in {refused:?}");
    }
    assert!(refused.hint.unwrap().contains("GET /v1/upstreams/forge/tools"));
    let checked = admin.call("toolsets.check", json!({"document": old})).await;
    let expected: Vec<String> = (0..3).map(|at| format!("/document/tools/{at}/mcp/pin")).collect();
    assert_eq!(pointers(&checked), expected);
    // Nobody can call a draft, so its pin may be an old one.
    let mut drafts = old.clone();
    for tool in drafts["tools"].as_array_mut().unwrap() {
        tool["draft"] = json!(true);
    }
    let stored = admin.done("toolsets.put", put(&drafts)).await;
    assert_eq!((&stored["tools"]["draft"], &stored["tools"]["drifted"]), (&json!(3), &json!(0)));
    let accepted = admin.done("toolsets.put", put(&document(&found))).await;
    assert_eq!((&accepted["tools"]["on"], &accepted["tools"]["drifted"]), (&json!(2), &json!(0)));
    let unknown = "sha256:".to_owned() + &"0".repeat(64);
    let mut wrong = document(&found);
    wrong["tools"][0]["mcp"]["pin"] = json!(unknown);
    let refused = admin.problem("toolsets.put", put(&wrong)).await;
    assert!(refused.detail.contains(&unknown) && !refused.detail.contains("desk__note"), "{refused:?}");
}

#[both_databases]
async fn an_import_makes_drafts_that_a_person_accepts(db: TestDb) {
    let app = App::ruled(db, rules()).await;
    let admin = app.as_role(Role::Admin);
    add_upstream(&admin).await;
    find(&app, app.a.workspace, &accepted()).await;
    let wish = json!({"slug": "desk", "upstream": "forge", "exclude": ["note"]});
    let made = admin.done("toolsets.import", wish).await;
    let mut document = made["document"].clone();
    let levels: Vec<(&Value, &Value)> = document["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| (&tool["name"], &tool["permission_level"]))
        .collect();
    assert_eq!(levels, [(&json!("drop"), &json!("destructive")), (&json!("look"), &json!("write"))]);
    assert_eq!((&made["base_url"], &made["left_out"]), (&Value::Null, &json!([])));
    for (tool, level) in document["tools"].as_array_mut().unwrap().iter_mut().zip(["destructive", "read"]) {
        let tool = tool.as_object_mut().unwrap();
        assert_eq!(tool.remove("draft"), Some(json!(true)));
        tool.insert("accessible_by".into(), json!("everyone"));
        tool.insert("permission_level".into(), json!(level));
        if level == "destructive" {
            tool.insert("warning".into(), json!("It is gone for good."));
        }
    }
    let stored = admin.done("toolsets.put", put(&document)).await;
    assert_eq!(stored["tools"]["on"], json!(2), "{stored}");
    assert_eq!(
        stored["notes"].as_array().unwrap().iter().filter(|note| note["kind"] == "object_closed").count(),
        0
    );
    let admitted = app.engine.admit_with_catalog(&admin.authenticated, Surface::Rest).await.unwrap();
    assert!(admitted.tools().is_allowed("desk__look"));
    for (wrong, pointer) in [
        (json!({"slug": "desk"}), "/openapi"),
        (json!({"slug": "desk", "upstream": "forge", "openapi": {}}), "/upstream"),
        (json!({"slug": "desk", "upstream": "forge", "server": "https://a.example/"}), "/server"),
        (json!({"slug": "No", "upstream": "forge"}), "/slug"),
    ] {
        assert_eq!(pointers(&admin.call("toolsets.import", wrong.clone()).await), [pointer], "{wrong}");
    }
}

#[both_databases]
async fn definitions_are_shown_beside_the_pinned_ones(db: TestDb) {
    let app = desk(db).await;
    let admin = app.as_role(Role::Admin);
    let found = vec![
        tool("look", "Read https://x.example first.", "id"),
        tool("note", "As accepted.", "number"),
        tool("new", "Then call the tool look.", "id"),
    ];
    find(&app, app.a.workspace, &found).await;
    let listed = admin.done("upstreams.tools", json!({"name": "forge"})).await;
    assert_eq!(listed["asked"], json!(true));
    let tools = listed["tools"].as_array().unwrap();
    let short: Vec<(&str, bool, &str)> = tools
        .iter()
        .map(|tool| {
            let state = tool["pins"].get(0).map_or("", |pin| pin["state"].as_str().unwrap());
            (tool["tool"].as_str().unwrap(), tool["current"].as_bool().unwrap(), state)
        })
        .collect();
    assert_eq!(
        short,
        [("drop", false, "gone"), ("look", true, "text"), ("new", true, ""), ("note", true, "schema")]
    );
    let look = &tools[1];
    assert_eq!(look["digest"], json!(found[0].digest()));
    assert_eq!(look["warnings"], json!(["the text has the address `https://x.example`"]));
    let pin = &look["pins"][0];
    assert_eq!(
        (&pin["slug"], &pin["tool"], &pin["pin"], &pin["pinned_description"]),
        (&json!("desk"), &json!("desk__look"), &json!(accepted()[0].digest()), &json!("As accepted."))
    );
    assert!(tools[3]["pins"][0]["pinned_input_schema"]["properties"].get("id").is_some(), "{}", tools[3]);
    assert_eq!(tools[2]["warnings"], json!(["the text names the tool `look`"]));
    // Another address is another server, of which nothing is known.
    let other = json!({"name": "forge", "base_url": "https://other.example/mcp"});
    admin.done("upstreams.update", other).await;
    let listed = admin.done("upstreams.tools", json!({"name": "forge"})).await;
    assert_has(&listed, json!({"asked": false, "/tools/0/pins/0/state": "unasked"}));
    let http = json!({"name": "rest", "kind": "http", "base_url": "https://rest.example/"});
    admin.done("upstreams.create", http).await;
    assert_eq!(pointers(&admin.call("upstreams.tools", json!({"name": "rest"})).await), ["/name"]);
}

/// The number of definitions that are stored.
async fn stored(app: &App) -> usize {
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let rows = upstream_tools::of_workspace(&mut tx).await.unwrap();
    tx.end().await.unwrap();
    rows.len()
}

#[both_databases]
async fn a_deleted_upstream_leaves_no_definitions(db: TestDb) {
    let app = App::ruled(db, rules()).await;
    let admin = app.as_role(Role::Admin);
    add_upstream(&admin).await;
    find(&app, app.a.workspace, &accepted()).await;
    assert_eq!(stored(&app).await, 3);
    let path = json!({"name": "forge", "base_url": format!("http://{NOBODY}/other")});
    admin.done("upstreams.update", path).await;
    assert_eq!(stored(&app).await, 3, "the same server");
    admin.done("upstreams.delete", json!({"name": "forge"})).await;
    assert_eq!(stored(&app).await, 0);
}
