//! What each stage of a call costs, one call at a time: medians in microseconds, on SQLite and, where
//! `TEST_PG_URL` names a server, on PostgreSQL. `scripts/bench` runs it; `docs/performance.md` quotes it.
#![expect(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, reason = "a measurement")]

use std::{hint::black_box, net::IpAddr, sync::Arc, time::Instant};

use serde_json::json;
use toolcrib_access::{Caller, Principal, Scopes, WorkspacePolicy, decide};
use toolcrib_actions::Infrastructure;
use toolcrib_auth::{
    Authenticator, Resource,
    issuer::{LocalIssuer, MintRequest},
};
use toolcrib_model::{AuditKind, CallerType, Clock, Cursor, IdGen, Role, Surface, SystemClock, SystemIds};
use toolcrib_store::{ActorIds, AuditRow, agents, workspaces};
use toolcrib_testkit::{App, TestDb, postgres, sqlite, write};

const TIMES: usize = 2_000;

/// The median of many runs, in microseconds.
async fn median<F: Future>(mut run: impl FnMut(usize) -> F) -> f64 {
    let mut taken = Vec::with_capacity(TIMES);
    for n in 0..TIMES {
        let begun = Instant::now();
        black_box(run(n).await);
        taken.push(begun.elapsed());
    }
    taken.sort_unstable();
    taken[TIMES / 2].as_secs_f64() * 1e6
}

async fn tokens(app: &App) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let issuer = Arc::new(LocalIssuer::load_or_create(folder.path(), &SystemIds, SystemClock.now()).unwrap());
    let mint = |n: usize| {
        let request =
            MintRequest { subject: format!("user {n}"), ttl_seconds: 3600, ..MintRequest::default() };
        let now = SystemClock.now();
        format!("Bearer {}", issuer.mint(&request, now, SystemIds.new_id(now)).unwrap())
    };
    let tokens: Vec<String> = (0..TIMES).map(mint).collect();
    let clock = Arc::new(SystemClock);
    let auth =
        Authenticator::new((*app.db).clone(), clock, LocalIssuer::settings(), issuer.clone(), Arc::default());
    let peer: IpAddr = [127, 0, 0, 1].into();
    let first = median(|n| auth.authenticate(Resource::Api, Some(&tokens[n]), peer)).await;
    (first, median(|_| auth.authenticate(Resource::Api, Some(&tokens[0]), peer)).await)
}

async fn pure(app: &App) -> (f64, f64) {
    let meta = app.engine.catalog().registry().get("platform_create_agent").unwrap().clone();
    let caller = Caller {
        workspace: app.a.workspace,
        principal: Principal::User { user_id: app.a.owner },
        role: Some(Role::Owner),
        system_admin: false,
        caller_type: CallerType::new("api"),
        caller_name: None,
        scopes: Scopes::All,
        session: None,
        mission: None,
        credential: None,
        provenance: toolcrib_access::Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    };
    let policy = WorkspacePolicy::default();
    let decided = median(|_| std::future::ready(decide(&caller, &meta.spec, &policy))).await;
    let sent = json!({ "name": "Researcher", "role": "researcher", "temperature": 0.2, "tags": ["a", "b"] });
    (decided, median(|_| std::future::ready(meta.input.check(&mut sent.clone()))).await)
}

fn row(app: &App) -> AuditRow {
    let now = SystemClock.now();
    let base = AuditRow::of_operator(app.a.workspace, SystemIds.new_id(now), now, "platform_list_agents");
    AuditRow {
        kind: AuditKind::Call,
        permission_level: "read",
        surface: Surface::Rest,
        principal_kind: "user",
        principal_id: app.a.owner,
        user_id: Some(app.a.owner),
        role: Some(Role::Owner),
        caller_type: "api".into(),
        arguments: "{}".into(),
        duration_ms: 1,
        request_id: "r".into(),
        ..base
    }
}

async fn measure(db: TestDb) {
    let name = db.kind();
    let catalog =
        toolcrib_actions::catalog(&Infrastructure::default()).map_err(|d| format!("{d:?}")).unwrap();
    let app = App::with_catalog(db, catalog).await;
    let owner = app.owner();
    owner.done("install_model", json!({ "model": "gpt-4o-mini" })).await;
    for n in 0..20 {
        owner.done("create_agent", json!({ "name": format!("Agent {n}") })).await;
    }
    let (workspace, who) =
        (app.a.workspace, ActorIds { user_id: Some(app.a.owner), agent_id: None, key_id: None });
    let (first, again) = tokens(&app).await;
    let (decided, checked) = pure(&app).await;
    let begun = median(|_| async { app.db.begin_read_as(workspace, who).await.unwrap().0.end().await }).await;
    let mut tx = app.db.read(workspace).await.unwrap();
    let mut listed = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let begun = Instant::now();
        black_box(agents::list(&mut tx, &agents::AgentFilter::default(), Cursor::START, 21).await.unwrap());
        listed.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    tx.end().await.unwrap();
    listed.sort_by(f64::total_cmp);
    let audited = median(|_| app.db.audit(vec![row(&app)])).await;
    let written = median(|_| write(&app.db, workspace, async |tx| workspaces::bump_access(tx).await)).await;
    let read = median(|_| owner.call("list_agents", json!({}))).await;
    let write = median(|n| owner.call("create_agent", json!({ "name": format!("Bench {n}") }))).await;
    for (stage, micros) in [
        ("token, first time", first),
        ("token, known", again),
        ("decide", decided),
        ("validate", checked),
        ("begin, membership and policy, end", begun),
        ("statement: list 20 agents", listed[TIMES / 2]),
        ("audit row and its commit", audited),
        ("a write of one statement and its commit", written),
        ("whole read: list_agents", read),
        ("whole write: create_agent", write),
    ] {
        println!("| {name} | {stage} | {micros:.1} |");
    }
}

#[tokio::main]
async fn main() {
    println!("| database | stage | median µs |\n|---|---|---|");
    measure(sqlite().await).await;
    if std::env::var("TEST_PG_URL").is_ok() {
        measure(postgres().await).await;
    }
}
