//! One `tools/call`: a call of the engine's, or another look at one that waits for a human.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, InputResponses, ProtocolVersion},
    service::RequestContext,
};
use serde_json::Value;
use toolcrib_engine::{ActionError, Arguments, CallRequest, Engine, ResponseBody, Waiting};
use toolcrib_http::mount::{AuthenticatedRequest, until_decided};
use toolcrib_model::{ErrorCode, Surface};
use toolcrib_registry::{ActionKind, DISPATCHER};

use crate::{
    errors::{bad_state, of_problem, protocol},
    request_state::{Bond, Seals},
    results::{APPROVAL, UrlElicitation, of_body, of_decided, of_waiting},
};

/// How long after a confirmation's end its state is still taken, in seconds: what a human approved in the last moment
/// is fetched later.
const GRACE: i64 = 3_600;

/// One call on its way.
pub struct Call<'a> {
    engine: &'a Arc<Engine>,
    seals: &'a Seals,
    hold: u64,
    visit: &'a AuthenticatedRequest,
    name: String,
    arguments: Value,
    /// The client sends people to an address when it is asked to.
    asks: bool,
}

impl<'a> Call<'a> {
    /// What was asked for, by whom.
    pub fn new(
        (engine, seals, hold): (&'a Arc<Engine>, &'a Seals, u64),
        visit: &'a AuthenticatedRequest,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
        Self { engine, seals, hold, visit, name: params.name.to_string(), arguments, asks: asks(context) }
    }

    /// Runs it through all gates.
    pub async fn make(self) -> Result<CallToolResponse, ErrorData> {
        let answer = self.engine.call(self.request()).await;
        if let ResponseBody::Waiting(waiting) = &answer.body
            && self.asks
        {
            return self.ask(waiting).await;
        }
        let body = answer.to_value();
        match refused(&body) {
            Some(code) if self.outside(code) => Err(of_problem(code, body)),
            _ => Ok(of_body(self.engine.catalog().registry(), &body, answer.ends()).into()),
        }
    }

    /// Looks again at what waited. The record says what became of it: a state runs nothing.
    pub async fn resume(
        self,
        state: String,
        responses: Option<InputResponses>,
    ) -> Result<CallToolResponse, ErrorData> {
        let told = |error: ActionError| protocol(&error, &self.visit.request_id);
        let bond = self.bond().await?;
        let now = self.engine.clock().now();
        let id = self.seals.open(&bond, &state, now).ok_or_else(bad_state)?;
        let left_alone = declined(responses.as_ref());
        let hold = if left_alone { 0 } else { self.hold };
        let view = until_decided(self.engine, &self.visit.authenticated, id, hold).await.map_err(told)?;
        if !view.status.is_open() {
            return Ok(of_decided(self.engine.catalog().registry(), &view).into());
        }
        if self.asks && !left_alone {
            return Ok(UrlElicitation::open(&view).ask(state).into());
        }
        Ok(of_waiting(&view).into())
    }

    fn request(&self) -> CallRequest {
        CallRequest {
            authenticated: self.visit.authenticated.clone(),
            offers: ActionKind::Tool,
            name: self.name.clone(),
            arguments: Arguments::Json(self.arguments.clone()),
            surface: Surface::Mcp,
            idempotency_key: self.visit.idempotency_key.clone(),
            tool_call: None,
            request_id: self.visit.request_id.clone(),
            trace_id: self.visit.trace_id.clone(),
        }
    }

    async fn ask(&self, waiting: &Waiting) -> Result<CallToolResponse, ErrorData> {
        let bond = self.bond().await?;
        let until = waiting.confirmation.expires_at.plus_seconds(GRACE);
        let state = self.seals.seal(&bond, waiting.confirmation.id, until);
        let state = state.map_err(|error| protocol(&error, &self.visit.request_id))?;
        Ok(UrlElicitation::asked(waiting).ask(state).into())
    }

    /// Spends one look-up of the caller's.
    async fn bond(&self) -> Result<Bond, ErrorData> {
        let admitted = self.engine.admit_list(&self.visit.authenticated).await;
        let (caller, ..) = admitted.map_err(|error| protocol(&error, &self.visit.request_id))?;
        Ok(Bond::new(caller.workspace, caller.principal.key(), &self.name, &self.arguments))
    }

    /// Whether a refusal is about the request rather than about what the tool was to do.
    fn outside(&self, code: ErrorCode) -> bool {
        match code {
            ErrorCode::UnknownAction => self.name != DISPATCHER,
            ErrorCode::WorkspaceRequired | ErrorCode::WorkspaceMismatch | ErrorCode::Unauthenticated => true,
            _ => false,
        }
    }
}

fn refused(body: &Value) -> Option<ErrorCode> {
    body.get("code").and_then(Value::as_str).and_then(ErrorCode::parse)
}

/// The revision without sessions, in which the server asks nothing by itself.
pub fn newest(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The newest revision asks within a call; a client that does not open addresses is told in the result instead.
fn asks(context: &RequestContext<RoleServer>) -> bool {
    let able = context.client_capabilities().and_then(|able| able.elicitation);
    newest(context) && able.is_some_and(|able| able.url.is_some())
}

/// The person did not want to go there: asking again would not change that. It is no denial either.
fn declined(responses: Option<&InputResponses>) -> bool {
    let action = responses.and_then(|all| all.get(APPROVAL)?.get("action")?.as_str());
    matches!(action, Some("decline" | "cancel"))
}
