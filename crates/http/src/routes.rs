//! The table of routes: the operation for each method and path. A name in braces is the operation's parameter
//! of that name. The other parameters are in the query of a GET and of [`RouteKind::Queried`], and in the
//! body of other requests.
//!
//! A row is ignored if the catalogue does not contain its operation.

use axum::http::Method;

/// One row of the table.
#[derive(Debug)]
pub struct Route {
    pub method: Method,
    /// The path, with names in braces.
    pub path: &'static str,
    pub operation: &'static str,
    /// The status of a successful response.
    pub status: u16,
    /// How the route differs from a plain one.
    pub kind: RouteKind,
}

/// How a route differs from a plain one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteKind {
    /// It does not differ.
    Plain,
    /// The output's `version` is the response's `ETag`, and `If-Match` is the parameter `if_match`.
    Versioned,
    /// `format=markdown` returns the output's `markdown` as text.
    Report,
    /// The body is a list of records, which the client can split if it is too large.
    Records,
    /// The body may have 8 MiB: it contains a document.
    Large,
    /// Like [`RouteKind::Versioned`]. The body, which may be large, is the parameter `document`.
    Document,
    /// The parameters are in the query, and the request has no body.
    Queried,
    /// The output is the range of an export; the response is a stream of its lines.
    Export,
    /// The output is a run of the assistant, which the response waits for up to `wait` seconds. 202 while it is not
    /// ended.
    Run,
    /// The output is a thread of the assistant, to which the response adds what waits for the reader.
    Thread,
}

const fn row(method: Method, path: &'static str, operation: &'static str, status: u16) -> Route {
    Route { method, path, operation, status, kind: RouteKind::Plain }
}

const fn get(path: &'static str, operation: &'static str) -> Route {
    row(Method::GET, path, operation, 200)
}

/// A POST that creates a resource.
const fn create(path: &'static str, operation: &'static str) -> Route {
    row(Method::POST, path, operation, 201)
}

const fn patch(path: &'static str, operation: &'static str) -> Route {
    row(Method::PATCH, path, operation, 200)
}

const fn delete(path: &'static str, operation: &'static str) -> Route {
    row(Method::DELETE, path, operation, 200)
}

const fn records(path: &'static str, operation: &'static str) -> Route {
    row(Method::POST, path, operation, 200).with(RouteKind::Records)
}

impl Route {
    const fn with(mut self, kind: RouteKind) -> Self {
        self.kind = kind;
        self
    }
}

