//! Streams a run to one reader until it has ended or waits for people.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    http::{HeaderName, HeaderValue},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::stream;
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until, timeout},
};
use toolcrib_assistant::{Assistant, LiveStep, RunMessage};
use toolcrib_engine::ActionError;
use toolcrib_model::{ErrorCode, Id};

use super::chunks::Chunks;
use crate::{auth::StreamCredential, held_requests::HeldRequest, state::HttpState};

/// Time between two comments, which keep proxies from closing a connection on which nothing comes.
const BEAT: Duration = Duration::from_secs(15);
/// How often the run is read while another process holds it, or nobody does.
const LOOK: Duration = Duration::from_millis(250);
/// How often the run is read while this process holds it: its commits are told.
const LOOK_OF_HOLDER: Duration = Duration::from_secs(5);
/// How long a read may take.
const MAX_READ: Duration = Duration::from_secs(10);
/// How many events are queued for a slow reader. While the queue is full nothing is read for it, and the next piece of
/// a text is larger.
const QUEUE: usize = 16;

const VERSION: HeaderName = HeaderName::from_static("x-vercel-ai-ui-message-stream");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

pub(super) struct RunStream {
    pub state: Arc<HttpState>,
    pub credential: StreamCredential,
    /// Counts as an open stream until it is dropped.
    pub place: HeldRequest,
}

/// Why a reader gets no more of a run.
enum Ended {
    /// The client is gone.
    Gone,
    /// The reader may not read the run any more, or it can't be read now.
    Failed(ActionError),
    /// The process ends.
    Stopping,
}

impl From<ActionError> for Ended {
    fn from(error: ActionError) -> Self {
        Self::Failed(error)
    }
}

impl RunStream {
    /// Returns the response: what `chunks` has not shown of the run.
    pub fn respond(self, message: &RunMessage, mut chunks: Chunks) -> Response {
        chunks.start(message);
        let run = message.run.run;
        let (send, mut receive) = mpsc::channel(QUEUE);
        tokio::spawn(async move {
            let _place = self.place;
            let reader = Reader { state: self.state, credential: self.credential, run, send };
            match reader.follow(&mut chunks).await {
                Ok(()) | Err(Ended::Gone) => return,
                Err(Ended::Failed(error)) => chunks.fail(&format!("{}: {}", error.code.as_str(), error.detail)),
                Err(Ended::Stopping) => chunks.fail(
                    "store_unavailable: this process ends, and another one goes on with the run: resume the stream",
                ),
            }
            let _ = reader.flush(&mut chunks).await;
        });
        let events =
            stream::poll_fn(move |cx| receive.poll_recv(cx).map(|event| event.map(Ok::<_, Infallible>)));
        let beat = KeepAlive::new().interval(BEAT).text("ping");
        let mut response = Sse::new(events).keep_alive(beat).into_response();
        let headers = response.headers_mut();
        headers.insert(VERSION, HeaderValue::from_static("v1"));
        // Otherwise proxies that buffer responses delay the text.
        headers.insert(BUFFERING, HeaderValue::from_static("no"));
        response
    }
}

struct Reader {
    state: Arc<HttpState>,
    credential: StreamCredential,
    run: Id,
    send: mpsc::Sender<Event>,
}

impl Reader {
    async fn follow(&self, chunks: &mut Chunks) -> Result<(), Ended> {
        let Some(assistant) = &self.state.app.assistant else { return Ok(()) };
        let mut live: Option<watch::Receiver<LiveStep>> = None;
        loop {
            live = live.or_else(|| assistant.live(self.run));
            // A commit from here on is told.
            let commits = live.as_ref().map(|live| live.borrow().commits);
            let message = self.read(assistant).await?;
            chunks.stored(&message);
            if let Some(live) = &live {
                chunks.warn(&live.borrow());
            }
            if !message.goes_on {
                chunks.finish(&message);
                return self.flush(chunks).await;
            }
            self.flush(chunks).await?;
            self.news(assistant, &mut live, commits, chunks).await?;
        }
    }

    /// Shows what the model says, until the run was stored or is to be looked at.
    async fn news(
        &self,
        assistant: &Assistant,
        live: &mut Option<watch::Receiver<LiveStep>>,
        commits: Option<u64>,
        chunks: &mut Chunks,
    ) -> Result<(), Ended> {
        let look = Instant::now() + if live.is_some() { LOOK_OF_HOLDER } else { LOOK };
        let (run, mut taken) = (self.run, assistant.taken());
        loop {
            if let Some(live) = live.as_mut() {
                let now = live.borrow_and_update();
                if Some(now.commits) != commits {
                    return Ok(());
                }
                chunks.live(&now);
            }
            self.flush(chunks).await?;
            let changed = async {
                if let Some(live) = live.as_mut() {
                    return live.changed().await.is_ok();
                }
                while assistant.live(run).is_none() && taken.changed().await.is_ok() {}
                false
            };
            tokio::select! {
                is_held = changed => if !is_held {
                    // This process has taken the run, or holds it no more.
                    *live = None;
                    return Ok(());
                },
                () = sleep_until(look) => return Ok(()),
                () = assistant.ends() => return Err(Ended::Stopping),
                () = self.send.closed() => return Err(Ended::Gone),
            }
        }
    }

    async fn read(&self, assistant: &Assistant) -> Result<RunMessage, Ended> {
        let read = async {
            let authenticated = self.credential.verify(&self.state).await?;
            assistant.message(&authenticated, self.run).await
        };
        tokio::select! {
            read = timeout(MAX_READ, read) => {
                let late = |_| ActionError::new(ErrorCode::StoreUnavailable, "the run can't be read now");
                Ok(read.map_err(late)??)
            }
            () = assistant.ends() => Err(Ended::Stopping),
            () = self.send.closed() => Err(Ended::Gone),
        }
    }

    async fn flush(&self, chunks: &mut Chunks) -> Result<(), Ended> {
        for event in chunks.take() {
            self.send.send(event).await.map_err(|_| Ended::Gone)?;
        }
        Ok(())
    }
}
