//! Actions that name their callers: every combination of caller type and name, as called, listed and
//! reported.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_engine::{Action, ActionError, ReadAction, ReadCx};
use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, Category, Permission, Spec};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

macro_rules! actions {
    ($($type:ident $name:literal $rule:expr;)*) => {
        $(
            struct $type;
            impl ReadAction for $type {
                type Input = Nothing;
                type Output = Nothing;

                fn spec() -> Spec { Spec::read($name, Category::Agents, Permission::AGENTS_READ)
                    .describe(concat!("Answers whom it names: ", $name, "."))
                    .accessible_by($rule)}
                async fn run(&self, _: &mut ReadCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
                    Ok(Nothing {})
                }
                fn describe(_: &Nothing, _: &Nothing) -> String {
                    "Answered".into()
                }
            }
        )*
        const NAMES: [&str; 7] = [$($name),*];
        fn actions() -> Vec<Action> {
            vec![$(Action::read($type)),*]
        }
    };
}

actions! {
    ForType "platform_get_for_type" AccessibleBy::only(&["mission"], &[]);
    ForName "platform_get_for_name" AccessibleBy::only(&[], &["chosen"]);
    ForBoth "platform_get_for_both" AccessibleBy::only(&["mission"], &["chosen"]);
    ForNobody "platform_get_for_nobody" AccessibleBy::only(&[], &[]);
    ForAll "platform_get_for_all" AccessibleBy::Everyone;
    NameLikeType "platform_get_name_like_type" AccessibleBy::only(&[], &["mission"]);
    TypeLikeName "platform_get_type_like_name" AccessibleBy::only(&["chosen"], &[]);
}

/// The agent's name (`None` for a person), the caller type, and which actions of [`NAMES`] the caller may
/// call.
type Row = (Option<&'static str>, &'static str, [u8; 7]);

const TABLE: [Row; 8] = [
    (None, "api", [0, 0, 0, 0, 1, 0, 0]),
    (None, "channel", [0, 0, 0, 0, 1, 0, 0]),
    (Some("Other"), "mission", [1, 0, 1, 0, 1, 0, 0]),
    (Some("Other"), "playbook", [0, 0, 0, 0, 1, 0, 0]),
    (Some("Chosen"), "mission", [1, 1, 1, 0, 1, 0, 0]),
    (Some("Chosen"), "playbook", [0, 1, 1, 0, 1, 0, 0]),
    // An agent whose name is a caller type does not get that type's actions, and the other way round.
    (Some("Mission"), "playbook", [0, 0, 0, 0, 1, 1, 0]),
    (Some("Mission"), "mission", [1, 0, 1, 0, 1, 1, 0]),
];

/// Creates an agent and a key for it. Returns its id, slug and key.
async fn agent(app: &App, name: &str) -> (String, String, String) {
    let admin = app.as_role(Role::Admin);
    let made = admin.run("create_agent", json!({ "name": name })).await.ok(200);
    let editor = app.as_role(Role::Editor).get("/v1/me").await.ok(200)["user"]["user_id"].take();
    let key = json!({
        "name": name, "agent": made["data"]["id"], "runs_as": editor, "scopes": ["*:read"],
        "caller_types": ["mission", "playbook"],
    });
    let key = app.new_key(key).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let key = text(&key["secret"]);
    let me = app.owner().bearer(&key);
    let me = me.get("/v1/me").await.ok(200);
    (text(&made["data"]["id"]), text(&me["principal"]["name"]), key)
}

/// Whether each action runs for this caller. Checks that the dispatcher and the caller's list agree.
async fn called(caller: &Client<'_>) -> [u8; 7] {
    let listed = caller.get("/v1/actions?limit=100").await.ok(200);
    let listed: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    let mut may = [0; 7];
    for (may, name) in may.iter_mut().zip(NAMES) {
        let straight = caller.post(&format!("/v1/actions/{name}"), json!({})).await;
        let dispatched = json!({ "action": name, "params": {} });
        let dispatched = caller.post("/v1/actions/platform_execute", dispatched).await;
        let status = straight.status.as_u16();
        assert_eq!(dispatched.status.as_u16(), status, "{name}: {}", dispatched.text);
        if status != 200 {
            straight.problem(403, "permission_denied");
        }
        assert_eq!(listed.contains(&name), status == 200, "{name} in the list");
        *may = u8::from(status == 200);
    }
    may
}

