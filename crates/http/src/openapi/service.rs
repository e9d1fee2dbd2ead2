//! Describes the routes for the operator's machines and for browsers: webhook, probes, metrics and pages.
//!
//! Every public path but the two probes answers 503 to connections beyond the cap.

use serde_json::{Value, json};
use toolcrib_registry::schema_of;

use super::{components::ALERTMANAGER, operation::Operation};
use crate::requests::ReferenceQuery;

const OPERATIONS: &str = "Operations";

pub(super) fn operations() -> Vec<Operation> {
    let mut all = vec![alertmanager()];
    all.extend(probes());
    all.extend(pages());
    all
}

fn alertmanager() -> Operation {
    let stored = json!({
        "type": "object", "required": ["stored"],
        "properties": { "stored": { "type": "integer", "description": "How many alerts were in it." } },
    });
    Operation::new(
        "post",
        "/v1/hooks/alertmanager",
        "deliver_alerts",
        OPERATIONS,
        "Where an Alertmanager delivers its alerts",
    )
    .describe("Alerts with a workspace's label are shown to its admins, all to system admins.")
    .machine(ALERTMANAGER)
    .body(message())
    .answers(200, "They are stored.", stored)
}

/// Returns the schema of the fields of a message that are read. Alertmanager sends more fields.
fn message() -> Value {
    let words = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let time = json!({ "type": "string", "format": "date-time" });
    let alert = json!({
        "type": "object", "required": ["status", "fingerprint", "labels", "startsAt"],
        "properties": {
            "status": { "type": "string", "enum": ["firing", "resolved"] },
            "fingerprint": { "type": "string", "description": "The same for the same labels." },
            "labels": words, "annotations": words, "startsAt": time, "endsAt": time,
        },
    });
    json!({
        "type": "object", "required": ["version", "alerts"],
        "description": "A message of Alertmanager's webhook.",
        "properties": { "version": { "type": "string", "const": "4" }, "alerts": { "type": "array", "items": alert } },
    })
}

/// Describes the probes and the metrics.
fn probes() -> [Operation; 3] {
    let status =
        json!({ "type": "object", "required": ["status"], "properties": { "status": { "type": "string" } } });
    let text = json!({ "type": "string" });
    [
        Operation::new("get", "/healthz", "is_alive", OPERATIONS, "Whether the process answers")
            .describe("It says nothing of the database; restart the process where this fails.")
            .public()
            .answers(200, "It does.", status.clone()),
        Operation::new("get", "/readyz", "is_ready", OPERATIONS, "Whether it can do its work")
            .describe(
                "It asks the database and the limiter. 503 also while it drains: send no more requests here.",
            )
            .public()
            .answers(200, "It can.", status)
            .problems(&[503]),
        Operation::new("get", "/metrics", "get_metrics", OPERATIONS, "Metrics, for this machine alone")
            .describe(
                "From elsewhere it needs the operator's setting `metrics_token` as `Authorization: Bearer …`: 401 for \
                 another token, 404 without one. 404 also where metrics have an address of their own (`metrics_bind`).",
            )
            .public()
            .answers_as(200, "In Prometheus' text format.", "text/plain", text)
            .problems(&[401, 404, 429, 503]),
    ]
}

/// Describes this document and the pages.
fn pages() -> [Operation; 6] {
    [
        Operation::new("get", "/openapi.json", "get_openapi", OPERATIONS, "This document")
            .describe("It is the same for every caller.")
            .public()
            .answers(200, "OpenAPI 3.1.", json!({ "type": "object" }))
            .problems(&[503]),
        page(
            "/docs",
            "get_reference",
            "The reference as a page",
            "Every operation of this document, by tag; with `q` those that have the words.",
        )
        .parameters(&schema_of::<ReferenceQuery>(), true)
        .problems(&[422]),
        page(
            "/docs/operations/{operation}",
            "get_operation_page",
            "One operation as a page",
            "An example of a call, who may make it, its parameters, and every response.",
        )
        .problems(&[404]),
        page("/docs/guides/{guide}", "get_guide", "One guide as a page", "`/docs` lists the guides.")
            .problems(&[404]),
        page("/docs/errors", "list_errors", "Every error code", "Each with its status and what it means."),
        page(
            "/docs/errors/{code}",
            "get_error",
            "One error code",
            "Where the `type` of a problem points: what it means, and whether to try again.",
        )
        .problems(&[404]),
    ]
}

fn page(path: &str, id: &str, summary: &str, about: &str) -> Operation {
    Operation::new("get", path, id, OPERATIONS, summary)
        .describe(about)
        .public()
        .parameters(&Value::Null, false)
        .answers_as(200, "A page without outside assets.", "text/html", json!({ "type": "string" }))
        .problems(&[503])
}
