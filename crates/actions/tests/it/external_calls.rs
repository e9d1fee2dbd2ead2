//! Tools that an upstream runs: each request is sent at most once, and no effect is without its rows.

mod numbers;
mod on_the_way;
mod races;

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use toolcrib_engine::{
    ActionError, ApproveRequest, Approved, CallResponse, OperatorRules, Outcome,
    limits::{Limiter, LocalLimiter},
};
use toolcrib_model::{ErrorCode, Id, OpenCallState, Role, TestClock};
use toolcrib_testkit::{
    Person, TestDb, both_databases, decision_meta, eventually,
    outside::{RestService, ServiceAnswer},
};

use crate::harness::{App, code, with_cipher};

/// Tools of a support desk, whose service runs in the test.
fn desk() -> Value {
    let id = json!({"type": "integer", "minimum": 1});
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "defaults": {"accessible_by": "everyone"},
        "tools": [{
            "name": "get_ticket", "description": "One ticket.", "permission_level": "read",
            "result_text": "Read ticket {id}: {/ticket/subject}", "timeout_seconds": 1,
            "parameters": {"required": ["id"], "properties": {"id": id}},
            "http": {"upstream": "helpdesk", "method": "GET", "path": "tickets/{id}",
                "query": {"include": "messages"}, "response": {"select": "/ticket"}}
        }, {
            "name": "add_note", "description": "Add a note.",
            "permission_level": "write", "timeout_seconds": 1,
            "parameters": {"required": ["id", "note"], "properties": {
                "id": id, "note": {"type": "string", "maxLength": 100}}},
            "http": {"upstream": "helpdesk", "method": "POST", "path": "tickets/{id}/notes",
                "body": {"note": "{note}", "source": "agent"}, "idempotency_header": "Idempotency-Key"}
        }, {
            "name": "close_ticket", "description": "Close a ticket.", "permission_level": "write",
            "confirmation": "simple", "warning": "The customer is told.",
            "confirm_text": "Close ticket {id}", "timeout_seconds": 1,
            "parameters": {"required": ["id"], "properties": {"id": id}},
            "http": {"upstream": "helpdesk", "method": "POST", "path": "tickets/{id}/close",
                "target": {"path": "tickets/{id}", "label": "{/subject}", "version": "/version"}}
        }]
    })
}

/// A workspace with the desk's tools, its service, and a secret.
struct Desk {
    app: App,
    service: RestService,
}

impl Desk {
    async fn new(db: TestDb) -> Self {
        Self::with_limiter(db, |clock| Arc::new(LocalLimiter::new(clock))).await
    }

    async fn with_limiter(db: TestDb, limiter: impl FnOnce(Arc<TestClock>) -> Arc<dyn Limiter>) -> Self {
        let service = RestService::start().await;
        let upstream_hosts = vec![service.host.clone(), "127.0.0.1:9".to_owned()];
        let rules = OperatorRules { upstream_hosts, ..with_cipher() };
        let app = App::with_limiter(db, rules, limiter).await;
        let owner = app.owner();
        let upstream = json!({"name": "helpdesk", "kind": "http", "base_url": service.url,
            "auth": {"kind": "header", "name": "X-Api-Key"}});
        owner.done("upstreams.create", upstream).await;
        owner.done("upstreams.set_secret", json!({"name": "helpdesk", "secret": SECRET})).await;
        owner.done("toolsets.put", json!({"slug": "desk", "document": desk()})).await;
        Self { app, service }
    }

    fn member(&self) -> Person<'_> {
        self.app.as_role(Role::Member)
    }

    /// Returns the row of a call, with its outcomes.
    async fn row(&self, id: Id) -> Value {
        self.app.owner().done("audit.get", json!({"call_id": id})).await
    }

    async fn state(&self, id: Id) -> OpenCallState {
        self.app.engine.open_call(&self.member().authenticated, id).await.unwrap().state
    }

    fn answers(&self, status: u16, body: Value) {
        self.service.answer(ServiceAnswer::Json(status, body));
    }
}

const SECRET: &str = "desk-key-0123456789";

fn id_of(answer: &CallResponse) -> Id {
    answer.outcome.call_id().unwrap()
}

fn note() -> Value {
    json!({"id": 7, "note": "called back"})
}

