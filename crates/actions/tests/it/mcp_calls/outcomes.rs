//! How a call ends, and what is recorded of it.

use std::time::Duration;

use serde_json::json;
use toolcrib_engine::Outcome;
use toolcrib_model::{ConfirmationStatus, ErrorCode, OpenCallState, Role};
use toolcrib_testkit::{TestDb, both_databases, outside::McpAnswer};

use super::{Forge, SECRET, arguments, code, completed, text, told};

#[both_databases]
async fn a_read_is_called_with_the_secret_and_recorded_once(db: TestDb) {
    let forge = Forge::new(db).await;
    forge.server.answer(McpAnswer::Result(text(&format!("Printer, {SECRET}"))));
    let answer = forge.app.as_role(Role::Viewer).call("forge__get_issue", arguments()).await;
    assert_eq!(completed(&answer), json!({"text": "Printer, •••"}));
    let Outcome::Completed(done) = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(done.description, "Did it: Printer, •••");
    let [call] = &forge.server.of_method("tools/call")[..] else { panic!("one call") };
    assert_eq!(call.headers["authorization"], format!("Bearer {SECRET}").as_str());
    assert_eq!(call.body["params"]["name"], "get_issue");
    assert_eq!(call.body["params"]["arguments"], arguments());
    let row = forge.row(&answer).await;
    assert_eq!((&row["outcome"], &row["executor"]), (&json!("succeeded"), &json!("mcp")), "{row}");
    assert!(row["definition"].is_string() && row["outcomes"].as_array().is_none_or(Vec::is_empty), "{row}");
}

/// Whoever may not call a tool, or calls it with wrong arguments, makes us ask nobody.
#[both_databases]
async fn a_refused_call_contacts_nobody(db: TestDb) {
    let forge = Forge::new(db).await;
    let refused = forge.app.as_role(Role::Viewer).call("forge__create_issue", arguments()).await;
    assert_eq!(code(&refused), ErrorCode::PermissionDenied);
    let wrong = forge.member().call("forge__create_issue", json!({"title": 7})).await;
    assert_eq!(code(&wrong), ErrorCode::InvalidArguments);
    let unknown = forge.member().call("forge__never_was", json!({})).await;
    assert_eq!(code(&unknown), ErrorCode::UnknownAction);
    let foreign = forge.app.as_role_b(Role::Owner).call("forge__create_issue", arguments()).await;
    assert_eq!(code(&foreign), ErrorCode::UnknownAction);
    assert_eq!(forge.server.received().len(), 0);
}

#[both_databases]
async fn a_tool_that_says_that_it_failed_has_failed(db: TestDb) {
    let forge = Forge::new(db).await;
    let long = format!("no rights: {}", "é".repeat(3_000));
    forge.server.answer(McpAnswer::Result(json!({
        "isError": true, "content": [{"type": "text", "text": long}]
    })));
    for name in ["get_issue", "create_issue"] {
        let answer = forge.call(name).await;
        assert_eq!(code(&answer), ErrorCode::UpstreamError, "{answer:?}");
        let Outcome::Refused(problem) = &answer.outcome else { unreachable!() };
        let message = problem.upstream_message.as_deref().unwrap();
        assert!(message.starts_with("no rights: ééé") && message.len() <= 2_048, "{message}");
    }
    let answer = forge.call("create_issue").await;
    assert_eq!(forge.state(&answer).await, OpenCallState::Failed);
    assert_eq!(forge.row(&answer).await["outcomes"][0]["outcome"], "failed");
}

#[both_databases]
async fn errors_of_the_protocol_are_told_apart(db: TestDb) {
    let forge = Forge::new(db).await;
    for (sent, expected) in [
        (-32_602, ErrorCode::InvalidArguments),
        (-32_603, ErrorCode::UpstreamError),
        (-32_601, ErrorCode::UpstreamError),
        (7, ErrorCode::UpstreamError),
    ] {
        forge.server.answer(McpAnswer::Error(sent));
        for name in ["get_issue", "create_issue"] {
            let answer = forge.call(name).await;
            assert_eq!(code(&answer), expected, "{sent}: {answer:?}");
            assert!(told(&answer).contains("no such thing"), "{answer:?}");
        }
        let answer = forge.call("create_issue").await;
        assert_eq!(forge.state(&answer).await, OpenCallState::Failed, "{sent}");
    }
}

#[both_databases]
async fn a_write_that_was_begun_and_not_answered_is_unknown(db: TestDb) {
    let forge = Forge::new(db).await;
    for behaviour in [McpAnswer::After(Duration::from_secs(4)), McpAnswer::Half] {
        let before = forge.calls();
        forge.server.answer(behaviour);
        let member = forge.member().with_key(&format!("k-{before}"));
        for _ in 0..2 {
            let answer = member.call("forge__create_issue", arguments()).await;
            assert_eq!(answer.status(), 503, "{answer:?}");
        }
        assert_eq!(forge.calls(), before + 1, "it is never sent again");
        let read = forge.call("get_issue").await;
        assert_eq!(code(&read), ErrorCode::UpstreamError, "{read:?}");
    }
    let answer = forge.call("create_issue").await;
    assert_eq!(code(&answer), ErrorCode::OutcomeUnknown, "{answer:?}");
    assert_eq!(forge.row(&answer).await["outcomes"][0]["outcome"], "unknown");
}

/// The server says that it carried the call out, also if its result is not what was accepted.
#[both_databases]
async fn a_result_is_completed_whether_or_not_it_fits_the_accepted_output_schema(db: TestDb) {
    let forge = Forge::new(db).await;
    for (result, expected) in [
        (json!({"structuredContent": {"count": 3}, "content": []}), json!({"count": 3})),
        (json!({"structuredContent": {"count": "three"}, "content": []}), json!({"count": "three"})),
        (text("3"), json!({"text": "3"})),
    ] {
        forge.server.answer(McpAnswer::Result(result));
        assert_eq!(completed(&forge.call("count_issues").await), expected);
        let write = forge.call("count_up").await;
        assert_eq!((completed(&write), forge.state(&write).await), (expected, OpenCallState::Succeeded));
    }
}

#[both_databases]
async fn an_approval_waits_for_an_unknown_end(db: TestDb) {
    let forge = Forge::new(db).await;
    let member = forge.member();
    let id = member.pending("forge__close_issue", arguments()).await;
    let shown = member.confirmation(id).await.unwrap().description;
    assert!(shown.contains("127.0.0.1"), "where it goes: {shown}");
    forge.server.answer(McpAnswer::Half);
    let answer = member.approve(id).await.unwrap();
    assert_eq!(code(&answer), ErrorCode::OutcomeUnknown, "{answer:?}");
    assert_eq!(member.confirmation(id).await.unwrap().status, ConfirmationStatus::Unknown);
    assert_eq!(forge.calls(), 1);
}

/// Without a session nothing is sent, nothing is recorded as started, and the key is free.
#[both_databases]
async fn a_server_that_opens_no_session_is_not_called(db: TestDb) {
    let forge = Forge::new(db).await;
    forge.server.require_bearer("another one");
    let member = forge.member().with_key("k-5");
    for name in ["forge__create_issue", "forge__get_issue", "forge__close_issue"] {
        let answer = member.call(name, arguments()).await;
        assert_eq!(code(&answer), ErrorCode::UpstreamError, "{answer:?}");
        assert!(told(&answer).contains("credential"), "{answer:?}");
        assert!(!told(&answer).contains(SECRET));
    }
    assert_eq!(forge.calls(), 0);
    forge.server.require_bearer(SECRET);
    assert_eq!(member.call("forge__create_issue", arguments()).await.status(), 200);
}
