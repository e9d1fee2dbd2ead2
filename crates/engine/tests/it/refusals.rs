//! What the audit log says about calls that were refused and about calls that ran, word for word.

use serde_json::{Value, json};
use toolcrib_engine::{Arguments, CallResponse, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{App, Person, TestDb, both_databases};

use crate::{
    people::{notified, row_of},
    things::app,
};

/// Code of the response, then decision, reason, outcome, error code and target of its audit row.
async fn told(app: &App, answer: CallResponse) -> [String; 6] {
    let code = match &answer.outcome {
        Outcome::Refused(problem) => problem.code.as_str(),
        Outcome::Completed(_) => "done",
        Outcome::Waiting(_) | Outcome::ToRun(_) => "waiting",
    };
    let row = row_of(app, &answer).await.unwrap_or_else(|| panic!("no row for {answer:?}"));
    let word = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    [code.to_owned(), row.decision, word(row.reason), row.outcome, word(row.error_code), word(row.target)]
}

async fn check(app: &App, person: &Person<'_>, action: &str, arguments: Value, expected: [&str; 6]) {
    app.clock.advance(10_000_000);
    let answer = person.call(action, arguments.clone()).await;
    assert_eq!(told(app, answer).await, expected, "{action} {arguments}");
}

#[both_databases]
async fn refusals_and_calls_are_told(db: TestDb) {
    let app = app(db).await;
    the_audit_row_of_a_refusal_names_gate_and_target(&app).await;
    the_audit_row_of_a_call_names_its_target(&app).await;
    a_corrected_call_uses_the_same_tool(&app).await;
    a_check_names_the_target_as_people_know_it(&app).await;
    a_row_keeps_the_most_of_long_arguments(&app).await;
    a_named_mission_must_be_in_the_workspace(&app).await;
}

async fn the_audit_row_of_a_refusal_names_gate_and_target(app: &App) {
    let (owner, editor) = (app.owner(), app.as_role(Role::Editor));
    let invalid = |code, reason| [code, "invalid", reason, "not_run", code, "-"];
    let denied = |reason| ["permission_denied", "denied", reason, "not_run", "permission_denied", "-"];
    check(app, &owner, "no_such", json!({}), invalid("unknown_action", "unknown_action")).await;
    check(app, &owner, "execute", json!({"params": {}}), invalid("invalid_arguments", "dispatcher")).await;
    let likely = json!({"action": "platform_create_thign", "params": {"name": "x"}});
    check(app, &owner.as_model("m1"), "execute", likely, invalid("unknown_action", "unknown_action")).await;
    check(app, &app.as_role(Role::Viewer), "create_thing", json!({}), denied("role")).await;
    check(app, &editor, "poke", json!({"name": "x"}), denied("role")).await;
    check(app, &owner, "mission_thing", json!({"name": "x"}), denied("accessible_by")).await;
    check(app, &owner, "create_thing", json!({"name": 7}), invalid("invalid_arguments", "arguments")).await;
    check(app, &editor, "guarded_thing", json!({"name": "x", "dangerous": true}), denied("parameter")).await;
    for (name, code, decision, reason) in [
        ("missing", "not_found", "invalid", "not_found"),
        ("foreign", "permission_denied", "denied", "rights"),
        ("scoped", "insufficient_scope", "denied", "rights"),
        ("taken", "conflict", "invalid", "arguments"),
    ] {
        check(
            app,
            &owner,
            "picky_thing",
            json!({"name": name}),
            [code, decision, reason, "not_run", code, "-"],
        )
        .await;
    }
    // An internal error is not a refusal and has no audit row.
    let broken = owner.call("picky_thing", json!({"name": "broken"})).await;
    assert_eq!(broken.status(), 500);
    assert!(row_of(app, &broken).await.is_none());
}

async fn the_audit_row_of_a_call_names_its_target(app: &App) {
    let ran = |target| ["done", "auto_allowed", "-", "succeeded", "-", target];
    check(app, &app.owner(), "picky_thing", json!({"name": "x"}), ran("thing `x`")).await;
    check(app, &app.owner(), "picky_thing", json!({"name": "unnamed"}), ran("-")).await;
    let asks = ["waiting", "confirmation_required", "confirmation", "not_run", "-", "thing `x`"];
    check(app, &app.owner(), "delete_thing", json!({"name": "x"}), asks).await;
}

async fn a_corrected_call_uses_the_same_tool(app: &App) {
    let mended = async |action: &str, arguments: Value| {
        app.owner().as_model("m").problem(action, arguments).await.call.unwrap().to_string()
    };
    let direct = mended("picky_thing", json!({"naem": "x"})).await;
    let dispatched = mended("execute", json!({"action": "picky_thing", "params": {"naem": "x"}})).await;
    assert!(!direct.contains("platform_execute"), "{direct}");
    assert!(dispatched.contains("platform_execute"), "{dispatched}");
}

async fn a_check_names_the_target_as_people_know_it(app: &App) {
    let summary = app.owner().check("picky_thing", json!({"name": "five"})).await.summary;
    assert_eq!((summary[0].label.as_str(), summary[0].value.as_str()), ("name", "Five"));
}

#[both_databases]
async fn parameters_have_permissions_of_their_own(db: TestDb) {
    let app = app(db).await;
    let editor = app.as_role(Role::Editor);
    editor.done("guarded_thing", json!({"name": "a"})).await;
    editor.done("guarded_thing", json!({"name": "b", "dangerous": false})).await;
    for (arguments, parameter, permission) in [
        (json!({"name": "c", "dangerous": true}), "dangerous", "agents:delete"),
        (json!({"name": "c", "password": "x"}), "password", "settings:manage"),
    ] {
        let problem = editor.problem("guarded_thing", arguments.clone()).await;
        assert_eq!(
            problem.detail,
            format!("the parameter `{parameter}` needs the permission `{permission}`")
        );
        assert_eq!(problem.hint.unwrap(), format!("omit `{parameter}`, or ask a workspace admin"));
        let checked = editor.check("guarded_thing", arguments.clone()).await;
        assert_eq!(checked.errors, problem.errors);
        assert_eq!(checked.errors[0].pointer, format!("/{parameter}"));
        app.clock.advance(60_000_000);
        app.as_role(Role::Admin)
            .done("guarded_thing", json!({"name": parameter, parameter: arguments[parameter]}))
            .await;
    }
}

async fn a_row_keeps_the_most_of_long_arguments(app: &App) {
    let stored = async |name: String| {
        app.clock.advance(10_000_000);
        let answer = app.owner().call("get_thing", json!({"name": name})).await;
        let row = row_of(app, &answer).await.unwrap();
        serde_json::from_str::<Value>(&row.arguments).unwrap()["name"].as_str().unwrap().to_owned()
    };
    assert_eq!(stored("x".repeat(16_000)).await.len(), 16_000);
    let cut = stored("x".repeat(16_500)).await;
    assert_eq!((cut.chars().count(), cut.ends_with('…')), (256, true));
}

async fn a_named_mission_must_be_in_the_workspace(app: &App) {
    let mut authenticated = app.owner().authenticated;
    authenticated.requested.mission = Some(toolcrib_model::Id::from_u128(77).to_string());
    let person = app.as_identity(authenticated);
    let problem = person.problem("get_thing", json!({"name": "x"})).await;
    assert_eq!(problem.code.as_str(), "not_found");
    assert!(problem.hint.unwrap().contains("X-Mission-Id"));
    let request = person.request("get_thing", Arguments::Json(json!({"name": "x"})));
    assert_eq!(app.engine.check(&request).await.unwrap_err().detail, problem.detail, "a check says the same");
}

#[both_databases]
async fn actions_that_notify_admins_do_so_for_other_peoples_calls(db: TestDb) {
    let app = app(db).await;
    let told = async || {
        let items = notified(&app, app.a.admin).await;
        items.into_iter().map(|item| item.title).collect::<Vec<_>>()
    };
    app.as_role(Role::Editor).done("create_thing", json!({"name": "a"})).await;
    app.as_role(Role::Admin).done("picky_thing", json!({"name": "b"})).await;
    assert!(told().await.is_empty());
    app.as_role(Role::Editor).done("picky_thing", json!({"name": "c"})).await;
    assert_eq!(told().await, ["Picked `c`"]);
}
