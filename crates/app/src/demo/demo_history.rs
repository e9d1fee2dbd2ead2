//! Makes calls in the past: an engine over the same database with a clock that the demo sets.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use toolcrib_access::{Scope, Scopes};
use toolcrib_auth::{AgentKey, Authenticated, Credential, RequestedContext, ServiceKey, UserToken};
use toolcrib_engine::{
    ApproveRequest, Approved, Arguments, CallRequest, CallResponse, DecisionMeta, Engine, EngineSettings,
    Outcome, grants::LocalGrants, limits::LocalLimiter,
};
use toolcrib_model::{Id, Role, Surface, TestClock, Ts};

use super::{
    script::Actor,
    workspaces::{AGENT_SCOPES, DemoWorkspace, SERVICE_SCOPES},
};
use crate::{context::AppContext, failure::Failure, services::Services};

/// The request of every call of the demo.
pub const REQUEST_ID: &str = "demo";

/// An engine whose clock is set to the past.
pub struct DemoHistory {
    engine: Arc<Engine>,
    clock: Arc<TestClock>,
    /// IDs in the outputs of earlier steps, by the name under which the script saves them.
    saved: HashMap<String, String>,
}

impl DemoHistory {
    /// Creates an engine over the same database and catalogue, with rate limits of its own, whose confirmations wait
    /// for so many seconds.
    pub fn new(context: &AppContext, services: &Services, at: Ts, confirmation_seconds: i64) -> Self {
        let clock = Arc::new(TestClock::new(at));
        let engine = Engine::new(
            services.db.clone(),
            services.catalog.clone(),
            clock.clone(),
            context.ids.clone(),
            Arc::new(LocalLimiter::new(clock.clone())),
            Arc::new(LocalGrants::new(clock.clone())),
            EngineSettings { confirmation_seconds, ..services.engine.settings().clone() },
        );
        Self { engine, clock, saved: HashMap::new() }
    }

    /// Sets the clock.
    pub fn at(&self, at: Ts) {
        self.clock.set(at);
    }

    /// Makes a call that should complete, and approves it if it waits. Replaces `$name` in the arguments by
    /// the saved ID. A call that fails is skipped: an incomplete demo is better than none.
    pub async fn done(
        &mut self,
        place: &DemoWorkspace,
        actor: Actor,
        action: &str,
        arguments: &Value,
        save: Option<&str>,
    ) -> Result<(), Failure> {
        let Some(arguments) = self.filled(arguments) else { return Ok(()) };
        let answer = self.attempt(place, actor, action, arguments).await?;
        let done = match answer.outcome {
            Outcome::Waiting(waiting) => self.approve(place, actor, waiting.confirmation.id).await?,
            body => completed(body),
        };
        match done {
            Ok(data) => {
                if let (Some(name), Some(id)) = (save, data.get("id").and_then(Value::as_str)) {
                    self.saved.insert(name.to_owned(), id.to_owned());
                }
            }
            Err(why) => tracing::warn!(action, why, "the demo goes on without it"),
        }
        Ok(())
    }

    /// Returns the ID that was saved under this name.
    pub fn saved(&self, name: &str) -> Option<&str> {
        self.saved.get(name).map(String::as_str)
    }

    /// Replaces `$name` in the arguments. Returns `None` if a name was not saved.
    fn filled(&self, arguments: &Value) -> Option<Value> {
        let mut filled = arguments.clone();
        for value in filled.as_object_mut()?.values_mut() {
            if let Some(name) = value.as_str().and_then(|text| text.strip_prefix('$')) {
                *value = self.saved.get(name)?.as_str().into();
            }
        }
        Some(filled)
    }

    /// Makes a call and ignores whether it succeeds, because a realistic audit log also has refused calls.
    pub async fn attempt(
        &mut self,
        place: &DemoWorkspace,
        actor: Actor,
        action: &str,
        arguments: Value,
    ) -> Result<CallResponse, Failure> {
        let meta = self.engine.catalog().registry().get(action);
        let unknown = || Failure::CouldNotRun(format!("the demo calls `{action}`, which does not exist"));
        let offers = meta.ok_or_else(unknown)?.spec.kind;
        // Calls are some seconds apart.
        self.clock.advance(7);
        let request = CallRequest {
            authenticated: authenticated(place, actor)?,
            offers,
            name: action.to_owned(),
            arguments: Arguments::Json(arguments),
            surface: Surface::Rest,
            idempotency_key: None,
            tool_call: None,
            request_id: REQUEST_ID.into(),
            trace_id: None,
        };
        Ok(self.engine.call(request).await)
    }

    /// Approves a call as the same caller, in as many steps as the confirmation needs.
    async fn approve(
        &self,
        place: &DemoWorkspace,
        actor: Actor,
        id: Id,
    ) -> Result<Result<Value, String>, Failure> {
        let mut request = ApproveRequest::default();
        loop {
            self.clock.advance(20);
            let decider = DecisionMeta {
                surface: Surface::Rest,
                request_id: REQUEST_ID.into(),
                trace_id: None,
                user_token: None,
            };
            match self.engine.approve(&authenticated(place, actor)?, id, request.clone(), decider).await {
                Ok(Approved::PhraseRequired(required)) => request.phrase = Some(required.phrase),
                Ok(Approved::Executed(answer, _) | Approved::NewConfirmation(answer)) => {
                    return Ok(completed(answer.outcome));
                }
                Err(error) => return Ok(Err(error.detail)),
            }
        }
    }
}

fn completed(body: Outcome) -> Result<Value, String> {
    match body {
        Outcome::Completed(done) => Ok(done.value()),
        Outcome::Refused(problem) => {
            Err(format!("{} {} {:?}", problem.code.as_str(), problem.detail, problem.errors))
        }
        _ => Err("it did not complete".to_owned()),
    }
}

fn authenticated(place: &DemoWorkspace, actor: Actor) -> Result<Authenticated, Failure> {
    let credential = match actor {
        Actor::User(role) => Credential::User(UserToken {
            user_id: Some(place.user(role)),
            issuer: toolcrib_auth::issuer::ISSUER.into(),
            subject: place.plan.subject(role).into(),
            workspace: Some(place.id.to_string().into()),
            system_admin: false,
            expires_at: Ts::from_micros(i64::MAX),
            console: false,
        }),
        Actor::Agent => Credential::Agent(AgentKey {
            key_id: key_id(&place.agent_key)?,
            workspace: place.id,
            agent_id: place.agent,
            runs_as: place.user(Role::Editor),
            mission: None,
            scopes: scopes(&AGENT_SCOPES),
            caller_types: vec!["mission".into()],
        }),
        Actor::Service => Credential::Service(ServiceKey {
            key_id: key_id(&place.service_key)?,
            workspace: place.id,
            role: Role::Editor.to_string(),
            scopes: scopes(&SERVICE_SCOPES),
            caller_types: vec!["chat".into()],
        }),
    };
    Ok(Authenticated { credential, requested: RequestedContext::default() })
}

fn scopes(words: &[&str]) -> Scopes {
    Scopes::Only(words.iter().filter_map(|word| word.parse::<Scope>().ok()).collect())
}

fn key_id(text: &str) -> Result<Id, Failure> {
    let parsed = toolcrib_auth::secret::parse_key(text).map(|(id, _)| id);
    parsed.ok_or_else(|| Failure::CouldNotRun("a key of the demo has no id".into()))
}
