//! Streams an export of the audit log as lines of JSON.

use std::{io, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header, request::Parts as Head},
    response::Response,
};
use futures_util::stream;
use toolcrib_auth::Resource;
use toolcrib_engine::{
    ActionError, CallResponse, Outcome,
    chain::{AuditExport, ExportRange},
};

use crate::{
    auth::StreamCredential,
    problem::ProblemResponse,
    response,
    routes::{Route, RouteKind},
    state::HttpState,
};

/// Lines of JSON, as a type of `text`: generators of clients know no other one as text.
pub(crate) const MEDIA_TYPE: &str = "text/x-ndjson";
/// The same with its encoding: some clients read a type of `text` as Latin-1 otherwise.
const SENT_TYPE: &str = "text/x-ndjson; charset=utf-8";

/// An export on its way to the client.
pub(crate) struct ExportStream {
    state: Arc<HttpState>,
    credential: StreamCredential,
    /// The operation that the caller must be allowed to call for each page.
    operation: &'static str,
}

impl ExportStream {
    /// Returns the export of a request, if its route is one.
    pub fn of(
        state: &Arc<HttpState>,
        route: &'static Route,
        head: &Head,
    ) -> Result<Option<Self>, ActionError> {
        if route.kind != RouteKind::Export {
            return Ok(None);
        }
        Ok(Some(Self {
            state: Arc::clone(state),
            credential: StreamCredential::of(head, state, Resource::Api)?,
            operation: route.operation,
        }))
    }

    /// Returns the response of the operation's call: the lines of the range that is its output. A page is read when the
    /// client took the one before it. An error after the first page breaks the connection off, so that no client takes
    /// a part for the whole.
    pub fn respond(self, answer: &CallResponse) -> Result<Response, ProblemResponse> {
        let Outcome::Completed(done) = &answer.outcome else {
            return Ok(response::data(answer, 200));
        };
        let range: ExportRange =
            serde_json::from_value(done.value()).map_err(|error| ActionError::internal(error.to_string()))?;
        let name = format!("attachment; filename=\"audit-{}.jsonl\"", range.workspace_id);
        let mut response = response::typed(StatusCode::OK, SENT_TYPE, self.body(AuditExport::new(range)));
        if let Ok(name) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
        }
        if let Some(limit) = &answer.limit {
            response::limits(response.headers_mut(), limit);
        }
        Ok(response)
    }

    fn body(self, export: AuditExport) -> Body {
        let pages = stream::try_unfold((Arc::new(self), export), |(stream, export)| async move {
            let reading = Arc::clone(&stream);
            // In a task of its own, so that a disconnect does not cancel a query.
            let read = tokio::spawn(async move { reading.next(export).await }).await;
            let (lines, export) = read.map_err(io::Error::other)??;
            Ok::<_, io::Error>(lines.map(|lines| (Bytes::from(lines), (stream, export))))
        });
        Body::from_stream(pages)
    }

    async fn next(&self, mut export: AuditExport) -> io::Result<(Option<String>, AuditExport)> {
        let lines = async {
            let authenticated = self.credential.verify(&self.state).await?;
            self.state.engine().read_export(&authenticated, self.operation, &mut export).await
        };
        match lines.await {
            Ok(lines) => Ok((lines, export)),
            Err(error) => {
                tracing::warn!(code = error.code.as_str(), "an export of the audit log was broken off");
                Err(io::Error::other(error.detail))
            }
        }
    }
}
