//! `GET /v1/access/tools` shows what such a caller gets from `GET /v1/tools`, to those who may read the audit
//! log.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib_model::{CallerType, Role};
use toolcrib_registry::Format;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

const STRATEGIES: [&str; 5] = ["full", "filtered", "dispatcher_only", "all", "none"];

/// A tool for everyone that is promoted, one for channels, and one for an agent.
fn desk() -> Value {
    let tool = |name: &str, level: &str, who: Value| {
        json!({
            "name": name, "description": "One ticket with its messages.", "permission_level": level,
            "accessible_by": who, "promoted": level == "read", "client": {},
            "parameters": {"required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}}},
        })
    };
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [
            tool("get_ticket", "read", json!("everyone")),
            tool("take_ticket", "write", json!({ "types": ["channel"] })),
            tool("add_note", "write", json!({ "names": ["scout"] })),
        ],
    })
}

/// Workspace A with a toolset, and with own promotions for a caller type.
async fn app(db: TestDb) -> App {
    let app = App::new(db).await;
    app.owner().send("PUT", "/v1/toolsets/desk", desk()).await.ok(200);
    let promoted = json!({ "actions": ["platform_list_tasks", "desk__get_ticket"] });
    app.owner().send("PUT", "/v1/promotions/channel", promoted).await.ok(200);
    app
}

/// Compares the list of a caller with that which the owner is shown of such a caller. Returns its number of
/// tokens.
async fn compare(app: &App, caller: &Client<'_>, whom: &str, options: &str) -> u64 {
    app.clock.advance(1);
    let got = caller.get(&format!("/v1/tools?{options}")).await;
    let shown = app.owner().get(&format!("/v1/access/tools?{whom}&{options}")).await;
    assert_eq!((got.status.as_u16(), shown.status.as_u16()), (200, 200), "{whom} {options} {}", shown.text);
    assert!(shown.text.contains(&format!("\"list\":{},", got.text)), "{whom} {options}");
    assert_eq!(shown.body["bytes"], got.text.len(), "{whom} {options}");
    got.body["tokens"].as_u64().unwrap()
}

/// A service key that may act for each member and call as each caller type.
async fn chatbot(app: &App) -> Client<'_> {
    let scopes = ["*:*", "tools:*", "act_as"];
    let key = json!({"role": "viewer", "scopes": scopes, "caller_types": CallerType::BUILT_IN});
    let key = app.new_key(key).await;
    app.owner().bearer(key["secret"].as_str().unwrap())
}

#[both_databases]
async fn lists_of_others_are_shown(db: TestDb) {
    let app = app(db).await;
    a_list_is_that_of_such_a_caller(&app).await;
    the_other_options_count_too(&app).await;
    each_strategy_is_measured(&app).await;
    an_agents_list_is_its_own(&app).await;
    only_readers_of_the_audit_log_see_it(&app).await;
}

async fn a_list_is_that_of_such_a_caller(app: &App) {
    let (chatbot, mut sizes) = (chatbot(app).await, BTreeSet::new());
    for role in Role::ALL {
        let user = app.as_role(role).get("/v1/me").await.ok(200);
        let user = chatbot.with("X-On-Behalf-Of", user["user"]["user_id"].as_str().unwrap());
        compare(app, &app.as_role(role), &format!("role={role}"), "strategy=all").await;
        // Each role with each caller type and strategy. Formats and strict modes take turns.
        for (at, kind) in CallerType::BUILT_IN.iter().enumerate() {
            let caller = user.with("X-Caller-Type", kind);
            let whom = format!("role={role}&caller_type={kind}");
            for (also, strategy) in STRATEGIES.iter().enumerate() {
                let turn = 3 * at + also;
                let (format, strict) = (Format::ALL[turn % 5], ["off", "auto"][turn % 2]);
                let options = format!("format={format}&strategy={strategy}&strict={strict}");
                sizes.insert(compare(app, &caller, &whom, &options).await);
            }
        }
    }
    assert!(sizes.len() > 50, "the lists differ: {}", sizes.len());
}

