//! Tools that the caller runs: handed out, started, claimed once, reported once.

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolcrib_auth::Credential;
use toolcrib_engine::{
    ActionError, CallReport, CallResponse, ClaimedCall, OpenCallFilter, OpenCallView, Outcome,
    ReportedStatus, ToRun,
};
use toolcrib_model::{ConfirmationStatus, ErrorCode, Id, OpenCallState, Role};
use toolcrib_testkit::{Person, TestDb, both_databases, decision_meta, soak};
use toolcrib_toolset::{DocumentFormat, parse};

use crate::harness::{App, agent_key, service_key};

/// The example of a personal assistant.
fn orion() -> Value {
    let text = include_str!("../../../../examples/toolsets/orion.toml");
    parse(text, DocumentFormat::Toml).unwrap()
}

/// The example with another value in `create_task`.
fn with(key: &str, value: &str) -> Value {
    let mut document = orion();
    let tools = document["tools"].as_array_mut().unwrap();
    let task = tools.iter_mut().find(|tool| tool["name"] == "create_task").unwrap();
    task[key] = json!(value);
    document
}

async fn store(app: &App, document: Value) {
    app.owner().done("toolsets.put", json!({"slug": "orion", "document": document})).await;
}

async fn with_orion(db: TestDb) -> App {
    let app = App::new(db).await;
    store(&app, orion()).await;
    app
}

fn to_run(answer: CallResponse) -> ToRun {
    match answer.outcome {
        Outcome::ToRun(call) => *call,
        other => panic!("the caller does not run it: {other:?}"),
    }
}

fn done(output: Value) -> CallReport {
    CallReport { status: ReportedStatus::Succeeded, output: Some(output), error: None }
}

/// What a caller does with an open call.
struct Runner<'a>(&'a App, Person<'a>);

impl Runner<'_> {
    async fn claim(&self, id: Id) -> Result<ClaimedCall, ActionError> {
        self.0.engine.claim_call(&self.1.authenticated, id, decision_meta()).await
    }

    async fn report(&self, id: Id, report: CallReport) -> Result<OpenCallView, ActionError> {
        self.0.engine.report_call(&self.1.authenticated, id, report, decision_meta()).await
    }

    async fn revoke(&self, id: Id) -> Result<OpenCallView, ActionError> {
        self.0.engine.revoke_call(&self.1.authenticated, id, decision_meta()).await
    }

    async fn view(&self, id: Id) -> Result<OpenCallView, ActionError> {
        self.0.engine.open_call(&self.1.authenticated, id).await
    }

    /// The calls that are listed; none for who is refused.
    async fn listed(&self, mine: bool) -> Vec<Id> {
        let filter = OpenCallFilter { mine: Some(mine), ..OpenCallFilter::default() };
        let page = self.0.engine.open_calls(&self.1.authenticated, &filter).await;
        page.map(|page| page.items.iter().map(|call| call.call_id).collect()).unwrap_or_default()
    }
}

async fn audit(app: &App, id: Id) -> Value {
    app.owner().done("audit.get", json!({"call_id": id})).await
}

/// Lets a member ask for a call and approve it. Returns the ids of confirmation and call.
async fn approved(member: &Person<'_>) -> (Id, Id) {
    let id = member.pending("orion__create_task", task()).await;
    (id, to_run(member.approve(id).await.unwrap()).call_id)
}

fn task() -> Value {
    json!({"title": "Call back"})
}

