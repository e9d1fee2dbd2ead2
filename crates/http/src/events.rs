//! `GET /v1/events`: streams events as Server-Sent Events.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue},
    response::{IntoResponse, Response, Sse, sse::Event as Sent},
};
use futures_util::stream;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use toolcrib_auth::{Credential, Resource};
use toolcrib_engine::{ActionError, Event, EventReader};

use crate::{
    auth::{ClientAuth, StreamCredential},
    headers,
    held_requests::HeldRequest,
    problem::ProblemResponse,
    state::HttpState,
};

/// Time between two heartbeats. Heartbeats keep proxies from closing an idle connection, and detect closed
/// ones.
const BEAT: Duration = Duration::from_secs(15);
/// How long a client should wait before it connects again.
const RETRY: Duration = Duration::from_secs(2);
/// How many messages are queued for a slow client. While the queue is full, no events are read for the
/// client.
const QUEUE: usize = 64;

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// `GET /v1/events`
pub(crate) async fn listen(
    State(state): State<Arc<HttpState>>,
    ClientAuth(authenticated): ClientAuth,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let (head, _) = request.into_parts();
    let credential = StreamCredential::of(&head, &state, Resource::Confirmations)?;
    let filter = state.schemas.events.query(&head.uri)?;
    // Some clients send an empty id with their first request. In the protocol of event streams it stands for none.
    let has_none = head.headers.get("Last-Event-ID").is_some_and(HeaderValue::is_empty);
    let last = if has_none { None } else { headers::one(&head.headers, "Last-Event-ID")? };
    let reader = state.engine().events(&authenticated, filter, last).await?;
    let place = state.streams.open(reader.workspace(), reader.principal())?;
    let listener = Listener { credential, state, _place: place };
    let (send, mut receive) = mpsc::channel(QUEUE);
    tokio::spawn(listener.serve(reader, send));
    let events = stream::poll_fn(move |cx| receive.poll_recv(cx).map(|event| event.map(Ok::<_, Infallible>)));
    let mut response = Sse::new(events).into_response();
    // Otherwise proxies that buffer responses delay the events.
    response.headers_mut().insert(BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}

/// One open stream.
struct Listener {
    state: Arc<HttpState>,
    credential: StreamCredential,
    /// Counts as an open stream until it is dropped.
    _place: HeldRequest,
}

impl Listener {
    /// Reads events for the client in a separate task, so that a disconnect does not cancel a query. Ends
    /// when the connection or the credential ends, when the caller may no longer read events, or when the
    /// process shuts down.
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

    /// Reads once and sends the events to the client. Returns whether more events can be read immediately,
    /// the ID up to which events were read, and when the credential must be verified again. Returns `None` if
    /// the client disconnected.
    async fn pass_on(
        &self,
        reader: &mut EventReader,
        send: &mpsc::Sender<Sent>,
    ) -> Result<Option<(bool, Option<String>, Instant)>, ActionError> {
        let authenticated = self.credential.verify(&self.state).await?;
        let end = Instant::now() + self.left(&authenticated.credential);
        let found = reader.read(&authenticated).await?;
        for event in found.items {
            if send.send(written(event)).await.is_err() {
                return Ok(None);
            }
        }
        Ok(Some((found.more, found.reached, end)))
    }

    /// Returns how long the credential may be used before it is verified again: until the token expires, and
    /// at most until the next heartbeat. A key is verified with every heartbeat.
    fn left(&self, credential: &Credential) -> Duration {
        let expires_at = match credential {
            Credential::User(token) => token.expires_at,
            Credential::Client(token) => token.expires_at,
            Credential::Agent(_)
            | Credential::Service(_)
            | Credential::Operator(_)
            | Credential::Stored(_) => return BEAT,
        };
        let left = expires_at.micros_since(self.state.engine().clock().now());
        // The verifier accepts a token for some time after its expiry, because clocks differ. Such a token is
        // verified again with the next heartbeat.
        let left = u64::try_from(left).ok().filter(|left| *left > 0).map(Duration::from_micros);
        left.map_or(BEAT, |left| left.min(BEAT) + Duration::from_millis(1))
    }
}

fn written(event: Event) -> Sent {
    Sent::default().id(event.id).event(event.name).data(event.data.to_string())
}

/// Returns a heartbeat. Its ID moves the client's `Last-Event-ID` past events that the client may not see.
fn heartbeat(place: Option<String>) -> Sent {
    let beat = Sent::default().comment("heartbeat");
    match place {
        Some(id) => beat.id(id),
        None => beat,
    }
}