async fn the_other_options_count_too(app: &App) {
    app.owner().run("create_agent", json!({ "name": "Churn digest" })).await.ok(200);
    let member = app.as_role(Role::Member);
    for options in [
        "strategy=filtered&query=pause%20the%20agent%20Churn%20digest",
        "strategy=filtered&query=hola",
        "detail=names",
        "format=anthropic&defer=true",
        "max_tokens=2000",
        "format=anthropic&strict=auto&max_tokens=2000",
    ] {
        compare(app, &member, "role=member", options).await;
    }
    let path = "/v1/access/tools?role=member&max_tokens=2000";
    assert_ne!(app.owner().get(path).await.ok(200)["list"]["left_out"], json!([]));
    let small = app.owner().get("/v1/access/tools?max_tokens=10").await.problem(422, "invalid_arguments");
    assert_eq!(small["errors"][0]["pointer"], "/max_tokens");
    app.owner().get("/v1/access/tools?caller_type=nobody").await.problem(422, "invalid_arguments");
    app.owner().get("/v1/access/tools?context=hello").await.problem(422, "invalid_arguments");
}

async fn each_strategy_is_measured(app: &App) {
    let viewer = app.as_role(Role::Viewer);
    for options in ["format=gemini&query=find%20an%20agent", "strategy=all&detail=names", "max_tokens=1400"] {
        let shown = app.owner().get(&format!("/v1/access/tools?role=viewer&{options}")).await.ok(200);
        let rows = shown["strategies"].as_array().unwrap();
        let of = |row: &Value| json!([row["strategy"], row["detail"]]);
        let chosen = if options.contains("names") { "names" } else { "signatures" };
        let expected = json!([
            ["full", "signatures"],
            ["full", "names"],
            ["filtered", chosen],
            ["dispatcher_only", chosen],
            ["all", chosen]
        ]);
        assert_eq!(Value::from(rows.iter().map(of).collect::<Vec<_>>()), expected);
        for row in rows {
            let others =
                options.split('&').filter(|one| !one.starts_with("strategy") && !one.starts_with("detail"));
            let asked = others.fold(
                format!("strategy={}&detail={}", row["strategy"], row["detail"]).replace('"', ""),
                |all, one| format!("{all}&{one}"),
            );
            let got = viewer.get(&format!("/v1/tools?{asked}")).await;
            if got.status.as_u16() == 422 {
                let (tokens, reason) = (&row["tokens"], &got.body["errors"][0]["message"]);
                assert_eq!((tokens, &row["tools"], &row["reason"]), (&Value::Null, &Value::Null, reason));
                continue;
            }
            let tools = got.body["tools"].as_array().unwrap();
            let count = match tools[0].get("functionDeclarations") {
                Some(functions) => functions.as_array().unwrap().len(),
                None => tools.len(),
            };
            let expected = (&got.body["tokens"], &json!(count), &Value::Null);
            assert_eq!((&row["tokens"], &row["tools"], &row["reason"]), expected, "{asked}");
        }
    }
}

async fn an_agents_list_is_its_own(app: &App) {
    let made = app.owner().run("create_agent", json!({ "name": "Scout" })).await.ok(200);
    let agent = made["data"]["id"].as_str().unwrap();
    let promoted = json!({ "actions": ["platform_list_agents"] });
    app.owner().send("PUT", &format!("/v1/promotions/{agent}"), promoted).await.ok(200);
    for (role, effective) in [(Role::Member, "member"), (Role::Owner, "editor")] {
        let user = app.as_role(role).get("/v1/me").await.ok(200)["user"]["user_id"].take();
        let key = json!({
            "name": format!("Scout of {role}"), "agent": agent, "runs_as": user,
            "scopes": ["*:*", "tools:*"], "caller_types": ["mission"],
        });
        let key = app.new_key(key).await;
        let scout = app.owner().bearer(key["secret"].as_str().unwrap());
        let whom = format!("role={role}&caller_type=mission&caller_name=scout");
        for strategy in STRATEGIES {
            compare(app, &scout, &whom, &format!("strategy={strategy}")).await;
        }
        let shown = app.owner().get(&format!("/v1/access/tools?{whom}&strategy=all")).await.ok(200);
        assert_eq!(shown["role"], effective);
        assert!(shown["list"]["tools"].to_string().contains("desk__add_note"), "for its name only");
    }
}

async fn only_readers_of_the_audit_log_see_it(app: &App) {
    for role in Role::ALL {
        let path = "/v1/access/tools?role=owner";
        let got = app.as_role(role).get(path).await;
        if role < Role::Admin {
            got.problem(403, "permission_denied");
            continue;
        }
        // An admin is shown an owner's list, as the access report shows an owner's actions.
        let shown = got.ok(200);
        assert_eq!(shown["list"], app.owner().get("/v1/tools").await.ok(200));
        let log = app.owner().get("/v1/audit?action=access.tools&limit=1").await.ok(200);
        assert_eq!(log["items"][0]["arguments"]["role"], "owner", "{log}");
    }
}
