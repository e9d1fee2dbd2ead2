//! A provider of language models that answers as a test says, in the three formats that `connectors::llm` speaks.
//! It remembers each request, and refuses a history that the real one would refuse.

mod events;
mod history;

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, Uri},
    response::Response,
};
use futures_util::{Stream, StreamExt as _, stream};
use parking_lot::Mutex;
use serde_json::{Value, json};
use toolcrib_connectors::{
    llm::{LlmClient, LlmSettings, ModelFormat, Provider},
    upstream::{UpstreamClient, UpstreamClientSettings, Url},
};

use crate::eventually::pass;

/// A request that reached the provider.
#[derive(Clone, Debug)]
pub struct LlmRequest {
    /// Such as `/v1/chat/completions`.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Value,
}

/// What the provider answers to one request.
#[derive(Clone, Debug)]
pub struct LlmReply {
    content: Content,
    status: u16,
    headers: Vec<(&'static str, String)>,
    pace: Duration,
    end: End,
}

#[derive(Clone, Debug)]
enum Content {
    /// In the format of the request.
    Answer(LlmAnswer),
    Raw(&'static str, Vec<Bytes>),
    /// The same bytes again and again.
    Endless(Bytes),
}

#[derive(Clone, Copy, Debug)]
enum End {
    Proper,
    /// The connection ends in the middle of the response, after this many events.
    Cut(usize),
    /// Nothing more comes, after this many events.
    Silence(usize),
}

/// What the model says.
#[derive(Clone, Debug)]
pub struct LlmAnswer {
    pub reasoning: String,
    pub text: Vec<String>,
    /// IDs, names and arguments.
    pub calls: Vec<(String, String, String)>,
    /// The word of the format for the end. By default that of a normal end.
    pub finish: Option<&'static str>,
    /// Tokens: all of the prompt, those from the cache, and those of the answer.
    pub usage: [u64; 3],
}

/// A running provider.
#[derive(Clone)]
pub struct FakeModel {
    /// The base URL, ending with `/v1`.
    pub url: String,
    /// `HOST:PORT` of the URL.
    pub host: String,
    /// The bytes that were sent.
    pub sent: Arc<AtomicU64>,
    /// The responses that the client ended.
    dropped: Arc<AtomicUsize>,
    script: Arc<Mutex<Script>>,
}

type Answers = Arc<dyn Fn(&Value) -> LlmReply + Send + Sync>;

#[derive(Default)]
struct Script {
    replies: VecDeque<LlmReply>,
    always: Option<Answers>,
    requests: Vec<LlmRequest>,
}

impl LlmReply {
    pub fn answer(answer: LlmAnswer) -> Self {
        Self {
            content: Content::Answer(answer),
            status: 200,
            headers: Vec::new(),
            pace: Duration::ZERO,
            end: End::Proper,
        }
    }

    /// A text in these pieces.
    pub fn text<T: Into<String>>(pieces: impl IntoIterator<Item = T>) -> Self {
        Self::answer(LlmAnswer { text: pieces.into_iter().map(Into::into).collect(), ..LlmAnswer::default() })
    }

    /// Calls with names and arguments. Their IDs are `call_0` and so on, as some providers repeat them each time.
    pub fn calls<'c>(calls: impl IntoIterator<Item = (&'c str, Value)>) -> Self {
        let calls = calls.into_iter().enumerate();
        let calls =
            calls.map(|(n, (name, arguments))| (format!("call_{n}"), name.to_owned(), arguments.to_string()));
        Self::answer(LlmAnswer { calls: calls.collect(), ..LlmAnswer::default() })
    }

    /// An event stream as it stands.
    pub fn stream(body: impl Into<Bytes>) -> Self {
        Self::body(200, "text/event-stream", body)
    }

    pub fn body(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let content = Content::Raw(content_type, vec![body.into()]);
        Self { content, status, ..Self::text([""; 0]) }
    }

    /// An error in the words of OpenAI.
    pub fn error(status: u16, code: &str, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "type": code, "code": code } });
        Self::body(status, "application/json", body.to_string())
    }

    /// An event stream that repeats these bytes for ever.
    pub fn endless(bytes: impl Into<Bytes>) -> Self {
        Self { content: Content::Endless(bytes.into()), ..Self::text([""; 0]) }
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Waits so long before each event.
    #[must_use]
    pub fn pace(self, pace: Duration) -> Self {
        Self { pace, ..self }
    }

    /// Breaks the connection after so many events.
    #[must_use]
    pub fn cut_after(self, events: usize) -> Self {
        Self { end: End::Cut(events), ..self }
    }

    /// Sends nothing more after so many events, and keeps the connection open.
    #[must_use]
    pub fn silent_after(self, events: usize) -> Self {
        Self { end: End::Silence(events), ..self }
    }

    fn respond(self, path: &str, fake: &FakeModel) -> Response {
        let (content_type, pieces) = match self.content {
            Content::Endless(bytes) => ("text/event-stream", stream::repeat(bytes).boxed()),
            Content::Raw(content_type, pieces) => (content_type, stream::iter(pieces).boxed()),
            Content::Answer(answer) => {
                ("text/event-stream", stream::iter(events::of(format_of(path), &answer)).boxed())
            }
        };
        let pace = self.pace;
        let paced = pieces.then(move |piece| async move {
            pass(pace).await;
            Ok(piece)
        });
        let cut = || {
            stream::once(async {
                // What stands before is sent first.
                pass(Duration::from_millis(20)).await;
                Err(std::io::Error::other("cut"))
            })
        };
        let body = match self.end {
            End::Proper => paced.boxed(),
            End::Cut(events) => paced.take(events).chain(cut()).boxed(),
            End::Silence(events) => paced.take(events).chain(stream::pending()).boxed(),
        };
        let body = Body::from_stream(counted(body, fake.sent.clone(), Hangup::new(fake.dropped.clone())));
        let mut response = Response::builder().status(self.status).header("content-type", content_type);
        for (name, value) in self.headers {
            response = response.header(name, value);
        }
        response.body(body).expect("the script has valid headers")
    }
}

