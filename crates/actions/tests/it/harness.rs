//! An engine over a fresh database with two workspaces, and short ways to call as somebody.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_actions::Services;
use toolcrib_engine::{
    Answer, ApproveRequest, Approved, Arguments, Body, CallRequest, Credential, Decider, Door, Engine,
    EngineSettings, Identity, UserToken, Wishes, limits::LocalLimiter,
};
use toolcrib_model::{CallerType, Id, Role, TestClock, Ts};
use toolcrib_store::workspaces;
use toolcrib_testkit::{TestDb, TestIds, World, clock, seed, seed_named};

/// The engine, its clock, and two workspaces that must not see each other.
pub struct App {
    pub engine: Arc<Engine>,
    pub clock: Arc<TestClock>,
    pub db: TestDb,
    pub a: World,
    pub b: World,
}

impl App {
    /// Over a fresh database, with limits that no test reaches.
    pub async fn new(db: TestDb) -> Self {
        let clock = Arc::new(clock());
        let ids = Arc::new(TestIds::default());
        let a = seed(&db, clock.as_ref(), ids.as_ref()).await;
        let b = seed_named(&db, clock.as_ref(), ids.as_ref(), "b-").await;
        for world in [a, b] {
            let at = toolcrib_testkit::NOW;
            db.write::<_, toolcrib_store::StoreError, _>(world.workspace, move |tx| {
                Box::pin(async move {
                    let mut row = workspaces::get(tx).await?.expect("the workspace was seeded");
                    row.write_per_minute = 1_000_000;
                    row.read_per_minute = 1_000_000;
                    row.external_per_minute = 1_000_000;
                    row.default_model = Some("gpt-4o-mini".into());
                    workspaces::update(tx, &row, at).await
                })
            })
            .await
            .unwrap();
        }
        let catalog = toolcrib_actions::catalog(&Services::default()).map_err(|d| format!("{d:?}")).unwrap();
        let settings = EngineSettings {
            caller_types: CallerType::BUILT_IN.iter().map(|&name| name.to_owned()).collect(),
            public_url: "http://localhost".into(),
            confirmation_seconds: 900,
        };
        let limiter = Arc::new(LocalLimiter::new(clock.clone()));
        let engine = Engine::new((*db).clone(), Arc::new(catalog), clock.clone(), ids, limiter, settings);
        Self { engine, clock, db, a, b }
    }

    /// Somebody of workspace A.
    pub fn as_role(&self, role: Role) -> Person<'_> {
        Person { app: self, workspace: self.a.workspace, user_id: self.a.user(role) }
    }

    /// Somebody of workspace B.
    pub fn as_role_b(&self, role: Role) -> Person<'_> {
        Person { app: self, workspace: self.b.workspace, user_id: self.b.user(role) }
    }

    pub fn owner(&self) -> Person<'_> {
        self.as_role(Role::Owner)
    }
}

/// One user in one workspace.
#[derive(Clone, Copy)]
pub struct Person<'a> {
    app: &'a App,
    workspace: Id,
    user_id: Id,
}

impl Person<'_> {
    pub fn identity(&self) -> Identity {
        Identity {
            credential: Credential::User(UserToken {
                user_id: Some(self.user_id),
                issuer: "test".into(),
                subject: "test".into(),
                workspace: Some(self.workspace.to_string().into()),
                system_admin: false,
                expires_at: Ts::from_micros(i64::MAX),
            }),
            wishes: Wishes::default(),
        }
    }

    /// Calls an action; the prefix may be left out.
    pub async fn call(&self, action: &str, arguments: Value) -> Answer {
        let name = if action.contains('.') || action.starts_with("platform_") {
            action.to_owned()
        } else {
            format!("platform_{action}")
        };
        let request = CallRequest {
            identity: self.identity(),
            name,
            arguments: Arguments::Json(arguments),
            door: Door::Rest,
            idempotency_key: None,
            tool_call: None,
            request_id: "test".into(),
            trace_id: None,
        };
        self.app.engine.call(request).await
    }

    /// Calls an action that must complete; returns its data.
    pub async fn done(&self, action: &str, arguments: Value) -> Value {
        match self.call(action, arguments).await.body {
            Body::Completed(done) => done.data,
            other => panic!("`{action}` did not complete: {other:?}"),
        }
    }

    /// Calls an action that must be refused or fail; returns the code.
    pub async fn refused(&self, action: &str, arguments: Value) -> String {
        match self.call(action, arguments).await.body {
            Body::Refused(problem) => problem.code.as_str().to_owned(),
            other => panic!("`{action}` was not refused: {other:?}"),
        }
    }

    /// Calls an action that must ask; returns the confirmation's id.
    pub async fn asked(&self, action: &str, arguments: Value) -> Id {
        match self.call(action, arguments).await.body {
            Body::Waiting(waiting) => waiting.confirmation.id,
            other => panic!("`{action}` did not ask: {other:?}"),
        }
    }

    /// Approves in as many steps as it takes; returns the last answer.
    pub async fn approve(&self, id: Id) -> Result<Answer, toolcrib_engine::ActionError> {
        let mut request = ApproveRequest::default();
        loop {
            let decider = Decider { door: Door::Rest, request_id: "test".into(), trace_id: None };
            match self.app.engine.approve(&self.identity(), id, request.clone(), decider).await? {
                Approved::Ran(answer) => return Ok(*answer),
                Approved::PhraseRequired(phrase) => request.phrase = Some(phrase),
            }
        }
    }

    /// Calls an action that asks, approves it, and returns its data.
    pub async fn confirmed(&self, action: &str, arguments: Value) -> Value {
        let id = self.asked(action, arguments).await;
        match self.approve(id).await.unwrap().body {
            Body::Completed(done) => done.data,
            other => panic!("`{action}` did not complete: {other:?}"),
        }
    }
}