#[both_databases]
async fn an_approved_write_is_claimed_and_reported(db: TestDb) {
    let app = with_orion(db).await;
    let member = app.as_role(Role::Member);
    let id = member.pending("orion__create_task", task()).await;
    let shown = member.confirmation(id).await.unwrap();
    assert!(shown.description.contains("the application runs it"), "{}", shown.description);
    let call = to_run(member.approve(id).await.unwrap());
    assert_eq!(member.confirmation(id).await.unwrap().status, ConfirmationStatus::Running);
    let runner = Runner(&app, member.clone());
    let early = runner.report(call.call_id, done(json!({}))).await.unwrap_err();
    assert_eq!(early.code, ErrorCode::Conflict, "a call is claimed before it runs");
    let claimed = runner.claim(call.call_id).await.unwrap();
    assert_eq!(claimed.arguments.get(), r#"{"title":"Call back"}"#);
    let ended = runner.report(call.call_id, done(json!({"id": "t-1"}))).await.unwrap();
    assert_eq!(ended.state, OpenCallState::Succeeded);
    let confirmation = member.confirmation(id).await.unwrap();
    assert_eq!(confirmation.status, ConfirmationStatus::Executed);
    assert_eq!(confirmation.outcome().to_value()["data"], json!({"id": "t-1"}));
    let start = audit(&app, call.call_id).await;
    assert_eq!((&start["outcome"], &start["kind"]), (&json!("started"), &json!("call")), "{start}");
    let outcomes = start["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 1, "{start}");
    assert_eq!((&outcomes[0]["outcome"], &outcomes[0]["kind"]), (&json!("succeeded"), &json!("outcome")));
    assert_eq!(outcomes[0]["reported_by"], json!(app.a.user(Role::Member)));
}

#[both_databases]
async fn of_many_claims_one_wins_soak(db: TestDb) {
    let app = with_orion(db).await;
    let member = app.as_role(Role::Member);
    let (runner, rounds) = (Runner(&app, member.clone()), soak(3, 300));
    for _ in 0..rounds {
        let (_, call) = approved(&member).await;
        let claims = join_all((0..32).map(|_| runner.claim(call))).await;
        let (won, lost): (Vec<_>, Vec<_>) = claims.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        assert!(lost.iter().all(|claim| claim.as_ref().unwrap_err().code == ErrorCode::Conflict));
        runner.report(call, done(json!({}))).await.unwrap();
    }
    println!("32 claim at once, {}: {rounds} rounds, one winner each", app.db.kind());
}

#[both_databases]
async fn of_many_reports_one_ends_the_call(db: TestDb) {
    let app = with_orion(db).await;
    let member = app.as_role(Role::Member);
    let (_, call) = approved(&member).await;
    let runner = Runner(&app, member);
    runner.claim(call).await.unwrap();
    let reports = join_all((0..8).map(|n| runner.report(call, done(json!({"n": n}))))).await;
    let won: Vec<_> = reports.iter().filter(|report| report.is_ok()).collect();
    assert_eq!(won.len(), 1);
    let stored = runner.view(call).await.unwrap().result.unwrap();
    let n = stored.output.unwrap()["n"].as_i64().unwrap();
    assert!(runner.report(call, done(json!({"n": n}))).await.is_ok(), "the same report has the same answer");
    assert_eq!(audit(&app, call).await["outcomes"].as_array().unwrap().len(), 1);
}

/// A service key, whose calls are nobody else's.
async fn runner_key(app: &App) -> Person<'_> {
    let wish = json!({"kind": "service", "name": "runner", "role": "member", "scopes": ["orion:use"]});
    let made = app.owner().done("keys.create", wish).await;
    let mut identity = service_key(app, "orion:use");
    if let Credential::Service(key) = &mut identity.credential {
        key.key_id = made["id"].as_str().unwrap().parse().unwrap();
        key.role = "member".into();
    }
    app.as_identity(identity)
}

#[both_databases]
async fn nobody_else_sees_a_call(db: TestDb) {
    let app = with_orion(db).await;
    let (member, key) = (app.as_role(Role::Member), runner_key(&app).await);
    let (id, call) = approved(&member).await;
    let asked = key.pending("orion__create_task", task()).await;
    let of_key = to_run(app.owner().approve(asked).await.unwrap()).call_id;
    let agent = app.as_identity(agent_key(&app, Id::from_u128(77), Role::Editor));
    for (other, call) in [
        (app.as_role(Role::Editor), call),
        (app.as_role_b(Role::Owner), call),
        (app.as_role_b(Role::Member), call),
        (agent, call),
        (key.clone(), call),
        (member, of_key),
        (app.as_role_b(Role::Owner), of_key),
    ] {
        let runner = Runner(&app, other);
        for refused in [
            runner.claim(call).await.err(),
            runner.report(call, done(json!({}))).await.err(),
            runner.revoke(call).await.err(),
            runner.view(call).await.err(),
        ] {
            let code = refused.unwrap().code;
            assert!([ErrorCode::NotFound, ErrorCode::PermissionDenied].contains(&code), "{code:?}");
        }
        assert!(!runner.listed(false).await.contains(&call));
    }
    Runner(&app, key).claim(of_key).await.unwrap();
    // An admin may see and revoke it, and not run it.
    let admin = Runner(&app, app.as_role(Role::Admin));
    assert_eq!(admin.claim(call).await.unwrap_err().code, ErrorCode::NotFound);
    assert!(admin.view(call).await.is_ok());
    assert_eq!((admin.listed(false).await.len(), admin.listed(true).await.len()), (2, 0));
    let revoked = admin.revoke(call).await.unwrap();
    let (state, result) = (revoked.state, revoked.result.unwrap());
    assert_eq!((state, result.reason.as_deref()), (OpenCallState::NotRun, Some("revoked")));
    let gone = Runner(&app, app.as_role(Role::Member)).claim(call).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::Conflict);
    assert_eq!(app.as_role(Role::Member).confirmation(id).await.unwrap().status, ConfirmationStatus::Failed);
}