#[both_databases]
async fn a_read_is_asked_with_the_secret_and_recorded_once(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.answers(200, json!({"ticket": {"subject": "Printer", "echo": SECRET}}));
    let answer = desk.app.as_role(Role::Viewer).call("desk__get_ticket", json!({"id": 7})).await;
    let Outcome::Completed(done) = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(done.value(), json!({"subject": "Printer", "echo": "•••"}));
    assert_eq!(done.description, "Read ticket 7: Printer");
    let [request] = &desk.service.received()[..] else { panic!("one request") };
    assert_eq!(request.line, "GET /v2/tickets/7?include=messages");
    assert_eq!(request.headers["x-api-key"], SECRET);
    assert!(request.headers.get("cookie").is_none() && request.headers.get("authorization").is_none());
    let row = desk.row(id_of(&answer)).await;
    assert_eq!((&row["outcome"], &row["executor"]), (&json!("succeeded"), &json!("http")), "{row}");
    assert!(row["definition"].is_string() && row["outcomes"].as_array().is_none_or(Vec::is_empty), "{row}");
}

#[both_databases]
async fn a_write_has_a_start_row_before_it_is_sent_and_an_outcome_row(db: TestDb) {
    let desk = Desk::new(db).await;
    let answer = desk.member().call("desk__add_note", note()).await;
    assert_eq!(answer.status(), 200, "{answer:?}");
    let id = id_of(&answer);
    let [request] = &desk.service.received()[..] else { panic!("one request") };
    assert_eq!(request.body, json!({"note": "called back", "source": "agent"}));
    assert_eq!(request.headers["idempotency-key"], id.to_string().as_str());
    let row = desk.row(id).await;
    assert_eq!((&row["outcome"], &row["executor"]), (&json!("started"), &json!("http")), "{row}");
    let outcomes = row["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 1, "{row}");
    assert_eq!((&outcomes[0]["outcome"], &outcomes[0]["kind"]), (&json!("succeeded"), &json!("outcome")));
    assert_eq!(desk.state(id).await, OpenCallState::Succeeded);
}

#[both_databases]
async fn errors_of_the_service_are_told_apart(db: TestDb) {
    let desk = Desk::new(db).await;
    for (status, expected) in [
        (404, ErrorCode::NotFound),
        (409, ErrorCode::Conflict),
        (400, ErrorCode::InvalidArguments),
        (422, ErrorCode::InvalidArguments),
        (401, ErrorCode::UpstreamError),
        (403, ErrorCode::UpstreamError),
        (429, ErrorCode::UpstreamError),
        (500, ErrorCode::UpstreamError),
        (502, ErrorCode::OutcomeUnknown),
        (504, ErrorCode::OutcomeUnknown),
        (301, ErrorCode::OutcomeUnknown),
        (302, ErrorCode::OutcomeUnknown),
        (307, ErrorCode::UpstreamError),
        (308, ErrorCode::UpstreamError),
    ] {
        desk.answers(status, json!({"why": "no such ticket", "echo": SECRET}));
        let answer = desk.member().call("desk__add_note", note()).await;
        assert_eq!(code(&answer), expected, "{status}: {answer:?}");
        let Outcome::Refused(problem) = &answer.outcome else { unreachable!() };
        let told = problem.upstream_message.as_deref();
        assert_eq!(told.is_some_and(|text| text.contains("no such ticket")), (400..500).contains(&status));
        assert!(!serde_json::to_string(problem).unwrap().contains(SECRET));
        let unknown = expected == ErrorCode::OutcomeUnknown;
        let state = if unknown { OpenCallState::Unknown } else { OpenCallState::Failed };
        assert_eq!(desk.state(id_of(&answer)).await, state, "{status}");
        let read = desk.member().call("desk__get_ticket", json!({"id": 7})).await;
        let of_read = if unknown { ErrorCode::UpstreamError } else { expected };
        assert_eq!(code(&read), of_read, "{status}: nobody needs to know how a read ended");
    }
}

/// One byte more than is read of an answer.
static LONG: [u8; (1 << 20) + 1] = [b' '; (1 << 20) + 1];

/// Whether the call was done is read from the answer's status, not from whether its body can be shown.
#[both_databases]
async fn an_answered_call_is_completed_whatever_the_answer_is(db: TestDb) {
    let desk = Desk::new(db).await;
    let (pdf, json_type) = (("content-type", "application/pdf"), ("content-type", "application/json"));
    for (status, header, body, data, unreadable) in [
        (200, pdf, &b"%PDF-1.7\n"[..], json!(null), Some("application/pdf, 9 bytes")),
        (201, json_type, b"<p>ok</p>", json!({"text": "<p>ok</p>"}), None),
        (200, json_type, br#"{"id":7,"title":"x\ud800"}"#, json!({"id": 7, "title": "x\u{fffd}"}), None),
        (
            200,
            ("content-encoding", "gzip"),
            b"\x1f\x8b\x08",
            json!(null),
            Some("application/octet-stream, 3 bytes, compressed"),
        ),
        (200, json_type, &LONG, json!(null), Some("application/json, more than 1048576 bytes")),
        (204, json_type, b"", json!(null), None),
        (
            303,
            ("location", "/done"),
            b"",
            json!(null),
            Some("a redirect (status 303), which is not followed"),
        ),
    ] {
        desk.service.answer(ServiceAnswer::Bytes(status, header, body));
        let member = desk.member().with_key(&format!("k-{status}-{}", body.len()));
        for replayed in [false, true] {
            let answer = member.call("desk__add_note", note()).await;
            let Outcome::Completed(done) = &answer.outcome else { panic!("{status}: {answer:?}") };
            assert_eq!((done.value(), done.unreadable.as_deref()), (data.clone(), unreadable), "{status}");
            let found = (desk.state(id_of(&answer)).await, answer.replayed);
            assert_eq!(found, (OpenCallState::Succeeded, replayed));
            let told = answer.outcome.for_model(desk.app.engine.catalog().registry());
            assert_eq!((&told["status"], &told["unreadable"]), (&json!("completed"), &json!(unreadable)));
        }
    }
    let read = desk.member().call("desk__get_ticket", json!({"id": 7})).await;
    assert_eq!(code(&read), ErrorCode::UpstreamError, "what a read asked for is elsewhere: {read:?}");
    desk.service.answer(ServiceAnswer::Bytes(200, pdf, b"%PDF-1.7\n"));
    let read = desk.member().call("desk__get_ticket", json!({"id": 7})).await;
    let Outcome::Completed(done) = &read.outcome else { panic!("{read:?}") };
    assert_eq!((read.status(), done.value()), (200, json!(null)));
    let target = desk.member().call("desk__close_ticket", json!({"id": 7})).await;
    assert_eq!(code(&target), ErrorCode::UpstreamError, "a person is not asked about what can't be read");
}

#[both_databases]
async fn a_write_that_was_begun_and_not_answered_is_unknown(db: TestDb) {
    let desk = Desk::new(db).await;
    for behaviour in [ServiceAnswer::After(Duration::from_secs(4)), ServiceAnswer::Half] {
        desk.service.answer(behaviour);
        let answer = desk.member().call("desk__add_note", note()).await;
        assert_eq!(code(&answer), ErrorCode::OutcomeUnknown, "{answer:?}");
        let row = desk.row(id_of(&answer)).await;
        assert_eq!(row["outcomes"][0]["outcome"], "unknown", "{row}");
    }
}

#[both_databases]
async fn an_unknown_end_is_never_sent_again_and_an_unsent_call_is(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.service.answer(ServiceAnswer::Half);
    let member = desk.member().with_key("k-2");
    for _ in 0..3 {
        let answer = member.call("desk__add_note", note()).await;
        assert_eq!(answer.status(), 503, "{answer:?}");
    }
    assert_eq!(desk.service.received().len(), 1);
    let refused = desk.member().with_key("k-3");
    let nobody_listens = json!({"name": "helpdesk", "base_url": "http://127.0.0.1:9/v2/"});
    desk.app.owner().done("upstreams.update", nobody_listens).await;
    desk.app.owner().done("upstreams.set_secret", json!({"name": "helpdesk", "secret": SECRET})).await;
    let answer = refused.call("desk__add_note", note()).await;
    assert_eq!(code(&answer), ErrorCode::UpstreamError, "{answer:?}");
    let back = json!({"name": "helpdesk", "base_url": desk.service.url});
    desk.app.owner().done("upstreams.update", back).await;
    desk.app.owner().done("upstreams.set_secret", json!({"name": "helpdesk", "secret": SECRET})).await;
    desk.answers(200, json!({}));
    assert_eq!(refused.call("desk__add_note", note()).await.status(), 200, "nothing was sent before");
}

#[both_databases]
async fn a_target_that_changed_makes_the_confirmation_void(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.answers(200, json!({"subject": "Printer", "version": 3}));
    let member = desk.member();
    let id = member.pending("desk__close_ticket", json!({"id": 7})).await;
    desk.answers(200, json!({"subject": "Printer", "version": 4}));
    let error = member.approve(id).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::Void, "{error:?}");
    let gone = member.pending("desk__close_ticket", json!({"id": 7})).await;
    desk.answers(404, json!({}));
    let error = member.approve(gone).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::NotFound, "{error:?}");
    assert!(desk.service.lines().iter().all(|line| line.starts_with("GET")), "nothing was closed");
    let missing = member.call("desk__close_ticket", json!({"id": 7})).await;
    assert_eq!(code(&missing), ErrorCode::NotFound, "a person is not asked about nothing");
}