impl Default for LlmAnswer {
    fn default() -> Self {
        Self {
            reasoning: String::new(),
            text: Vec::new(),
            calls: Vec::new(),
            finish: None,
            usage: [100, 40, 10],
        }
    }
}

impl FakeModel {
    /// Starts a provider, which lists the models `small` and `large`.
    pub async fn start() -> Self {
        let mut fake = Self {
            url: String::new(),
            host: String::new(),
            sent: Arc::default(),
            dropped: Arc::default(),
            script: Arc::default(),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        fake.host = listener.local_addr().expect("it is bound").to_string();
        fake.url = format!("http://{}/v1", fake.host);
        let own = fake.clone();
        let app = Router::new().fallback(
            move |method: Method, uri: Uri, headers: HeaderMap, body: Bytes| async move {
                Ok::<_, Infallible>(own.respond(&method, &uri, headers, &body))
            },
        );
        tokio::spawn(async move { axum::serve(listener, app).await });
        fake
    }

    /// Returns what asks this provider in a format, without a key.
    pub fn client(&self, format: ModelFormat) -> LlmClient {
        let allowed_hosts = vec![self.host.clone()];
        let settings = UpstreamClientSettings { allowed_hosts, own_hosts: Vec::new() };
        LlmClient::new(Provider {
            client: UpstreamClient::new(settings).expect("the client of upstreams"),
            upstream: "operator".to_owned(),
            base_url: Url::parse(&self.url).expect("a URL"),
            format,
            credential: None,
            roots: None,
            settings: LlmSettings { retry: Duration::from_millis(5), ..LlmSettings::default() },
        })
    }

    /// Appends replies. Each is given to one request.
    pub fn script(&self, replies: impl IntoIterator<Item = LlmReply>) {
        self.script.lock().replies.extend(replies);
    }

    /// Sets the reply to requests when the script has ended. By default it is an error.
    pub fn always(&self, reply: LlmReply) {
        self.answer_with(move |_| reply.clone());
    }

    /// Sets how requests are answered when the script has ended, by their bodies.
    pub fn answer_with(&self, reply: impl Fn(&Value) -> LlmReply + Send + Sync + 'static) {
        self.script.lock().always = Some(Arc::new(reply));
    }

    pub fn requests(&self) -> Vec<LlmRequest> {
        self.script.lock().requests.clone()
    }

    /// How many responses the client ended before their end.
    pub fn hangups(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }

    fn respond(&self, method: &Method, uri: &Uri, headers: HeaderMap, body: &[u8]) -> Response {
        if method == Method::GET {
            let models = json!({ "object": "list", "data": [{ "id": "small" }, { "id": "large" }] });
            let reply = LlmReply::body(200, "application/json", models.to_string());
            return reply.respond(uri.path(), self);
        }
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let wrong = history::wrong(format_of(uri.path()), &body);
        let path = uri.path().to_owned();
        let reply = {
            let mut script = self.script.lock();
            let reply = match wrong {
                Some(wrong) => Some(LlmReply::error(400, "invalid_request_error", &wrong)),
                None => {
                    script.replies.pop_front().or_else(|| script.always.as_ref().map(|reply| reply(&body)))
                }
            };
            script.requests.push(LlmRequest { path, headers, body });
            reply
        };
        let reply = reply.unwrap_or_else(|| LlmReply::error(400, "script_ended", "the script has ended"));
        reply.respond(uri.path(), self)
    }
}

fn format_of(path: &str) -> ModelFormat {
    match path.rsplit('/').next() {
        Some("messages") => ModelFormat::Anthropic,
        Some("responses") => ModelFormat::OpenAiResponses,
        _ => ModelFormat::OpenAi,
    }
}

/// Counts a response that is dropped before its end.
struct Hangup {
    dropped: Arc<AtomicUsize>,
    ended: bool,
}

impl Hangup {
    fn new(dropped: Arc<AtomicUsize>) -> Self {
        Self { dropped, ended: false }
    }
}

impl Drop for Hangup {
    fn drop(&mut self) {
        if !self.ended {
            self.dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Counts the bytes of a body, and whether its end was sent.
fn counted(
    body: impl Stream<Item = std::io::Result<Bytes>> + Send + Unpin + 'static,
    sent: Arc<AtomicU64>,
    hangup: Hangup,
) -> impl Stream<Item = std::io::Result<Bytes>> + Send {
    stream::unfold((body, sent, hangup), |(mut body, sent, mut hangup)| async move {
        let piece = body.next().await;
        hangup.ended = !matches!(piece, Some(Ok(_)));
        let piece = piece?;
        let length = piece.as_ref().map_or(0, Bytes::len);
        sent.fetch_add(u64::try_from(length).unwrap_or_default(), Ordering::SeqCst);
        Some((piece, (body, sent, hangup)))
    })
}
