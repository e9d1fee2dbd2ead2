//! What happens, as it happens: Server-Sent Events.

use std::{convert::Infallible, net::IpAddr, sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, Uri, header},
    response::{IntoResponse, Response, Sse, sse::Event as Sent},
};
use futures_util::stream;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use toolcrib_engine::{ActionError, Authenticated, Credential, Event, EventReader, RequestedContext};

use crate::{
    auth::Auth, headers, problem::ProblemResponse, request_meta::RequestMeta, state::HttpState,
    streams::OpenStream,
};

/// Between two heartbeats: what lies between keeps silent connections alive, and notices those that are gone.
const BEAT: Duration = Duration::from_secs(15);
/// How long a client should wait before it comes back.
const RETRY: Duration = Duration::from_secs(2);
/// Events that wait for a slow client; then nothing more is read for it.
const QUEUE: usize = 64;

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// `GET /v1/events`
pub(crate) async fn listen(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    trail: RequestMeta,
    sent: HeaderMap,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let filter = state.schemas.events.query(&uri)?;
    let last = headers::one(&sent, "Last-Event-ID")?;
    let reader = state.engine().events(&authenticated, filter, last).await?;
    let place = state.streams.open(reader.workspace(), reader.principal())?;
    let authorization = sent.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let listener = Listener {
        authorization: authorization.unwrap_or_default().to_owned(),
        requested: authenticated.requested,
        peer: trail.peer,
        state,
        _place: place,
    };
    let (send, receive) = mpsc::channel(QUEUE);
    tokio::spawn(listener.serve(reader, send));
    let events = stream::unfold(receive, |mut receive: mpsc::Receiver<Sent>| async move {
        let event = receive.recv().await?;
        Some((Ok::<_, Infallible>(event), receive))
    });
    let mut response = Sse::new(events).into_response();
    // Proxies that gather answers would hold events back.
    response.headers_mut().insert(BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}

/// Who listens. The credential is kept as it was sent: with every look it is verified again.
struct Listener {
    state: Arc<HttpState>,
    authorization: String,
    requested: RequestedContext,
    peer: IpAddr,
    /// Given back when it is dropped.
    _place: OpenStream,
}

impl Listener {
    /// Reads for the client on a task of its own, so that a client that goes away cuts no query off. Ends with the
    /// connection, the credential, the right to see anything, or the process.
    async fn serve(self, mut reader: EventReader, send: mpsc::Sender<Sent>) {
        let mut beat = Instant::now() + BEAT;
        let mut next = Some(Sent::default().retry(RETRY).comment("listening"));
        let mut place = None;
        loop {
            if let Some(greeting) = next.take()
                && send.send(greeting).await.is_err()
            {
                return;
            }
            let (more, reached, end) = match self.pass_on(&mut reader, &send).await {
                Ok(Some(passed)) => passed,
                Ok(None) => return,
                Err(error) => {
                    tracing::debug!(code = error.code.as_str(), "a stream of events ends");
                    return;
                }
            };
            place = reached.or(place);
            if more {
                continue;
            }
            tokio::select! {
                () = send.closed() => return,
                goes_on = reader.wait() => if !goes_on { return },
                () = sleep_until(beat.min(end)) => {}
            }
            if Instant::now() >= beat {
                beat += BEAT;
                next = Some(heartbeat(place.clone()));
            }
        }
    }

    /// One look: whether there is more at once, how far it came, and when the credential ends. `None` where the client
    /// is gone.
    async fn pass_on(
        &self,
        reader: &mut EventReader,
        send: &mpsc::Sender<Sent>,
    ) -> Result<Option<(bool, Option<String>, Instant)>, ActionError> {
        let credential = self.state.app.auth.authenticate(Some(&self.authorization), self.peer).await?;
        let end = Instant::now() + self.left(&credential);
        let found = reader.read(&Authenticated { credential, requested: self.requested.clone() }).await?;
        for event in found.items {
            if send.send(written(event)).await.is_err() {
                return Ok(None);
            }
        }
        Ok(Some((found.more, found.reached, end)))
    }

    /// How long a token is good for; a key is looked up with every heartbeat.
    fn left(&self, credential: &Credential) -> Duration {
        let Credential::User(token) = credential else { return BEAT };
        let left = token.expires_at.micros_since(self.state.engine().clock().now());
        // One that is good beyond its end, while clocks may differ, is looked at again with the next heartbeat.
        let left = u64::try_from(left).ok().filter(|left| *left > 0).map(Duration::from_micros);
        left.map_or(BEAT, |left| left.min(BEAT) + Duration::from_millis(1))
    }
}

fn written(event: Event) -> Sent {
    Sent::default().id(event.id).event(event.name).data(event.data.to_string())
}

/// Says that the connection lives, and moves the client's place past what it does not see.
fn heartbeat(place: Option<String>) -> Sent {
    let beat = Sent::default().comment("heartbeat");
    match place {
        Some(id) => beat.id(id),
        None => beat,
    }
}