#[both_databases]
async fn an_approval_of_a_models_call_returns_how_the_call_ended(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.answers(200, json!({"subject": "Printer", "version": 3}));
    let member = desk.member();
    for (caller, is_model) in [(member.as_model("call_1"), true), (member.clone(), false)] {
        let id = caller.pending("desk__close_ticket", json!({"id": 7})).await;
        let approved = member.approve_once(id, ApproveRequest::default()).await.unwrap();
        let Approved::Executed(answer, ended) = approved else { panic!("{approved:?}") };
        assert_eq!((answer.status(), ended.is_some()), (200, is_model));
        let shown = member.confirmation(id).await.unwrap();
        assert_eq!((shown.status.as_str(), shown.result.is_some()), ("executed", true));
        assert!(ended.is_none_or(|ended| json!(ended) == json!(shown)), "as it is read afterwards");
    }
}

#[both_databases]
async fn a_call_whose_end_nobody_recorded_is_closed_as_unknown(db: TestDb) {
    let desk = Desk::new(db).await;
    desk.service.answer(ServiceAnswer::After(Duration::from_millis(700)));
    let member = desk.member().with_key("k-4");
    let worker = async {
        eventually("the request arrives", async || !desk.service.received().is_empty()).await;
        let before = desk.app.engine.end_overdue_calls().await.unwrap();
        desk.app.clock.advance(120);
        let after = desk.app.engine.end_overdue_calls().await.unwrap();
        let again = member.call("desk__add_note", note()).await;
        (before, after, again)
    };
    let (answer, (before, after, again)) = tokio::join!(member.call("desk__add_note", note()), worker);
    assert_eq!((before, after), (0, 1), "only after its time");
    assert_eq!(again.status(), 503, "the key is never used for a second request: {again:?}");
    assert_eq!((answer.status(), desk.service.received().len()), (200, 1));
    let row = desk.row(id_of(&answer)).await;
    let outcomes: Vec<_> = row["outcomes"].as_array().unwrap().iter().collect();
    let words: Vec<_> = outcomes.iter().map(|row| (&row["outcome"], &row["reason"])).collect();
    assert_eq!(words, [(&json!("unknown"), &json!("lost")), (&json!("succeeded"), &json!("late"))], "{row}");
    assert_eq!(desk.state(id_of(&answer)).await, OpenCallState::Succeeded);
}

