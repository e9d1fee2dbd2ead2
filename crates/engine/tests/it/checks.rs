//! Checks of a call: what would happen if it were made.

use serde_json::{Value, json};
use toolcrib_engine::{Arguments, CallRequest};
use toolcrib_model::{ErrorCode, Role, Surface};
use toolcrib_registry::{ActionKind, ConfirmationLevel};
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace};

use crate::things::app;

#[both_databases]
async fn a_check_shows_the_remaining_limit_and_spends_nothing(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 10).await;
    let left = async || app.owner().check("create_thing", json!({"name": "x"})).await.limit_remaining;
    assert_eq!((left().await, left().await), (Some(10), Some(10)));
    app.owner().done("create_thing", json!({"name": "x"})).await;
    assert_eq!(left().await, Some(9));
}

#[both_databases]
async fn a_check_is_answered_as_a_call_would_be(db: TestDb) {
    let app = app(db).await;
    a_denied_check_does_not_look_at_the_arguments(&app).await;
    a_check_names_what_is_wrong_with_the_arguments(&app).await;
    an_internal_error_is_no_result_of_a_check(&app).await;
}

async fn a_denied_check_does_not_look_at_the_arguments(app: &App) {
    let viewer = app.as_role(Role::Viewer);
    for (action, level) in
        [("create_thing", ConfirmationLevel::None), ("delete_thing", ConfirmationLevel::Typed)]
    {
        let view = viewer.check(action, json!({"nam": 7, "dangerous": true})).await;
        assert!(!view.allowed && view.reason.unwrap().contains("your role is `viewer`"), "{action}");
        let asks = level != ConfirmationLevel::None;
        assert_eq!((view.requires_confirmation, view.confirmation_level), (asks, level), "{action}");
        assert_eq!((view.errors.len(), view.summary.len(), view.limit_remaining), (0, 0, None), "{action}");
    }
}

async fn a_check_names_what_is_wrong_with_the_arguments(app: &App) {
    let wrong = async |action: &str, arguments: Value| {
        let view = app.owner().check(action, arguments).await;
        assert!(!view.allowed && view.granted_by.is_none());
        let [error] = view.errors.as_slice() else { panic!("{:?}", view.errors) };
        (error.pointer.clone(), error.code.clone(), view.reason.unwrap())
    };
    let (pointer, code, reason) = wrong("create_thing", json!({"name": 7})).await;
    assert_eq!((pointer.as_str(), code.as_str(), reason.starts_with("`name` ")), ("/name", "type", true));
    // An error that only the database's rows can show is about no parameter.
    let (pointer, code, reason) = wrong("picky_thing", json!({"name": "missing"})).await;
    assert_eq!((pointer.as_str(), code.as_str()), ("", "not_found"));
    assert_eq!(reason, "there is no thing `missing` in this workspace");
}

async fn an_internal_error_is_no_result_of_a_check(app: &App) {
    let request = CallRequest {
        authenticated: app.owner().authenticated,
        offers: ActionKind::Tool,
        name: "platform_picky_thing".into(),
        arguments: Arguments::Json(json!({"name": "broken"})),
        surface: Surface::Rest,
        idempotency_key: None,
        tool_call: None,
        request_id: "test".into(),
        trace_id: None,
    };
    assert_eq!(app.engine.check(&request).await.unwrap_err().code, ErrorCode::Internal);
}
