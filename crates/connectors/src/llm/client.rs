//! The client of one provider: asks again where it helps.

use std::{fmt, hash::BuildHasher as _, sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use toolcrib_model::parse_lossy;

use super::{
    Finish, Learned, Model, ModelAnswer, ModelError, ModelEvent, ModelFormat, ModelRequest, NativeMessage,
    Usage,
    adjust::Adjustments,
    chat_completions,
    decoder::{Decoded, Decoder, map_texts},
    error::Fault,
    event_sink::EventSink,
    messages, responses,
};
use crate::upstream::{
    Method, RootCertificates, SecretMask, SendError, UpstreamClient, UpstreamCredential, UpstreamSend, Url,
};

/// How often a model is asked.
const ATTEMPTS: u32 = 3;
/// How often a model may pause.
const PAUSES: u32 = 3;
/// The time limit of the list of models.
const LIST_TIMEOUT: Duration = Duration::from_secs(15);
/// The most models of a list, and the most bytes of a model's name.
const MAX_MODELS: usize = 1_000;
const MAX_MODEL_NAME: usize = 200;
/// The fewest bytes of a key that answers must not repeat.
const MIN_KEY: usize = 12;

/// Time limits, and what clients of a process share.
#[derive(Clone, Debug)]
pub struct LlmSettings {
    /// How long the head of a response, and the next bytes of its body, may take. Connecting has 3 seconds more.
    pub idle: Duration,
    /// How long an answer may take, with all attempts.
    pub whole: Duration,
    /// How long the usage may take after the end of an answer.
    pub settle: Duration,
    /// The wait before the second attempt; doubled before the third.
    pub retry: Duration,
    pub learned: Learned,
}

impl Default for LlmSettings {
    fn default() -> Self {
        Self {
            idle: Duration::from_mins(1),
            whole: Duration::from_mins(10),
            settle: Duration::from_secs(2),
            retry: Duration::from_millis(500),
            learned: Learned::default(),
        }
    }
}

/// Where models are asked.
#[derive(Clone, Debug)]
pub struct Provider {
    /// It must allow the host where the address is private.
    pub client: UpstreamClient,
    /// Names the upstream, such as `<workspace>/<name>`. Kept connections are its own.
    pub upstream: String,
    /// What stands before `/chat/completions`. Without a path, `/v1` is added.
    pub base_url: Url,
    pub format: ModelFormat,
    /// With [`ModelFormat::Anthropic`] a bearer token is sent as `x-api-key`.
    pub credential: Option<UpstreamCredential>,
    pub roots: Option<Arc<RootCertificates>>,
    pub settings: LlmSettings,
}

/// Asks the models of one provider.
pub struct LlmClient {
    pub(super) client: UpstreamClient,
    upstream: String,
    base: Url,
    /// Where answers are asked for.
    pub(super) route: Url,
    format: ModelFormat,
    headers: Vec<(String, String)>,
    credential: Option<UpstreamCredential>,
    roots: Option<Arc<RootCertificates>>,
    pub(super) mask: SecretMask,
    pub(super) settings: LlmSettings,
}

impl LlmClient {
    pub fn new(provider: Provider) -> Self {
        let Provider { client, upstream, mut base_url, format, credential, roots, settings } = provider;
        if base_url.path() == "/" {
            base_url.set_path("/v1");
        }
        let (route, headers) = match format {
            ModelFormat::OpenAi => ("chat/completions", Vec::new()),
            ModelFormat::OpenAiResponses => ("responses", Vec::new()),
            ModelFormat::Anthropic => {
                ("messages", vec![("anthropic-version".to_owned(), "2023-06-01".to_owned())])
            }
        };
        let credential = match credential {
            Some(UpstreamCredential::Bearer(value)) if format == ModelFormat::Anthropic => {
                Some(UpstreamCredential::Header { name: "x-api-key".to_owned(), value })
            }
            credential => credential,
        };
        let mask = SecretMask::new(credential.as_ref().filter(|credential| is_secret(credential)));
        let route = below(&base_url, route);
        Self { client, upstream, base: base_url, route, format, headers, credential, roots, mask, settings }
    }

    /// Lists the provider's models, in its order: at most 1,000.
    pub async fn models(&self) -> Result<Vec<String>, ModelError> {
        let asked = self.client.send(self.request_to(self.list_url()));
        let answer = asked.await.map_err(|error| Fault::from(error).error)?;
        if !(200..300).contains(&answer.status) {
            return Err(Fault::of_status(answer.status, &String::from_utf8_lossy(&answer.body), None).error);
        }
        if answer.unread.is_some() {
            return Err(ModelError::TooLarge("its list of models"));
        }
        let body = parse_lossy(&answer.body).map_err(|_| ModelError::Broken)?;
        let models = body.get("data").unwrap_or(&body).as_array().ok_or(ModelError::Broken)?;
        let names = models.iter().filter_map(|model| model["id"].as_str());
        let names = names.filter(|name| !name.is_empty() && name.len() <= MAX_MODEL_NAME);
        Ok(names.take(MAX_MODELS).map(str::to_owned).collect())
    }

    /// Asks for the list of models, once, and returns the status. Says whether the provider is there and takes the key.
    pub async fn probe(&self, timeout: Duration) -> Result<u16, SendError> {
        let request = UpstreamSend { timeout, ..self.request_to(self.list_url()) };
        self.client.send(request).await.map(|answer| answer.status)
    }

    fn list_url(&self) -> Url {
        let mut url = below(&self.base, "models");
        if self.format == ModelFormat::Anthropic {
            url.set_query(Some("limit=1000"));
        }
        url
    }

    /// A request without a body.
    pub(super) fn request_to(&self, url: Url) -> UpstreamSend<'_> {
        UpstreamSend {
            upstream: &self.upstream,
            method: Method::GET,
            url,
            // What a model says changes nothing, and a kept connection saves the handshake of each step.
            has_effect: false,
            accept: None,
            headers: &self.headers,
            body: None,
            credential: self.credential.clone(),
            roots: self.roots.as_deref(),
            timeout: LIST_TIMEOUT,
            max_bytes: super::MAX_ANSWER,
            traceparent: None,
            watch: None,
        }
    }

    fn body(&self, request: &ModelRequest, adjustments: &Adjustments) -> Value {
        let keep = adjustments.keeps_reasoning(request);
        let mut body = match self.format {
            ModelFormat::OpenAi => chat_completions::body(request, keep, adjustments.fills_reasoning()),
            ModelFormat::OpenAiResponses => responses::body(request, keep),
            ModelFormat::Anthropic => messages::body(request, keep),
        };
        adjustments.apply(self.format, &mut body);
        body
    }

    /// Returns the body as it is sent. With its tools it is large, so that nothing of it is kept while the answer is
    /// read.
    fn body_text(
        &self,
        request: &ModelRequest,
        adjustments: &Adjustments,
        earlier: Option<&Decoded>,
    ) -> Vec<u8> {
        let mut body = self.body(request, adjustments);
        if let Some(earlier) = earlier {
            messages::go_on(&mut body, &earlier.message);
        }
        body.to_string().into_bytes()
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        match self.format {
            ModelFormat::OpenAi => Box::<chat_completions::ChatDecoder>::default(),
            ModelFormat::OpenAiResponses => Box::<responses::ResponsesDecoder>::default(),
            ModelFormat::Anthropic => Box::<messages::MessagesDecoder>::default(),
        }
    }

    async fn answer(
        &self,
        request: &ModelRequest,
        on_event: &mut (dyn FnMut(ModelEvent) + Send),
    ) -> Result<ModelAnswer, ModelError> {
        let deadline = Instant::now() + self.settings.whole;
        let mut sink = EventSink::new(on_event, &self.mask);
        let mut adjustments = self.settings.learned.get(&self.upstream, request);
        let (mut attempt, mut pauses) = (1, 0);
        let mut earlier: Option<Decoded> = None;
        loop {
            let body = self.body_text(request, &adjustments, earlier.as_ref());
            let sent = body.len();
            let fault = match self.attempt(body, deadline, self.decoder(), &mut sink).await {
                Ok(decoded) => {
                    let decoded = earlier.take().into_iter().fold(decoded, Decoded::after);
                    if !decoded.is_paused || pauses == PAUSES {
                        return Ok(self.complete(request, decoded, sent, sink));
                    }
                    pauses += 1;
                    earlier = Some(decoded);
                    continue;
                }
                Err(fault) => fault,
            };
            if let Some(usage) = earlier.take().and_then(|paused| paused.usage) {
                sink.used(usage);
            }
            if let Some(better) = self.adjusted(request, &adjustments, &fault.error) {
                self.settings.learned.put(&self.upstream, self.format, request, &better);
                adjustments = better;
            } else {
                let wait = fault.after.unwrap_or_else(|| self.wait(attempt));
                if !fault.is_passing || attempt == ATTEMPTS || Instant::now() + wait >= deadline {
                    return Err(fault.error);
                }
                attempt += 1;
                sleep(wait).await;
            }
            sink.restart();
        }
    }

    /// Returns how to ask once more after an error that names something that was sent.
    fn adjusted(
        &self,
        request: &ModelRequest,
        adjustments: &Adjustments,
        error: &ModelError,
    ) -> Option<Adjustments> {
        // A text about the length names members too, none of which is to blame.
        if matches!(error, ModelError::ContextTooLong { .. }) {
            return None;
        }
        let (status, text) = (error.status()?, error.provider_text()?);
        let body = self.body(request, adjustments);
        let sent_reasoning = || {
            let without = ModelRequest { keep_reasoning: false, ..request.clone() };
            self.body(&without, adjustments) != body
        };
        adjustments.after(self.format, &body, status, text, sent_reasoning)
    }

    /// Half of the time until all of it, so that many clients don't ask again at once.
    fn wait(&self, attempt: u32) -> Duration {
        let random = std::hash::RandomState::new().hash_one(attempt) % 512;
        let whole = self.settings.retry * 2_u32.pow(attempt - 1);
        whole / 2 + whole * u32::try_from(random).unwrap_or_default() / 1_024
    }

    fn complete(
        &self,
        request: &ModelRequest,
        decoded: Decoded,
        sent: usize,
        sink: EventSink<'_>,
    ) -> ModelAnswer {
        let Decoded { mut calls, mut message, finish, usage, .. } = decoded;
        let first_token_ms = sink.first_token_ms;
        let (text, reasoning) = sink.into_texts();
        map_texts(&mut message, &|text| self.mask.apply_to_text(text));
        for call in &mut calls {
            call.id = self.mask.apply_to_text(&call.id);
            call.name = self.mask.apply_to_text(&call.name);
            call.arguments = self.mask.apply_to_text(&call.arguments);
        }
        let written = calls.iter().map(|call| call.name.len() + call.arguments.len()).sum::<usize>();
        let written = text.len() + reasoning.len() + written;
        ModelAnswer {
            text,
            reasoning,
            finish: if finish == Finish::Stop && !calls.is_empty() { Finish::Calls } else { finish },
            calls,
            native: NativeMessage { format: self.format, model: request.model.clone(), message },
            usage: usage.unwrap_or_else(|| Usage::of_bytes(sent, written)),
            first_token_ms,
        }
    }
}

impl Model for LlmClient {
    fn format(&self) -> ModelFormat {
        self.format
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        on_event: &'a mut (dyn FnMut(ModelEvent) + Send),
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(self.answer(request, on_event))
    }
}

impl fmt::Debug for LlmClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LlmClient")
            .field("upstream", &self.upstream)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// Local servers take any key, so that `ollama` and `none` are common ones: as words of an answer they stay.
fn is_secret(credential: &UpstreamCredential) -> bool {
    let (UpstreamCredential::Bearer(secret)
    | UpstreamCredential::Header { value: secret, .. }
    | UpstreamCredential::Basic(secret)) = credential;
    secret.expose_secret().len() >= MIN_KEY
}

fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{path}", base.path().trim_end_matches('/')));
    url
}