#[both_databases]
async fn the_application_neither_claims_nor_reports_what_runs_here(db: TestDb) {
    let desk = Desk::new(db).await;
    let answer = desk.member().call("desk__add_note", note()).await;
    let member = desk.member();
    let claimed = desk.app.engine.claim_call(&member.authenticated, id_of(&answer), decision_meta()).await;
    let error: ActionError = claimed.unwrap_err();
    assert_eq!(error.code, ErrorCode::Conflict, "{error:?}");
}

#[both_databases]
async fn a_typed_phrase_is_what_the_upstream_calls_the_target(db: TestDb) {
    let desk = Desk::new(db).await;
    let mut document = self::desk();
    document["tools"][2]["confirmation"] = json!("typed");
    desk.app.owner().done("toolsets.put", json!({"slug": "desk", "document": document})).await;
    for (number, subject, phrase) in [
        (7, "Printer; sent to repair", "Printer; sent to repair"),
        (8, "Pr\u{456}nter", "desk__close_ticket"),
    ] {
        desk.answers(200, json!({"subject": subject, "version": 3}));
        let id = desk.member().pending("desk__close_ticket", json!({"id": number})).await;
        assert_eq!(desk.member().confirmation(id).await.unwrap().phrase.as_deref(), Some(phrase));
    }
}
