//! `POST /v1/assistant/chat` and `GET /v1/assistant/chat/{thread}/stream`: the routes that `useChat` calls.

use std::{collections::HashSet, sync::Arc};

use axum::{
    extract::{Request, State},
    http::{StatusCode, request::Parts as Head},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};
use toolcrib_assistant::Assistant;
use toolcrib_auth::{Authenticated, Resource};
use toolcrib_engine::{ActionError, Arguments, CallKey, CallRequest, Outcome};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::ActionKind;

use super::{
    chunks::Chunks,
    decisions::{AskedAgain, ChatDecision},
    run_stream::RunStream,
};
use crate::{
    auth::{Auth, PathParam, StreamCredential},
    body, headers,
    problem::ProblemResponse,
    query,
    request_meta::RequestMeta,
    requests::ChatRequest,
    response,
    state::HttpState,
};

const START: &str = "assistant.start_run";
/// The most characters of a message and of its ID, as `assistant.start_run` takes them.
const MAX_WORDS: usize = 32_768;
const MAX_ID: usize = 128;

/// What a body asks for: its last message.
enum Wanted {
    /// The person says something.
    Say(Map<String, Value>),
    /// The assistant's message goes on, after what the person decided.
    GoOn { run: Id, thread: String, decisions: Vec<ChatDecision>, calls: HashSet<String> },
}

/// `POST /v1/assistant/chat`
pub(crate) async fn send(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    query::none(request.uri())?;
    let (head, sent) = request.into_parts();
    // Before the body is read, and before a message is taken.
    let stream = stream(&state, &authenticated, &head).await?;
    let body = body::object(&head.headers, sent, body::LARGE).await?;
    let (wanted, assistant) = (Wanted::of(state.schemas.chat.read(body)?)?, assistant(&state)?);
    match wanted {
        Wanted::Say(arguments) => {
            let answer = state.engine().call(start(&authenticated, arguments, &head, &meta)?).await;
            let Outcome::Completed(done) = &answer.outcome else { return Ok(response::data(&answer, 200)) };
            let data = done.value();
            let run = data["run"].as_str().and_then(|run| run.parse().ok());
            let run = run.ok_or_else(|| ActionError::internal("a run that was started has no ID"))?;
            assistant.wake();
            let mut message = assistant.message(&authenticated, run).await?;
            message.run.model_replaced = data["model_replaced"].as_str().map(str::to_owned);
            Ok(stream.respond(&message, Chunks::default()))
        }
        Wanted::GoOn { run, thread, decisions, calls } => {
            let message = assistant.message(&authenticated, run).await?;
            if message.run.thread != thread {
                return Err(ActionError::not_found("run", &run.to_string()).into());
            }
            let again = AskedAgain::decide(&state, &authenticated, &meta, &message, decisions).await?;
            assistant.wake();
            let chunks = Chunks::after(&message.steps, &calls, again);
            let message = assistant.message(&authenticated, run).await?;
            Ok(stream.respond(&message, chunks))
        }
    }
}