/// The same from an admin's access report. Checks that the report's totals agree with its items.
async fn reported(app: &App, (name, kind): (Option<&str>, &str)) -> ([u8; 7], Value) {
    let named = name.map(|name| format!("&caller_name={name}")).unwrap_or_default();
    let path = format!("/v1/access/report?role=editor&caller_type={kind}{named}");
    let report = app.owner().get(&path).await.ok(200);
    let items = report["items"].as_array().unwrap();
    let allowed = items.iter().filter(|item| item["allowed"] == true).count();
    assert_eq!((&report["total"], &report["accessible"]), (&json!(items.len()), &json!(allowed)), "{path}");
    assert_eq!(report["denied"], json!(items.len() - allowed), "{path}");
    for column in ["total", "accessible", "denied"] {
        let sum: u64 =
            report["by_category"].as_array().unwrap().iter().map(|row| row[column].as_u64().unwrap()).sum();
        assert_eq!(json!(sum), report[column], "{column} by category, {path}");
    }
    let may = NAMES.map(|name| {
        let item = items.iter().find(|item| item["action"] == name).unwrap();
        let denied = if item["allowed"] == true { Value::Null } else { json!("accessible_by") };
        assert_eq!((&item["reason"], item["explanation"].is_null()), (&denied, denied.is_null()), "{item}");
        u8::from(item["allowed"] == true)
    });
    (may, report)
}

#[both_databases]
async fn a_type_or_a_name_lets_pass_and_nothing_else_does(db: TestDb) {
    let app = App::also(db, actions()).await;
    let mut agents = Vec::new();
    for name in ["Other", "Chosen", "Mission"] {
        agents.push((name, agent(&app, name).await));
    }
    let mut cells = 0;
    for (name, kind, expected) in TABLE {
        let known = name.map(|name| &agents.iter().find(|(known, _)| *known == name).unwrap().1);
        let caller = match known {
            None => app.as_role(Role::Editor),
            Some((_, _, key)) => app.owner().bearer(key),
        };
        let slug = known.map(|(_, slug, _)| slug.as_str());
        assert_eq!(called(&caller.with("X-Caller-Type", kind)).await, expected, "{name:?} as {kind}");
        let (may, report) = reported(&app, (slug, kind)).await;
        assert_eq!(may, expected, "{slug:?} as {kind}");
        let named = slug.map(|slug| format!(", named `{slug}`")).unwrap_or_default();
        assert_eq!(report["title"], format!("Access of `editor` calling as `{kind}`{named}"));
        cells += NAMES.len();
    }
    println!("{}: {cells} cells, each called twice, listed and reported alike", app.db.kind());

    // Nobody may call as a disabled agent. Its name stays taken and has its rights again when the agent is
    // enabled.
    let (id, _, key) = &agents[1].1;
    let chosen = app.owner().bearer(key);
    for (status, expected) in [("inactive", None), ("active", Some(TABLE[4].2))] {
        app.owner().run("update_agent", json!({ "agent": id, "status": status })).await.ok(200);
        if let Some(expected) = expected {
            assert_eq!(called(&chosen).await, expected);
            continue;
        }
        for name in NAMES {
            chosen.post(&format!("/v1/actions/{name}"), json!({})).await.problem(403, "permission_denied");
        }
        app.owner().run("create_agent", json!({ "name": "chosen" })).await.problem(409, "conflict");
    }
}

