//! `tools/list` is the tool list of the HTTP API, for every role.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, NEW, OLD};

fn names(tools: &Value) -> Vec<&str> {
    tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[both_databases]
async fn the_list_is_that_of_the_api(db: TestDb) {
    let app = App::new(db).await;
    for role in Role::ALL {
        let caller = app.as_role(role);
        let api = caller.api("GET", "/v1/tools?format=mcp", Value::Null, 200).await;
        let list = caller.ask("tools/list", json!({})).await.result();
        assert_eq!(list["tools"], api["tools"], "{role}");
        assert_eq!((&list["ttlMs"], &list["cacheScope"]), (&json!(60_000), &json!("private")));
        assert_eq!(list["resultType"], "complete");
        let old = caller.ask_old("tools/list", json!({})).await.result();
        assert_eq!(old["tools"], api["tools"], "{role}");
        assert_eq!(old.get("resultType"), None);
    }
    let mission = app.owner().with("X-Mission-Id", "01890a5d-ac96-774b-bcce-b302099a8057");
    let list = mission.ask("tools/list", json!({})).await.result();
    assert_ne!(list, app.owner().ask("tools/list", json!({})).await.result());
    assert_eq!(list["tools"], mission.api("GET", "/v1/tools?format=mcp", Value::Null, 200).await["tools"]);
    let viewer = app.as_role(Role::Viewer).ask("tools/list", json!({})).await.result();
    assert!(names(&viewer["tools"]).contains(&"platform_list_agents"), "{viewer}");
    assert!(!viewer.to_string().contains("platform_create_agent"));
    let owner = app.owner().ask("tools/list", json!({})).await.result();
    assert_eq!(names(&owner["tools"]).len(), 17);
    app.owner().ask("tools/list", json!({"cursor": "x"})).await.error(-32_602);
}

#[both_databases]
async fn exactly_the_listed_tools_may_be_called(db: TestDb) {
    let app = App::new(db).await;
    for role in Role::ALL {
        let caller = app.as_role(role);
        let all = caller.api("GET", "/v1/tools?format=mcp&strategy=all", Value::Null, 200).await;
        let allowed: Vec<String> = names(&all["tools"]).into_iter().map(str::to_owned).collect();
        let every = app.owner().api("GET", "/v1/tools?format=mcp&strategy=all", Value::Null, 200).await;
        for name in names(&every["tools"]) {
            // No action has this argument. A caller who may call the action gets an error about it; another
            // caller is denied.
            let params = json!({"name": name, "arguments": {"no_such_argument": true}});
            let reply = caller.ask("tools/call", params).await;
            let result = reply.result();
            assert_eq!(result["isError"], true, "{name}");
            let denied = result.to_string().contains("permission_denied");
            assert_eq!(denied, !allowed.iter().any(|known| known == name), "{role} {name}: {result}");
        }
    }
}

#[both_databases]
async fn what_is_not_declared_is_refused(db: TestDb) {
    let app = App::new(db).await;
    let completed =
        json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}});
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "x"})),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "file:///etc/passwd"})),
        ("resources/subscribe", json!({"uri": "file:///etc/passwd"})),
        ("resources/unsubscribe", json!({"uri": "file:///etc/passwd"})),
        ("completion/complete", completed),
        ("logging/setLevel", json!({"level": "debug"})),
        ("no/such", json!({})),
    ] {
        app.owner().ask(method, params.clone()).await.error(-32_601);
        app.owner().ask_old(method, params).await.error(-32_601);
    }
}

#[both_databases]
async fn discovery_describes_the_server(db: TestDb) {
    let app = App::new(db).await;
    let found = app.owner().ask("server/discover", json!({})).await.result();
    let versions: Vec<&str> =
        found["supportedVersions"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    assert!(versions.contains(&NEW) && versions.contains(&OLD), "{found}");
    assert!(!versions.contains(&"2025-03-26"), "its clients may send batches: {found}");
    assert_eq!(found["capabilities"], json!({"tools": {}}));
    assert_eq!(found["cacheScope"], "private");
    let hello =
        json!({"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    let hello = app.owner().ask_old("initialize", hello).await;
    assert_eq!(hello.header("mcp-session-id"), "", "there are no sessions");
    let hello = hello.result();
    assert_eq!((&hello["protocolVersion"], &hello["serverInfo"]["name"]), (&json!(OLD), &json!("toolcrib")));
    assert!(hello["instructions"].as_str().unwrap().contains("platform_find_tools"));
    assert_eq!(app.owner().ask_old("ping", json!({})).await.result(), json!({}));
}