#[both_databases]
async fn what_is_no_longer_allowed_is_not_claimed(db: TestDb) {
    let app = with_orion(db).await;
    let member = app.as_role(Role::Member);
    for change in ["role", "definition", "switch"] {
        let (_, call) = approved(&member).await;
        let (code, undo) = match change {
            "role" => {
                let user = app.a.user(Role::Member);
                app.owner().done("members.update", json!({"user_id": user, "role": "viewer"})).await;
                (ErrorCode::PermissionDenied, ("members.update", json!({"user_id": user, "role": "member"})))
            }
            "definition" => {
                store(&app, with("description", "Another text.")).await;
                (ErrorCode::Void, ("toolsets.put", json!({"slug": "orion", "document": orion()})))
            }
            _ => {
                app.owner().done("toolsets.update", json!({"slug": "orion", "enabled": false})).await;
                (ErrorCode::PermissionDenied, ("toolsets.update", json!({"slug": "orion", "enabled": true})))
            }
        };
        let runner = Runner(&app, member.clone());
        assert_eq!(runner.claim(call).await.unwrap_err().code, code, "{change}");
        app.owner().done(undo.0, undo.1).await;
        let ended = runner.view(call).await.unwrap();
        let reason = if change == "definition" { "changed" } else { "right_lost" };
        assert_eq!(ended.state, OpenCallState::NotRun, "{change}");
        assert_eq!(ended.result.unwrap().reason.as_deref(), Some(reason), "{change}");
        assert_eq!(runner.claim(call).await.unwrap_err().code, ErrorCode::Conflict, "{change}");
    }
}

