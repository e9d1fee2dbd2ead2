//! Services that actions of packs call: upstreams of the workspace, asked for JSON over the guarded client.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_connectors::upstream::{Method, SendError, UpstreamAnswer, UpstreamClient, UpstreamSend};
use toolcrib_model::{ErrorCode, visible};
use toolcrib_store::{Tx, upstreams};
use toolcrib_toolset::UpstreamKind;
use url::Url;

use super::{
    ExternalCx, OperatorRules,
    upstreams::{CatalogUpstream, upstream_secret},
};
use crate::base::ActionError;

/// The most bytes of an answer. A larger one is an error.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// An upstream of the workspace, with the secret of the caller's calls. Cheap to keep, for one call.
pub struct Service {
    client: UpstreamClient,
    upstream: CatalogUpstream,
    secret: Option<SecretString>,
    limit_key: String,
}

/// The answer of a service, whatever its status.
#[derive(Clone, Debug)]
pub struct ServiceAnswer {
    pub status: u16,
    /// The body, if its media type is JSON and it parses.
    pub json: Option<Value>,
    /// The media type without parameters, in lower case.
    pub media_type: Option<String>,
    /// `Retry-After`, in seconds.
    pub retry_after: Option<u64>,
    /// Whether the body is larger than an answer may be. Then it is not read.
    pub too_large: bool,
    text: String,
}

/// Why a request has no answer.
#[derive(Debug)]
pub struct ServiceError {
    /// The error for the caller. It names the service.
    pub error: ActionError,
    /// Whether the service may have processed the request.
    pub is_unknown: bool,
}

impl From<ServiceError> for ActionError {
    fn from(failed: ServiceError) -> Self {
        failed.error
    }
}

impl ServiceAnswer {
    fn of(answer: UpstreamAnswer) -> Self {
        let media_type = answer.content_type.as_deref().and_then(|text| text.split(';').next());
        let media_type = media_type.map(|text| text.trim().to_ascii_lowercase());
        let is_json =
            media_type.as_deref().is_some_and(|text| text.ends_with("/json") || text.ends_with("+json"));
        Self {
            status: answer.status,
            json: is_json.then(|| serde_json::from_slice(&answer.body).ok()).flatten(),
            media_type,
            retry_after: answer.retry_after,
            too_large: answer.unread.is_some(),
            text: visible(String::from_utf8_lossy(&answer.body).trim()).into_owned(),
        }
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the body as text, for the log of the operator. An error of a service can contain paths and stack traces.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl ExternalCx<'_> {
    /// Returns the workspace's upstream with this name. 501 `connector_not_configured` with the repair if it or its secret is
    /// missing.
    pub async fn service(&self, name: &str) -> Result<Service, ActionError> {
        let rules = self.tools.catalog.rules();
        let mut tx = self.db.read(self.caller.workspace).await?;
        let found = find(&mut tx, rules, self.caller, name).await;
        tx.end().await?;
        let (upstream, secret) = found?;
        let limit_key = upstream.limit_key(self.caller.workspace);
        Ok(Service { client: self.client.clone(), upstream, secret, limit_key })
    }
}

async fn find(
    tx: &mut Tx,
    rules: &OperatorRules,
    caller: &Caller,
    name: &str,
) -> Result<(CatalogUpstream, Option<SecretString>), ActionError> {
    let row = upstreams::get(tx, name).await?.filter(|_| rules.workspace_upstreams);
    let has_secret = upstreams::workspace_secrets(tx).await?.iter().any(|one| one.upstream == name);
    let upstream = row.and_then(|row| CatalogUpstream::of_row(&row, has_secret));
    let upstream = upstream.filter(|upstream| upstream.kind == UpstreamKind::Http);
    let upstream = upstream.ok_or_else(|| not_configured(name))?;
    let secret = upstream_secret(tx, rules, caller, &upstream).await?;
    Ok((upstream, secret))
}

fn not_configured(name: &str) -> ActionError {
    ActionError::new(ErrorCode::ConnectorNotConfigured, format!("this workspace has no upstream `{name}`"))
        .hint(format!("an admin adds it with `POST /v1/upstreams`, and its secret with `PUT /v1/upstreams/{name}/secret`"))
}

impl Service {
    /// Returns the service's address, which people may see.
    pub fn base_url(&self) -> &Url {
        &self.upstream.base_url
    }

    /// Asks for JSON. `path` is appended to the path of the service's address.
    pub async fn get(
        &self,
        path: &str,
        query: &[(&str, &str)],
        timeout: Duration,
    ) -> Result<ServiceAnswer, ServiceError> {
        self.send(Method::GET, (path, query), None, timeout).await
    }

    /// Sends one request, once. No redirect is followed. `body` is sent as JSON.
    pub async fn send(
        &self,
        method: Method,
        (path, query): (&str, &[(&str, &str)]),
        body: Option<&Value>,
        timeout: Duration,
    ) -> Result<ServiceAnswer, ServiceError> {
        let has_effect = method != Method::GET;
        let sent = self.client.send(UpstreamSend {
            upstream: &self.limit_key,
            method,
            url: self.url(path, query),
            has_effect,
            accept: None,
            headers: &[],
            body: body.map(|body| ("application/json", body.to_string().into_bytes())),
            credential: self.upstream.credential(self.secret.clone()),
            roots: self.upstream.roots.as_ref(),
            timeout,
            max_bytes: MAX_BYTES,
            traceparent: None,
            watch: None,
        });
        sent.await.map(ServiceAnswer::of).map_err(|error| self.unanswered(&error))
    }

    fn url(&self, path: &str, query: &[(&str, &str)]) -> Url {
        let mut url = self.upstream.base_url.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{base}{path}"));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    fn unanswered(&self, error: &SendError) -> ServiceError {
        let name = &self.upstream.name;
        let told = match error {
            SendError::Busy(_) => {
                let detail = format!("too many requests to `{name}` are running");
                let busy = ActionError::new(ErrorCode::RateLimited, detail);
                ActionError { retry_after: Some(1), ..busy }
            }
            SendError::Redirect(_) => {
                let detail = format!(
                    "`{name}` at {} answered with a redirect, which is not followed",
                    self.base_url()
                );
                ActionError::new(ErrorCode::UpstreamError, detail).hint(format!(
                    "its address lacks a part such as `/{name}` at the end: an admin corrects it with `PATCH /v1/upstreams/{name}`"
                ))
            }
            _ => ActionError::new(ErrorCode::UpstreamError, format!("`{name}`: {error}")),
        };
        // Whatever redirects is not the service's API, which has then not seen the request.
        let is_unknown = error.is_unknown() && !matches!(error, SendError::Redirect(_));
        ServiceError { error: told, is_unknown }
    }
}

/// Returns whether a workspace has an upstream of this name with a secret. Asks nobody.
pub async fn is_service_set(tx: &mut Tx, name: &str) -> Result<bool, ActionError> {
    let Some(row) = upstreams::get(tx, name).await? else { return Ok(false) };
    let has_secret = upstreams::workspace_secrets(tx).await?.iter().any(|one| one.upstream == name);
    Ok(CatalogUpstream::of_row(&row, has_secret).is_some_and(|upstream| upstream.is_configured()))
}
