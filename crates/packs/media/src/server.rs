//! The services that the pack asks, each an upstream of the workspace.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use toolcrib_connectors::upstream::Method;
use toolcrib_engine::{ActionError, ExternalCx, Service, ServiceAnswer, ServiceError};

use crate::{
    answer::{Failure, read},
    kind::Kind,
    settings,
};

/// The time of a call for requests that a server answers from its own database.
pub const LOCAL: Duration = Duration::from_secs(8);
/// The time of a call for requests with which a server asks the internet.
pub const REMOTE: Duration = Duration::from_secs(16);
/// The time for the status of a service.
pub const STATUS: Duration = Duration::from_millis(4_500);

/// A service for one call, whose requests share the time of the call.
pub struct Server {
    kind: Kind,
    service: Service,
    until: Instant,
}

impl Server {
    /// Returns the workspace's service. 501 if it has none.
    pub async fn of(cx: &ExternalCx<'_>, kind: Kind, time: Duration) -> Result<Self, ActionError> {
        let service = cx.service(kind.name()).await?;
        Ok(Self { kind, service, until: Instant::now() + time })
    }

    /// Returns the server of a plan. 409 if the upstream has another address now.
    pub async fn at(
        cx: &ExternalCx<'_>,
        kind: settings::Kind,
        address: &str,
        time: Duration,
    ) -> Result<Self, ActionError> {
        let server = Self::of(cx, kind.server(), time).await?;
        if server.address() == address {
            return Ok(server);
        }
        let detail = format!("the address of the upstream `{}` changed meanwhile", kind.server().name());
        Err(ActionError::conflict(detail).hint("make the call again"))
    }

    /// Asks for a value.
    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, ActionError> {
        self.ask(path, query).await.map_err(|failure| self.error(failure))
    }

    /// Like [`Server::get`]. `less` says how the caller asks for less if the answer is too large.
    pub async fn get_with_hint<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        less: &str,
    ) -> Result<T, ActionError> {
        self.ask(path, query).await.map_err(|failure| {
            let is_large = matches!(failure, Failure::TooLarge);
            let error = self.error(failure);
            if is_large { error.hint(less) } else { error }
        })
    }

    /// Like [`Server::get`], with the failure as it is.
    pub async fn ask<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, Failure> {
        let left = self.until.saturating_duration_since(Instant::now());
        let answer = self.service.get(path, query, left).await;
        let answer = answer.map_err(|failed| match failed {
            ServiceError { error, is_redirect: true, .. } => Failure::Redirect(error),
            ServiceError { error, .. } => Failure::Unanswered(error),
        })?;
        serde_json::from_value(read(self.kind, answer)?).map_err(|_| Failure::Unreadable)
    }

    /// Sends a request that changes something, once.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Result<ServiceAnswer, ServiceError> {
        let left = self.until.saturating_duration_since(Instant::now());
        self.service.send(method, path, query, body, left).await
    }

    /// Returns the address, which people may see.
    pub fn address(&self) -> &str {
        self.service.base_url().as_str()
    }

    /// Returns the name for people.
    pub const fn title(&self) -> &'static str {
        self.kind.title()
    }

    /// Makes the error of an answer that is no success of what was sent.
    pub fn refusal(&self, answer: ServiceAnswer) -> ActionError {
        self.error(read(self.kind, answer).err().unwrap_or(Failure::Unreadable))
    }

    /// Makes the error for the caller.
    pub fn error(&self, failure: Failure) -> ActionError {
        failure.into_error(self.kind, self.address())
    }
}
