//! Services that actions of packs call: upstreams of the workspace, asked for JSON over the guarded client.

use std::time::Duration;

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_connectors::upstream::{Method, SendError, UpstreamAnswer, UpstreamClient, UpstreamSend};
use toolcrib_model::{ErrorCode, visible};
use toolcrib_store::{Tx, upstreams};
use toolcrib_toolset::UpstreamKind;
use url::Url;

use super::{
    ExternalCx, OperatorRules, ReadCx,
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
    /// Whether nothing of the request was sent, surely.
    pub is_unsent: bool,
    /// Whether the answer was a redirect.
    pub is_redirect: bool,
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
    /// Returns the workspace's upstream with this name. 501 `connector_not_configured` with the repair if it or its
    /// secret is missing.
    pub async fn service(&self, name: &str) -> Result<Service, ActionError> {
        let rules = self.tools.catalog.rules();
        let mut tx = self.db.read(self.caller.workspace).await?;
        let found = async {
            let upstream = find(&mut tx, rules, name).await?;
            let secret = upstream_secret(&mut tx, rules, self.caller, &upstream).await?;
            Ok::<_, ActionError>((upstream, secret))
        };
        let found = found.await;
        tx.end().await?;
        let (upstream, secret) = found?;
        let limit_key = upstream.limit_key(self.caller.workspace);
        Ok(Service { client: self.client.clone(), upstream, secret, limit_key })
    }
}

/// Finds the upstream that an action asks. 501 with the repair if it can't be asked, whatever its secret.
async fn find(tx: &mut Tx, rules: &OperatorRules, name: &str) -> Result<CatalogUpstream, ActionError> {
    if !rules.workspace_upstreams {
        let detail = format!("`{name}` is not asked: the operator forbids workspaces upstreams of their own");
        return Err(
            not_configured(detail).hint("ask the operator to allow them with the setting `upstreams`")
        );
    }
    let Some(row) = upstreams::get(tx, name).await? else { return Err(missing(name)) };
    let has_secret = upstreams::workspace_secrets(tx).await?.iter().any(|one| one.upstream == name);
    let Some(upstream) = CatalogUpstream::of_row(&row, has_secret) else { return Err(missing(name)) };
    if upstream.kind == UpstreamKind::Http {
        return Ok(upstream);
    }
    let detail = format!("the upstream `{name}` is of the kind `{}`, and an `http` one is needed", row.kind);
    Err(not_configured(detail).hint(format!(
        "an admin deletes it with `DELETE /v1/upstreams/{name}`, and adds one of the kind `http` with `POST /v1/upstreams`"
    )))
}

fn missing(name: &str) -> ActionError {
    not_configured(format!("this workspace has no upstream `{name}`")).hint(format!(
        "an admin adds it with `POST /v1/upstreams`, and its secret with `PUT /v1/upstreams/{name}/secret`"
    ))
}

fn not_configured(detail: String) -> ActionError {
    ActionError::new(ErrorCode::ConnectorNotConfigured, detail)
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
        self.send(Method::GET, path, query, None, timeout).await
    }

    /// Sends one request, once. No redirect is followed. `body` is sent as JSON.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
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
        let (name, address) = (&self.upstream.name, self.base_url());
        let told = match error {
            SendError::Busy(_) => ActionError::busy_upstream(name, error),
            SendError::Redirect(_) => {
                let detail = format!("`{name}` at {address} answered with a redirect, which is not followed");
                ActionError::new(ErrorCode::UpstreamError, detail).hint(format!(
                    "its address lacks a part such as `/{name}` at the end: an admin corrects it with `PATCH /v1/upstreams/{name}`"
                ))
            }
            _ => ActionError::new(ErrorCode::UpstreamError, format!("`{name}` at {address}: {error}"))
                .hint(error.hint()),
        };
        let told = ActionError { is_permanent: error.is_permanent(), ..told };
        let is_redirect = matches!(error, SendError::Redirect(_));
        // Whatever redirects is not the service's API, which has then not seen the request.
        let is_unknown = error.is_unknown() && !is_redirect;
        ServiceError { error: told, is_unknown, is_unsent: error.is_unsent(), is_redirect }
    }
}

/// Returns whether [`ExternalCx::service`] gives this service, as far as is known before a call: a secret of the acting
/// user's own is not. Asks nobody.
pub async fn is_service_set(cx: &mut ReadCx<'_>, name: &str) -> Result<bool, ActionError> {
    match find(cx.tx, cx.tools.catalog.rules(), name).await {
        Ok(upstream) => Ok(upstream.is_configured()),
        Err(error) if error.code == ErrorCode::ConnectorNotConfigured => Ok(false),
        Err(error) => Err(error),
    }
}