/// `GET /v1/assistant/chat/{thread}/stream`
pub(crate) async fn resume(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(thread): PathParam,
    request: Request,
) -> Result<Response, ProblemResponse> {
    query::none(request.uri())?;
    let (head, sent) = request.into_parts();
    body::none(&head.headers, sent, Vec::new).await?;
    let assistant = assistant(&state)?;
    let Some(run) = assistant.newest_run(&authenticated, &thread).await? else {
        return Ok(StatusCode::NO_CONTENT.into_response());
    };
    let message = assistant.message(&authenticated, run).await?;
    if !message.goes_on {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(stream(&state, &authenticated, &head).await?.respond(&message, Chunks::default()))
}

fn assistant(state: &HttpState) -> Result<&Arc<Assistant>, ActionError> {
    state
        .app
        .assistant
        .as_ref()
        .ok_or_else(|| ActionError::new(ErrorCode::ConnectorNotConfigured, "this process has no assistant"))
}

/// Opens a stream for a caller. 429 if the caller has too many.
async fn stream(
    state: &Arc<HttpState>,
    authenticated: &Authenticated,
    head: &Head,
) -> Result<RunStream, ActionError> {
    let credential = StreamCredential::of(head, state, Resource::Api)?;
    let (caller, _) = state.engine().admit(authenticated).await?;
    let place = state.streams.open(Some(caller.workspace), caller.principal).map_err(|error| {
        error.hint("close another chat or stream; `GET /v1/assistant/threads/{thread}` has the messages")
    })?;
    Ok(RunStream { state: Arc::clone(state), credential, place })
}

fn start(
    authenticated: &Authenticated,
    arguments: Map<String, Value>,
    head: &Head,
    meta: &RequestMeta,
) -> Result<CallRequest, ActionError> {
    Ok(CallRequest {
        surface: authenticated.surface(),
        authenticated: authenticated.clone(),
        offers: ActionKind::Operation,
        name: START.to_owned(),
        arguments: Arguments::Json(Value::Object(arguments)),
        idempotency_key: headers::idempotency_key(&head.headers)?.map(CallKey::Header),
        tool_call: None,
        request_id: meta.request_id.clone(),
        trace_id: meta.trace_id.clone(),
    })
}

impl Wanted {
    /// Reads the last message of a body. Earlier ones are stored here, and those of a client are not read.
    fn of(request: ChatRequest) -> Result<Self, ActionError> {
        let ChatRequest { id, messages, message, agent, model } = request;
        let pointer = match (&message, messages.len()) {
            (Some(_), _) => "/message".to_owned(),
            (None, 0) => "/messages".to_owned(),
            (None, count) => format!("/messages/{}", count - 1),
        };
        let invalid = |code: &str, message: &str| ActionError::invalid(&pointer, code, message);
        let last = message.or_else(|| messages.into_iter().next_back());
        let last = last.ok_or_else(|| invalid("required", "send the conversation's last message"))?;
        if !last.is_object() {
            return Err(invalid("type", "a message is an object with `id`, `role` and `parts`"));
        }
        let parts = last["parts"].as_array().cloned().unwrap_or_default();
        match last["role"].as_str() {
            Some("user") => {
                let id_of_message = message_id(&last["id"], &pointer)?;
                let arguments = json!({
                    "thread": id, "message": words(&parts, invalid)?, "message_id": id_of_message, "agent": agent,
                    "model": model,
                });
                let Value::Object(mut arguments) = arguments else { return Err(invalid("type", "")) };
                arguments.retain(|_, value| !value.is_null());
                Ok(Self::Say(arguments))
            }
            Some("assistant") => {
                let sent = last["id"].as_str().unwrap_or_default();
                let run = Id::try_parse(sent).map_err(|_| ActionError::not_found("run", sent))?;
                let calls = parts.iter().filter_map(|part| part["toolCallId"].as_str());
                let (decisions, calls) =
                    (ChatDecision::read(&parts, invalid)?, calls.map(str::to_owned).collect());
                Ok(Self::GoOn { run, thread: id, decisions, calls })
            }
            _ => Err(invalid("role", "the last message must be one of the `user` or of the `assistant`")),
        }
    }
}

/// Returns the ID of a person's message, which may have none.
fn message_id<'m>(id: &'m Value, pointer: &str) -> Result<Option<&'m str>, ActionError> {
    match id {
        Value::Null => Ok(None),
        Value::String(id) if (1..=MAX_ID).contains(&id.trim().chars().count()) => Ok(Some(id)),
        _ => {
            let what = format!("must be a text of 1 to {MAX_ID} characters");
            Err(ActionError::invalid(&format!("{pointer}/id"), "id", what))
        }
    }
}

/// Returns the text of a person's message.
fn words(parts: &[Value], invalid: impl Fn(&str, &str) -> ActionError) -> Result<String, ActionError> {
    if parts.iter().any(|part| part["type"] == "file") {
        return Err(invalid("file", "files are not supported: send text"));
    }
    let texts = parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str());
    let words = texts.collect::<Vec<_>>().join("\n\n");
    if words.trim().is_empty() {
        return Err(invalid("empty", "the last message has no part with a `text`"));
    }
    if words.trim().chars().count() > MAX_WORDS {
        return Err(invalid("maxLength", &format!("must have at most {MAX_WORDS} characters of text")));
    }
    Ok(words)
}
