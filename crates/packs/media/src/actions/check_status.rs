//! Says whether each service answers, and what is wrong if not.

use std::time::Duration;

use serde_json::Value;
use toolcrib_engine::prelude::*;

use crate::{
    answer::{Failure, MAX_PROBLEM_CHARS, as_text},
    kind::Kind,
    server::{STATUS, Server},
    text::Text,
};

/// How long the state of a service is waited for: the whole call takes at most 5 seconds.
const MAX_WAIT: Duration = Duration::from_millis(4_900);

pub struct CheckStatus;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// State of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum State {
    /// It answers.
    Connected,
    /// It answers, but the service that it asks for titles does not: searches and additions fail, the library can be read.
    MetadataDown,
    /// It refuses the key.
    Refused,
    /// It is starting.
    Starting,
    /// It gives no answer, or a part of one.
    Unreachable,
    /// It answers with an error, or with what is no answer of its API.
    Error,
    /// Another server answers at its address.
    WrongService,
    /// Its version is too old.
    Unsupported,
    /// A web page answers at its address instead of its API.
    WebPage,
    /// The workspace has no such upstream, or no key for it.
    NotSet,
    /// It is set, and was not asked because a request costs.
    NotAsked,
}

/// A service.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Name of the service, and of its upstream.
    #[schemars(extend("x-ours" = true))]
    pub service: &'static str,
    /// Its state.
    pub state: State,
    /// Version of the server; null if unknown.
    pub version: Option<Text>,
    /// What is wrong and what to do; null if nothing is wrong.
    pub problem: Option<Text>,
}

/// Result of `media_check_status`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The services.
    pub items: Vec<Item>,
    /// Number of services that are connected.
    pub connected: usize,
}

/// The part of a server's status that may be shown: the rest are paths.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SystemStatus {
    app_name: String,
    version: String,
}

impl ExternalAction for CheckStatus {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_check_status")
            .describe("Check whether Radarr, Sonarr and TMDB answer, with versions, and what is wrong if one does not.")
            .tags(&["status", "connection", "radarr", "sonarr", "tmdb", "brave", "health"])
            .examples(&["Is Radarr up?", "Why can't we search for films?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, _: &Input) -> Result<Output, ActionError> {
        let (radarr, sonarr, tmdb, brave) = tokio::join!(
            state(cx, Kind::Radarr),
            state(cx, Kind::Sonarr),
            state(cx, Kind::Tmdb),
            state(cx, Kind::Brave),
        );
        let items = vec![radarr?, sonarr?, tmdb?, brave?];
        let connected = items.iter().filter(|item| item.state == State::Connected).count();
        Ok(Output { items, connected })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("{} connected", count(output.connected, "service"))
    }
}

/// Waits for the state of a service, which is unreachable if that takes too long: the time of its requests begins when
/// they are connected, after others to the same service.
async fn within(time: Duration, kind: Kind, address: &str, asked: impl Future<Output = Item>) -> Item {
    tokio::time::timeout(time, asked).await.unwrap_or_else(|_| {
        let title = kind.title();
        let problem =
            format!("{title} at {address} did not answer in time: an admin checks that the service runs");
        Item { problem: Some(Text::cut(&problem, MAX_PROBLEM_CHARS)), ..item(kind, State::Unreachable) }
    })
}

async fn state(cx: &ExternalCx<'_>, kind: Kind) -> Result<Item, ActionError> {
    match Server::of(cx, kind, STATUS).await {
        Ok(server) => Ok(within(MAX_WAIT, kind, server.address(), ask(&server, kind)).await),
        Err(error) if error.code == ErrorCode::ConnectorNotConfigured => {
            Ok(Item { problem: Some(as_text(&error)), ..item(kind, State::NotSet) })
        }
        Err(error) => Err(error),
    }
}

async fn ask(server: &Server, kind: Kind) -> Item {
    match kind {
        Kind::Radarr => of_arr(server, kind, "/api/v3/movie/lookup", "tmdb:603").await,
        Kind::Sonarr => of_arr(server, kind, "/api/v3/series/lookup", "tvdb:81189").await,
        Kind::Tmdb => match server.ask::<Value>("/genre/movie/list", &[]).await {
            Ok(_) => item(kind, State::Connected),
            Err(failure) => failed(server, kind, failure),
        },
        Kind::Brave => item(kind, State::NotAsked),
    }
}

/// Asks a server for its status, and for a known title at the same time: that fails if its metadata service does.
async fn of_arr(server: &Server, kind: Kind, path: &str, term: &str) -> Item {
    let term = [("term", term)];
    let (status, found) = tokio::join!(
        server.ask::<SystemStatus>("/api/v3/system/status", &[]),
        server.ask::<Value>(path, &term)
    );
    let status = match status {
        Ok(status) => status,
        Err(failure) => return failed(server, kind, failure),
    };
    let checked = if !status.app_name.eq_ignore_ascii_case(kind.name()) {
        failed(server, kind, Failure::Other)
    } else if let Some(problem) = unsupported(server, kind, &status.version) {
        Item { problem: Some(problem), ..item(kind, State::Unsupported) }
    } else if let Err(failure) = found {
        Item { state: State::MetadataDown, ..failed(server, kind, failure) }
    } else {
        item(kind, State::Connected)
    };
    Item { version: Text::word(&status.version), ..checked }
}

/// Returns what is wrong with a version that is too old.
fn unsupported(server: &Server, kind: Kind, version: &str) -> Option<Text> {
    let (oldest, supported) = if kind == Kind::Radarr { (5, "5 or 6") } else { (4, "4") };
    let major: u32 = version.split('.').next()?.parse().ok()?;
    let (title, address) = (kind.title(), server.address());
    let problem = format!("{title} {major} at {address} is not supported: update it to version {supported}");
    (major < oldest).then(|| Text::cut(&problem, MAX_PROBLEM_CHARS))
}

fn item(kind: Kind, state: State) -> Item {
    Item { service: kind.name(), state, version: None, problem: None }
}

fn failed(server: &Server, kind: Kind, failure: Failure) -> Item {
    let state = match failure {
        Failure::Key => State::Refused,
        Failure::Starting => State::Starting,
        Failure::WebPage | Failure::Redirect(_) => State::WebPage,
        Failure::Other | Failure::Unknown => State::WrongService,
        Failure::Metadata(..) => State::MetadataDown,
        Failure::Unanswered(_) | Failure::Proxy(..) => State::Unreachable,
        Failure::Busy(..) | Failure::TooLarge | Failure::Unreadable | Failure::Refused(..) => State::Error,
    };
    Item { problem: Some(as_text(&server.error(failure))), ..item(kind, state) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_service_that_takes_too_long_is_unreachable() {
        let item = within(Duration::ZERO, Kind::Radarr, "http://nas/", std::future::pending()).await;
        assert_eq!((item.service, item.state), ("radarr", State::Unreachable));
        let problem = item.problem.unwrap();
        assert!(problem.as_str().starts_with("Radarr at http://nas/ did not answer"), "{problem:?}");
    }
}