#[both_databases]
async fn a_call_that_is_not_claimed_or_reported_ends_by_itself(db: TestDb) {
    let app = with_orion(db).await;
    let member = app.as_role(Role::Member);
    let runner = Runner(&app, member.clone());
    let ((left_id, left), (lost_id, lost)) = (approved(&member).await, approved(&member).await);
    let claimed = runner.claim(lost).await.unwrap();
    app.clock.set(claimed.end_by.plus_seconds(1));
    let late = runner.claim(left).await.unwrap_err();
    assert_eq!(late.code, ErrorCode::Expired);
    assert_eq!(app.engine.end_overdue_calls().await.unwrap(), 2);
    assert_eq!(app.engine.end_overdue_calls().await.unwrap(), 0);
    assert_eq!(runner.view(left).await.unwrap().state, OpenCallState::NotRun);
    assert_eq!(runner.view(lost).await.unwrap().state, OpenCallState::Unknown);
    let status = async |id| member.confirmation(id).await.unwrap().status;
    let found = (status(left_id).await, status(lost_id).await);
    assert_eq!(found, (ConfirmationStatus::Failed, ConfirmationStatus::Unknown));
    let reported = runner.report(lost, done(json!({"id": "t-1"}))).await.unwrap();
    assert_eq!(reported.state, OpenCallState::Succeeded);
    let outcomes = audit(&app, lost).await["outcomes"].clone();
    let told: Vec<(&Value, &Value)> =
        outcomes.as_array().unwrap().iter().map(|row| (&row["outcome"], &row["reason"])).collect();
    assert_eq!(told, [(&json!("unknown"), &json!("not_reported")), (&json!("succeeded"), &json!("late"))]);
}

#[both_databases]
async fn a_report_is_taken_for_a_day_after_an_unknown_end(db: TestDb) {
    let app = with_orion(db).await;
    let member = app.as_role(Role::Member);
    let (_, call) = approved(&member).await;
    let runner = Runner(&app, member);
    let claimed = runner.claim(call).await.unwrap();
    app.clock.set(claimed.end_by.plus_seconds(1));
    app.engine.end_overdue_calls().await.unwrap();
    let not_run = CallReport { status: ReportedStatus::NotRun, output: None, error: None };
    assert_eq!(runner.report(call, not_run).await.unwrap_err().code, ErrorCode::Conflict);
    app.clock.advance(24 * 60 * 60);
    assert_eq!(runner.report(call, done(json!({}))).await.unwrap_err().code, ErrorCode::Expired);
}

#[both_databases]
async fn a_session_grant_starts_a_call_without_asking(db: TestDb) {
    let app = with_orion(db).await;
    let mut caller = app.as_role(Role::Member);
    caller.authenticated.requested.session = Some("talk".into());
    let id = caller.pending("orion__create_task", task()).await;
    let request = toolcrib_engine::ApproveRequest {
        remember: Some(toolcrib_engine::Remember::Session),
        ..Default::default()
    };
    caller.approve_once(id, request).await.unwrap();
    let call = to_run(caller.call("orion__create_task", json!({"title": "Another"})).await);
    assert!(call.claim);
    assert_eq!(audit(&app, call.call_id).await["granted_by"], "session");
    // A changed definition needs a new approval.
    store(&app, with("description", "Another text.")).await;
    caller.pending("orion__create_task", json!({"title": "A third"})).await;
}

#[both_databases]
async fn a_repeated_call_starts_nothing_new(db: TestDb) {
    let app = App::new(db).await;
    store(&app, with("confirmation", "none")).await;
    let member = app.as_role(Role::Member).with_key("once");
    let first = to_run(member.call("orion__create_task", task()).await);
    let again = member.call("orion__create_task", task()).await;
    assert!(again.replayed);
    assert_eq!(to_run(again).call_id, first.call_id);
    let other = member.call("orion__create_task", json!({"title": "Other"})).await;
    assert_eq!(other.status(), 422);
}

#[both_databases]
async fn open_calls_are_limited(db: TestDb) {
    let app = App::new(db).await;
    store(&app, with("confirmation", "none")).await;
    let member = app.as_role(Role::Member);
    let calls = join_all((0..60).map(|_| member.call("orion__create_task", task()))).await;
    let started: Vec<Id> = calls
        .into_iter()
        .filter_map(|answer| match answer.outcome {
            Outcome::ToRun(call) => Some(call.call_id),
            Outcome::Refused(problem) => {
                assert_eq!(problem.code, ErrorCode::TooManyPending);
                None
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(started.len(), 50);
    Runner(&app, member.clone()).revoke(started[0]).await.unwrap();
    to_run(member.call("orion__create_task", task()).await);
    assert_eq!(app.as_role(Role::Editor).call("orion__create_task", task()).await.status(), 202);
}
