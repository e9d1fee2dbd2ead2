//! Streams an export of the audit log as lines of JSON.

use std::{io, net::IpAddr, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;
use serde_json::Value;
use toolcrib_engine::{
    ActionError, Authenticated, RequestedContext,
    auth::Resource,
    chain::{AuditExport, ExportRange},
};

use crate::{auth::Proof, response, state::HttpState};

/// An export on its way to the client. Keeps the credential as it was sent, because each page verifies it again.
pub(crate) struct ExportStream {
    pub state: Arc<HttpState>,
    pub proof: Proof<'static>,
    pub requested: RequestedContext,
    pub peer: IpAddr,
    /// The operation that the caller must be allowed to call for each page.
    pub operation: &'static str,
}

impl ExportStream {
    /// Returns the response with the lines of `range`, which is the output of the operation. A page is read when the client
    /// took the one before it. An error after the first line breaks the connection off, so that no client takes a part for
    /// the whole.
    pub fn respond(self, range: Value) -> Result<Response, ActionError> {
        let range: ExportRange =
            serde_json::from_value(range).map_err(|fault| ActionError::internal(fault.to_string()))?;
        let name = format!("attachment; filename=\"audit-{}.jsonl\"", range.workspace_id);
        let export = AuditExport::new(range);
        let lines = stream::try_unfold((Arc::new(self), export), |(stream, export)| async move {
            let reading = Arc::clone(&stream);
            // In a task of its own, so that a disconnect does not cancel a query.
            let read = tokio::spawn(async move { reading.next(export).await }).await;
            let (lines, export) = read.map_err(io::Error::other)??;
            Ok::<_, io::Error>(lines.map(|lines| (Bytes::from(lines), (stream, export))))
        });
        let mut response = response::typed(StatusCode::OK, "application/x-ndjson", Body::from_stream(lines));
        if let Ok(name) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
        }
        Ok(response)
    }

    async fn next(&self, mut export: AuditExport) -> io::Result<(Option<String>, AuditExport)> {
        let lines = async {
            let credential = self.proof.verify(&self.state, Resource::Api, self.peer).await?;
            let authenticated = Authenticated { credential, requested: self.requested.clone() };
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
