//! The services that the pack asks, each an upstream of the workspace.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::Instant;
use toolcrib_engine::{ActionError, ExternalCx, Service};

use crate::answer::{Failure, read};

/// The time of a call for requests that a server answers from its own database.
pub const LOCAL: Duration = Duration::from_secs(8);
/// The time of a call for requests with which a server asks the internet.
pub const REMOTE: Duration = Duration::from_secs(16);
/// The time for the status of a service.
pub const STATUS: Duration = Duration::from_millis(4_500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Radarr,
    Sonarr,
    Tmdb,
    Brave,
}

impl Kind {
    /// Returns the name of the upstream.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Radarr => "radarr",
            Self::Sonarr => "sonarr",
            Self::Tmdb => "tmdb",
            Self::Brave => "brave",
        }
    }

    /// Returns the name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Radarr => "Radarr",
            Self::Sonarr => "Sonarr",
            Self::Tmdb => "TMDB",
            Self::Brave => "Brave",
        }
    }

    /// Returns whether it is a server of the household.
    pub const fn is_arr(self) -> bool {
        matches!(self, Self::Radarr | Self::Sonarr)
    }

    pub fn key_hint(self) -> String {
        let name = self.name();
        let set = format!("an admin sets it with `PUT /v1/upstreams/{name}/secret`");
        match self {
            Self::Radarr | Self::Sonarr => {
                format!(
                    "its API key is in its settings under General, and goes into the header `X-Api-Key`; {set}"
                )
            }
            Self::Tmdb => {
                format!(
                    "TMDB takes the API Read Access Token, which begins with `eyJ`, and not the API key; {set}"
                )
            }
            Self::Brave => format!("the token goes into the header `X-Subscription-Token`; {set}"),
        }
    }

    /// Returns whether an answer is one of the other server. The two have calendars and queues at the same paths.
    pub fn is_of_other(self, answer: &Value) -> bool {
        let list = answer.as_array().or_else(|| answer.get("records")?.as_array());
        let has = |name: &str| list.into_iter().flatten().any(|item| item.get(name).is_some());
        match self {
            Self::Radarr => has("seriesId") || has("tvdbId"),
            Self::Sonarr => has("movieId") || has("minimumAvailability"),
            Self::Tmdb | Self::Brave => false,
        }
    }
}

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

    /// Asks for a value.
    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, ActionError> {
        self.ask(path, query).await.map_err(|failure| self.error(failure))
    }

    /// Like [`Server::get`], with the failure as it is.
    pub async fn ask<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, Failure> {
        let left = self.until.saturating_duration_since(Instant::now());
        let answer = self.service.get(path, query, left).await;
        let answer = answer.map_err(|failed| Failure::Unanswered(failed.error))?;
        serde_json::from_value(read(self.kind, answer)?).map_err(|_| Failure::Unreadable)
    }

    /// Makes the error for the caller.
    pub fn error(&self, failure: Failure) -> ActionError {
        failure.into_error(self.kind, self.service.base_url().as_str())
    }
}
