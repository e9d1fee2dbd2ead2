//! The handler of every row of the route table.

use std::{collections::HashMap, sync::Arc};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderValue, StatusCode, header, request::Parts as Head},
    response::Response,
};
use serde_json::{Map, Value};
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, Arguments, CallKey, CallRequest, CallResponse, Outcome};
use toolcrib_model::ErrorCode;
use toolcrib_registry::ActionKind;

use crate::{
    assistant::{RunWait, with_current_message},
    audit_export::ExportStream,
    body, headers,
    problem::ProblemResponse,
    query,
    request_meta::RequestMeta,
    response,
    routes::{Route, RouteKind},
    state::HttpState,
};

/// Calls the operation of a row with the parameters of the request and returns its data.
pub(crate) async fn run(
    state: &Arc<HttpState>,
    route: &'static Route,
    authenticated: Authenticated,
    names: HashMap<String, String>,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let idempotency_key = headers::idempotency_key(request.headers())?;
    let (head, sent) = request.into_parts();
    let mut fields = parameters(state, route, &head, sent).await?;
    let markdown = route.kind == RouteKind::Report && wants_markdown(state, route, &mut fields)?;
    join(state, route, names, &head, &mut fields)?;
    let export = ExportStream::of(state, route, &head)?;
    let wait = RunWait::of(route, &authenticated, &fields);
    let reader = (route.kind == RouteKind::Thread).then(|| authenticated.clone());
    let answer = state
        .engine()
        .call(CallRequest {
            surface: authenticated.surface(),
            authenticated,
            offers: ActionKind::Operation,
            name: route.operation.to_owned(),
            arguments: Arguments::Json(Value::Object(fields)),
            idempotency_key: idempotency_key.map(CallKey::Header),
            tool_call: None,
            request_id: meta.request_id.clone(),
            trace_id: meta.trace_id.clone(),
        })
        .await;
    match (export, wait, reader) {
        (Some(export), ..) => export.respond(&answer),
        (None, Some(wait), _) => wait.respond(state, route, &answer).await,
        (None, None, Some(reader)) => with_current_message(state, &reader, &answer).await,
        (None, None, None) => Ok(reply_of(route, &answer, markdown)),
    }
}

/// Reads the parameters of the query or the body.
async fn parameters(
    state: &HttpState,
    route: &Route,
    head: &Head,
    sent: Body,
) -> Result<Map<String, Value>, ProblemResponse> {
    let is_large = matches!(route.kind, RouteKind::Large | RouteKind::Document);
    let limit = if is_large { body::LARGE } else { body::USUAL };
    if route.has_query_parameters() {
        body::none(&head.headers, sent, || query_names(state, route)).await?;
        Ok(query::object(&head.uri, schema(state, route))?)
    } else {
        query::none(&head.uri)?;
        let body = body::object(&head.headers, sent, limit).await;
        Ok(match body.map_err(|error| with_advice(route, error))? {
            document if route.kind == RouteKind::Document => {
                Map::from_iter([("document".to_owned(), document)])
            }
            Value::Object(fields) => fields,
            _ => Map::new(),
        })
    }
}

/// Adds to the refusal of a body that is too large how to send its records.
fn with_advice(route: &Route, error: ActionError) -> ActionError {
    match (route.kind, error.code) {
        (RouteKind::Records, ErrorCode::PayloadTooLarge) => error.hint("send fewer records in one request"),
        _ => error,
    }
}

fn schema<'s>(state: &'s HttpState, route: &Route) -> &'s Value {
    state.catalog().registry().get(route.operation).map_or(&Value::Null, |meta| meta.input.value())
}

/// Returns the names of the query parameters: all parameters except those of the path.
fn query_names(state: &HttpState, route: &Route) -> Vec<String> {
    let properties = schema(state, route).get("properties").and_then(Value::as_object);
    let names = properties.into_iter().flat_map(Map::keys);
    names.filter(|name| !route.names().any(|own| own == name.as_str())).cloned().collect()
}

/// Adds the parameters of the path and of headers. A parameter that is also in the query or body is an error.
fn join(
    state: &HttpState,
    route: &Route,
    names: HashMap<String, String>,
    head: &Head,
    fields: &mut Map<String, Value>,
) -> Result<(), ActionError> {
    let properties = schema(state, route).get("properties");
    let tag = if route.is_versioned() { headers::if_match(&head.headers)? } else { None };
    let if_match = tag.filter(|_| !route.has_query_parameters()).map(|tag| ("if_match".to_owned(), tag));
    let from_head = names.into_iter().chain(if_match);
    for (name, text) in from_head {
        let value = query::read(&text, properties.and_then(|all| all.get(&name)));
        if fields.insert(name.clone(), value).is_some() {
            let message = "is said by the path or a header of this request already; leave it out here";
            return Err(ActionError::invalid(&format!("/{name}"), "duplicate", message));
        }
    }
    Ok(())
}

/// Returns whether the client wants Markdown. Removes `format`, unless the operation has a parameter of that
/// name.
fn wants_markdown(
    state: &HttpState,
    route: &Route,
    fields: &mut Map<String, Value>,
) -> Result<bool, ActionError> {
    let own = schema(state, route).pointer("/properties/format").is_some();
    let given = if own { fields.get("format").cloned() } else { fields.shift_remove("format") };
    match given.as_ref().map(|format| format.as_str().unwrap_or_default()) {
        None | Some("json") => Ok(false),
        Some("markdown") => Ok(true),
        Some(_) if own => Ok(false),
        Some(_) => Err(ActionError::invalid("/format", "enum", "must be one of json, markdown")),
    }
}

fn reply_of(route: &Route, answer: &CallResponse, markdown: bool) -> Response {
    let mut response = response::data(answer, route.status);
    let Outcome::Completed(done) = &answer.outcome else { return response };
    if !markdown && !route.is_versioned() {
        return response;
    }
    let data = done.value();
    if let (true, Some(text)) = (markdown, data.get("markdown").and_then(Value::as_str)) {
        let mut report = response::typed(StatusCode::OK, "text/markdown; charset=utf-8", text.to_owned());
        if let Some(limit) = &answer.limit {
            response::limits(report.headers_mut(), limit);
        }
        return report;
    }
    if route.is_versioned() {
        let version = data.get("version").map(|version| match version {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let tag = version.and_then(|version| HeaderValue::from_str(&format!("\"{version}\"")).ok());
        if let Some(tag) = tag {
            response.headers_mut().insert(header::ETAG, tag);
        }
    }
    response
}
