//! The OpenAPI document as text, and the reference that is rendered from it. The pages have no scripts.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use toolcrib_engine::Catalog;
use toolcrib_model::ErrorCode;
use toolcrib_registry::ActionMeta;

use crate::{ROUTES, response};

mod access;
mod errors;
mod example;
mod guides;
mod html;
mod index;
mod operation;
mod schema;

use operation::Operation;

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// The text of the OpenAPI document and what the pages are rendered from.
pub(crate) struct Pages {
    openapi: Bytes,
    index: Bytes,
    errors: Bytes,
    operations: Vec<Operation>,
    components: Value,
    /// `Content-Security-Policy` of the pages. It allows their style sheet and the search form.
    policy: Option<HeaderValue>,
}

impl Pages {
    /// Makes the pages of a catalogue and its document: the first page now, those of operations when they are asked
    /// for.
    pub fn new(mut document: Value, catalog: &Catalog) -> Self {
        let style = STANDARD.encode(Sha256::digest(html::STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        );
        let openapi = document.to_string().into();
        let operations = operations(&document, catalog);
        let components = document.get_mut("components").map(Value::take).unwrap_or_default();
        Self {
            index: index::index(&document, &operations).into(),
            errors: errors::list(&components).into(),
            openapi,
            operations,
            components,
            policy: HeaderValue::from_str(&policy).ok(),
        }
    }

    /// Returns the OpenAPI document.
    pub fn openapi(&self) -> Response {
        response::typed(StatusCode::OK, "application/json", self.openapi.clone())
    }

    /// Returns the list of all operations.
    pub fn index(&self) -> Response {
        self.html(self.index.clone())
    }

    /// Returns the operations that have the words of a query.
    pub fn search(&self, query: &str) -> Response {
        self.html(index::results(query, &self.operations).into())
    }

    pub fn operation(&self, id: &str) -> Option<Response> {
        let operation = self.operations.iter().find(|operation| operation.id == id)?;
        Some(self.html(operation.page(&self.components)?.into()))
    }

    pub fn guide(&self, name: &str) -> Option<Response> {
        guides::Guide::find(name).map(|guide| self.html(guide.page().into()))
    }

    /// Returns the list of error codes.
    pub fn errors(&self) -> Response {
        self.html(self.errors.clone())
    }

    pub fn error(&self, code: ErrorCode) -> Response {
        self.html(errors::one(code).into())
    }

    /// Returns the page for an address where nothing is, with status 404.
    pub fn no_such_page(&self) -> Response {
        let mut response = self.html(errors::no_such_page().into());
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }

    fn html(&self, body: Bytes) -> Response {
        let mut response = response::typed(StatusCode::OK, "text/html; charset=utf-8", body);
        if let Some(policy) = &self.policy {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy.clone());
        }
        response
    }
}

/// Returns what the catalogue knows of an operation of the document. Those of the route table have `_` for each dot.
fn meta_of(catalog: &Catalog, id: &str) -> Option<Arc<ActionMeta>> {
    let registry = catalog.registry();
    let routed =
        || ROUTES.iter().find(|route| route.operation.replace('.', "_") == id).map(|route| route.operation);
    registry.get(id).or_else(|| registry.get(routed()?)).cloned()
}

/// Returns the operations of a document. Each keeps its part of the document as text, which is smaller than a value.
fn operations(document: &Value, catalog: &Catalog) -> Vec<Operation> {
    let mut operations = Vec::new();
    for (path, methods) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            let Some(part) = methods.get(method) else { continue };
            let word =
                |pointer: &str| part.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
            let id = word("/operationId");
            let meta = meta_of(catalog, &id);
            // What the document adds about callers fits a search for any role or scope.
            let description = match &meta {
                Some(meta) => meta.spec.description.to_string(),
                None => word("/description"),
            };
            operations.push(Operation {
                meta,
                json: part.to_string(),
                id,
                method: method.to_uppercase(),
                path: path.clone(),
                tag: word("/tags/0"),
                summary: word("/summary"),
                description,
            });
        }
    }
    operations
}