#[both_databases]
async fn an_explanation_names_the_rule(db: TestDb) {
    let app = App::also(db, actions()).await;
    for (name, allowed, says) in [
        (
            "platform_get_for_type",
            false,
            "it is for callers of the type `mission`; a caller of the type `api` is not among them",
        ),
        (
            "platform_get_for_name",
            false,
            "it is for callers of the name `chosen`; a caller of the type `api` is not among them",
        ),
        (
            "platform_get_for_both",
            false,
            "it is for callers of the type `mission` or the name `chosen`; \
             a caller of the type `api` is not among them",
        ),
        ("platform_get_for_nobody", false, "it is for nobody; a caller of the type `api` is not among them"),
        ("platform_get_for_all", true, "it is for callers of every type"),
    ] {
        let told = app.owner().get(&format!("/v1/access/explain?action={name}")).await.ok(200);
        assert_eq!(told["allowed"], allowed, "{told}");
        let factors = told["factors"].as_array().unwrap();
        let rule = factors.iter().find(|factor| factor["rule"] == "accessible_by").unwrap();
        assert_eq!((&rule["passed"], &rule["explanation"]), (&json!(allowed), &json!(says)));
        assert_eq!(told["reason"], if allowed { Value::Null } else { json!("accessible_by") });
    }
    let (_, report) = reported(&app, (Some("other"), "mission")).await;
    let item =
        report["items"].as_array().unwrap().iter().find(|item| item["action"] == "platform_get_for_name");
    assert_eq!(
        item.unwrap()["explanation"],
        "it is for callers of the name `chosen`; a caller of the type `mission` named `other` is not among \
         them"
    );
    let markdown = "/v1/access/report?role=editor&caller_type=mission&caller_name=chosen&format=markdown";
    let reply = app.owner().get(markdown).await;
    assert_eq!(reply.header("content-type"), "text/markdown; charset=utf-8");
    let text = reply.text;
    assert!(text.starts_with("# Access of `editor` calling as `mission`, named `chosen`\n"), "{text}");
    assert!(text.contains("- `platform_get_for_name` (read): accessible"), "{text}");
    assert!(text.contains("- `platform_get_for_nobody` (read): denied, it is for nobody"), "{text}");

    // A person is not a caller of these types or names, whatever their role.
    let matrix = app.owner().get("/v1/access/matrix").await.ok(200);
    for name in NAMES {
        let row = matrix["items"].as_array().unwrap().iter().find(|row| row["action"] == name).unwrap();
        let may = name == "platform_get_for_all";
        assert_eq!(
            row["roles"],
            json!({"viewer": may, "member": may, "editor": may, "admin": may, "owner": may}),
            "{row}"
        );
    }
    for bad in ["caller_type=missions", "role=king", "caller_name="] {
        app.owner().get(&format!("/v1/access/report?{bad}")).await.problem(422, "invalid_arguments");
    }
}

#[both_databases]
async fn a_name_that_actions_name_is_an_admins_to_give(db: TestDb) {
    let app = App::also(db, actions()).await;
    let editor = app.as_role(Role::Editor);
    for name in ["Chosen", "chosen", " CHOSEN!"] {
        let refused =
            editor.run("create_agent", json!({ "name": name })).await.problem(403, "permission_denied");
        assert!(refused["detail"].as_str().unwrap().starts_with("the name `"), "{refused}");
    }
    // A name that is similar gets another slug, to which no action is granted.
    editor.run("create_agent", json!({ "name": "Chosen one" })).await.ok(200);
    let (id, slug, _) = agent(&app, "Chosen").await;
    assert_eq!(slug, "chosen");
    // An agent keeps its slug, so a new name does not free it.
    editor.run("update_agent", json!({ "agent": id, "name": "Somebody" })).await.ok(200);
    app.owner().run("create_agent", json!({ "name": "Chosen" })).await.problem(409, "conflict");
    // An agent in another workspace may have the same slug.
    app.as_role_b(Role::Owner).run("create_agent", json!({ "name": "Chosen" })).await.ok(200);
}