pub static ROUTES: &[Route] = &[
    get("/v1/me", "me.get"),
    get("/v1/workspaces", "workspaces.list"),
    create("/v1/workspaces", "workspaces.create"),
    get("/v1/workspaces/{id}", "workspaces.get"),
    patch("/v1/workspaces/{id}", "workspaces.update"),
    delete("/v1/workspaces/{id}", "workspaces.delete"),
    get("/v1/members", "members.list"),
    create("/v1/members", "members.add"),
    get("/v1/members/{user_id}", "members.get"),
    patch("/v1/members/{user_id}", "members.update"),
    delete("/v1/members/{user_id}", "members.remove").with(RouteKind::Queried),
    get("/v1/invitations", "invitations.list"),
    create("/v1/invitations", "invitations.create"),
    delete("/v1/invitations/{id}", "invitations.revoke"),
    get("/v1/keys", "keys.list"),
    create("/v1/keys", "keys.create"),
    row(Method::POST, "/v1/keys/{id}/adopt", "keys.adopt", 200),
    delete("/v1/keys/{id}", "keys.revoke"),
    create("/v1/client-tokens", "client_tokens.create"),
    get("/v1/settings", "settings.get").with(RouteKind::Versioned),
    patch("/v1/settings", "settings.update").with(RouteKind::Versioned),
    get("/v1/connections", "connections.list"),
    create("/v1/connections", "connections.create"),
    delete("/v1/connections/{id}", "connections.delete"),
    get("/v1/datasources", "datasources.list"),
    create("/v1/datasources", "datasources.create"),
    delete("/v1/datasources/{id}", "datasources.delete"),
    get("/v1/notifications", "notifications.list"),
    row(Method::POST, "/v1/notifications/{id}/read", "notifications.mark_read", 200),
    row(Method::POST, "/v1/notifications/read", "notifications.mark_all_read", 200),
    get("/v1/webhooks", "webhooks.list"),
    create("/v1/webhooks", "webhooks.create"),
    patch("/v1/webhooks/{id}", "webhooks.update"),
    delete("/v1/webhooks/{id}", "webhooks.delete"),
    row(Method::POST, "/v1/webhooks/{id}/rotate", "webhooks.rotate", 200),
    row(Method::POST, "/v1/webhooks/{id}/test", "webhooks.test", 200),
    get("/v1/webhooks/{id}/deliveries", "webhooks.list_deliveries"),
    row(Method::POST, "/v1/webhooks/deliveries/{id}/retry", "webhooks.retry_delivery", 200),
    get("/v1/grants", "grants.list"),
    get("/v1/promotions", "promotions.list"),
    row(Method::PUT, "/v1/promotions/{caller}", "promotions.set", 200),
    delete("/v1/promotions/{caller}", "promotions.delete"),
    get("/v1/toolsets", "toolsets.list"),
    row(Method::POST, "/v1/toolsets/check", "toolsets.check", 200).with(RouteKind::Large),
    row(Method::POST, "/v1/toolsets/import", "toolsets.import", 200).with(RouteKind::Large),
    get("/v1/toolsets/{slug}", "toolsets.get").with(RouteKind::Versioned),
    row(Method::PUT, "/v1/toolsets/{slug}", "toolsets.put", 200).with(RouteKind::Document),
    patch("/v1/toolsets/{slug}", "toolsets.update").with(RouteKind::Versioned),
    delete("/v1/toolsets/{slug}", "toolsets.delete").with(RouteKind::Versioned),
    get("/v1/upstreams", "upstreams.list"),
    create("/v1/upstreams", "upstreams.create"),
    patch("/v1/upstreams/{name}", "upstreams.update").with(RouteKind::Versioned),
    delete("/v1/upstreams/{name}", "upstreams.delete").with(RouteKind::Versioned),
    row(Method::PUT, "/v1/upstreams/{name}/secret", "upstreams.set_secret", 200),
    delete("/v1/upstreams/{name}/secret", "upstreams.delete_secret"),
    row(Method::PUT, "/v1/upstreams/{name}/secret/mine", "upstreams.set_own_secret", 200),
    delete("/v1/upstreams/{name}/secret/mine", "upstreams.delete_own_secret"),
    get("/v1/upstreams/{name}/tools", "upstreams.tools"),
    row(Method::POST, "/v1/upstreams/{name}/discover", "upstreams.discover", 200),
    row(Method::POST, "/v1/upstreams/{name}/test", "upstreams.test", 200),
    get("/v1/packs", "packs.list"),
    patch("/v1/packs/{slug}", "packs.update").with(RouteKind::Versioned),
    delete("/v1/packs/{slug}/data", "packs.delete_data"),
    create("/v1/marketplace/items", "marketplace.add_item"),
    patch("/v1/marketplace/items/{id}", "marketplace.update_item"),
    row(Method::POST, "/v1/missions/{id}/start", "missions.start", 200),
    get("/v1/audit", "audit.list"),
    get("/v1/audit/stats", "audit.stats"),
    get("/v1/audit/verify", "audit.verify"),
    get("/v1/assistant/models", "assistant.list_models"),
    get("/v1/assistant/threads", "assistant.list_threads"),
    get("/v1/assistant/threads/{thread}", "assistant.get_thread").with(RouteKind::Thread),
    delete("/v1/assistant/threads/{thread}", "assistant.delete_thread"),
    row(Method::POST, "/v1/assistant/threads/{thread}/stop", "assistant.stop_thread", 200)
        .with(RouteKind::Run),
    row(Method::POST, "/v1/assistant/threads/{thread}/runs", "assistant.start_run", 200).with(RouteKind::Run),
    get("/v1/assistant/runs", "assistant.list_runs"),
    get("/v1/assistant/runs/{id}", "assistant.get_run").with(RouteKind::Run),
    row(Method::POST, "/v1/assistant/runs/{id}/stop", "assistant.stop_run", 200).with(RouteKind::Run),
    get("/v1/audit/export", "audit.export").with(RouteKind::Export),
    get("/v1/audit/{call_id}", "audit.get"),
    get("/v1/access/report", "access.report").with(RouteKind::Report),
    get("/v1/access/matrix", "access.matrix"),
    get("/v1/access/explain", "access.explain"),
    get("/v1/access/scopes", "access.scopes"),
    get("/v1/access/tools", "access.tools"),
    records("/v1/records/llm-usage", "records.add_llm_usage"),
    records("/v1/records/executions", "records.add_executions"),
    records("/v1/records/messages", "records.add_messages"),
    records("/v1/records/heartbeats", "records.add_heartbeats"),
    records("/v1/records/documents", "records.add_documents"),
    records("/v1/records/documents/{document_id}/chunks", "records.add_chunks"),
    records("/v1/records/missions", "records.add_missions"),
];

impl Route {
    /// Returns the names in braces.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Whether the output's `version` is the response's `ETag`.
    pub fn is_versioned(&self) -> bool {
        matches!(self.kind, RouteKind::Versioned | RouteKind::Document)
    }

    pub fn has_query_parameters(&self) -> bool {
        self.method == Method::GET || self.kind == RouteKind::Queried
    }
}
