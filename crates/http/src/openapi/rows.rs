//! Describes the rows of the route table from the schemas of their operations.

use std::sync::Arc;

use axum::http::Method;
use serde_json::{Map, Value, json};
use toolcrib_engine::Catalog;
use toolcrib_registry::{ActionMeta, Level, Spec};

use super::{actions::summary, operation::Operation};
use crate::{ROUTES, Route, RouteKind, callers};

pub(super) fn operations(catalog: &Catalog) -> impl Iterator<Item = Operation> {
    ROUTES.iter().filter_map(|route| Some(operation(route, catalog.registry().get(route.operation)?)))
}

fn operation(route: &Route, meta: &Arc<ActionMeta>) -> Operation {
    let spec = &meta.spec;
    let input = &*meta.input.read();
    let id = route.operation.replace('.', "_");
    let method = route.method.as_str().to_lowercase();
    let operation = Operation::new(&method, route.path, &id, tag(route), summary(&spec.description))
        .describe(&description(spec))
        .parameters(input, route.has_query_parameters());
    let output = with_replays(meta.output.read().into_owned());
    let mut operation = match route.kind {
        RouteKind::Export => {
            let lines = json!({ "type": "string" });
            operation.answers_as(
                route.status,
                "One JSON object a line.",
                crate::audit_export::MEDIA_TYPE,
                lines,
            )
        }
        RouteKind::Run => operation.answers(route.status, "Done.", output.clone()).answers(
            202,
            "The run is not finished, or waits for a person.",
            output,
        ),
        _ => operation.answers(route.status, "Done.", output),
    }
    .problems(&[504]);
    // The model provider is missing, or does not list its models.
    if route.kind == RouteKind::Run {
        operation = operation.problems(&[501, 502]);
    }
    // The operator allows no hosts, or no folder, for datasources.
    if route.operation == "datasources.create" {
        operation = operation.problems(&[501]);
    }
    let body = body(route, input);
    let empty = body.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty);
    // Proxies may drop the body of a DELETE, so the document mentions one only if the operation has
    // parameters in it.
    operation = match route.method {
        _ if route.has_query_parameters() => operation,
        Method::DELETE if empty => operation.problems(&[413, 415]),
        _ => operation.body(body),
    };
    if spec.level >= Level::Write {
        operation = operation.problems(&[409]);
    }
    match route.kind {
        RouteKind::Versioned | RouteKind::Document if !route.has_query_parameters() => operation
            .header("If-Match", "The `ETag` that was read; another version now is refused.", tag_in_quotes())
            .problems(&[412]),
        RouteKind::Report => {
            let format = json!({ "properties": { "format": { "type": "string", "enum": ["json", "markdown"], "default": "json", "description": "What the answer is." } } });
            let own = input.pointer("/properties/format").is_some();
            let markdown = json!({ "type": "string" });
            let operation = if own { operation } else { operation.parameters(&format, true) };
            operation.answers_as(route.status, "Done.", "text/markdown", markdown)
        }
        _ => operation,
    }
}

/// Returns the description of the operation, with its level and who may call it.
fn description(spec: &Spec) -> String {
    let callers = callers::sentences(spec).join(" ");
    format!("{}\n\nLevel `{}`. {callers}", spec.description, spec.level.as_str())
}

/// Allows null for each value that is shown once: a replay does not have it.
fn with_replays(schema: Value) -> Value {
    match schema {
        Value::Object(own) => {
            let is_secret = own.contains_key("x-secret");
            let within = own.into_iter().map(|(name, value)| (name, with_replays(value)));
            let mut own: Map<String, Value> = within.collect();
            if is_secret {
                if let Some(Value::String(kind)) = own.get("type") {
                    let kinds = json!([kind, "null"]);
                    own.insert("type".to_owned(), kinds);
                }
                let about = own.get("description").and_then(Value::as_str).unwrap_or_default();
                let about = format!("{about} Null in a replay.");
                own.insert("description".to_owned(), about.into());
            }
            Value::Object(own)
        }
        Value::Array(all) => all.into_iter().map(with_replays).collect(),
        other => other,
    }
}

/// Returns the schema of `If-Match`: one `ETag`, or `*` for any.
fn tag_in_quotes() -> Value {
    json!({ "type": "string", "maxLength": 200, "pattern": "^(\\*|\"[!#-~]+\")$" })
}

/// Returns the schema of the body: the document, or all parameters except those in the path and in headers.
fn body(route: &Route, input: &Value) -> Value {
    if route.kind == RouteKind::Document {
        return input.pointer("/properties/document").cloned().unwrap_or_default();
    }
    let mut schema = input.clone();
    let elsewhere: Vec<&str> = route.names().chain(route.is_versioned().then_some("if_match")).collect();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| !elsewhere.contains(&name.as_str()));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| !elsewhere.iter().any(|known| name == known));
    }
    schema
}

/// Returns the tag of a route: the resource, capitalized.
fn tag(route: &Route) -> &'static str {
    match route.operation.split('.').next().unwrap_or_default() {
        "me" => "Me",
        "workspaces" => "Workspaces",
        "members" | "invitations" => "Members",
        "keys" | "client_tokens" => "Keys",
        "settings" => "Settings",
        "notifications" => "Notifications",
        "webhooks" => "Webhooks",
        "toolsets" => "Toolsets",
        "upstreams" => "Upstreams",
        "audit" => "Audit",
        "access" => "Access",
        "records" => "Records",
        "assistant" => "Assistant",
        _ => "Administration",
    }
}
