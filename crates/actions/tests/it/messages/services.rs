//! Slack, Telegram and Twilio on this machine, as far as messages need them: their routes, what they check,
//! their answers and their errors.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch};

pub const SLACK_SECRET: &str = "T0CANARY/B0CANARY/canarySlackPath";
pub const BOT_TOKEN: &str = "4242:canaryBot-Token_7";
pub const ACCOUNT: &str = "AC0123456789abcdef0123456789abcdef";
pub const TWILIO_TOKEN: &str = "canaryTwilioPassword";

/// What a service answers instead of taking a message.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub status: u16,
    pub retry_after: Option<&'static str>,
    pub body: Value,
}

/// A message that was taken or refused, in the words of its service.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    pub fields: HashMap<String, String>,
    pub status: u16,
}

#[derive(Default)]
struct Inner {
    asked: Vec<Asked>,
    refusal: Option<Refusal>,
    /// Requests that are being answered now, and the most at the same time.
    open: (usize, usize),
    /// Requests are answered once this is open or dropped.
    gate: Option<watch::Receiver<bool>>,
}

/// The three services, which end with the test's runtime.
#[derive(Clone)]
pub struct Services {
    pub base: String,
    inner: Arc<Mutex<Inner>>,
}

impl Services {
    pub async fn start() -> Self {
        let inner: Arc<Mutex<Inner>> = Arc::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new()
            .route("/services/{*path}", post(slack))
            .route("/{bot}/sendMessage", post(telegram))
            .route("/2010-04-01/Accounts/{sid}/Messages.json", post(twilio))
            .with_state(inner.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { base, inner }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.inner().asked.clone()
    }

    /// The messages that were taken.
    pub fn taken(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.status < 300).collect()
    }

    pub fn most_at_once(&self) -> usize {
        self.inner().open.1
    }

    /// Refuses later messages so, or takes them again.
    pub fn refuse(&self, refusal: Option<Refusal>) {
        self.inner().refusal = refusal;
    }

    /// Stops answering until the returned value is dropped.
    pub fn hang(&self) -> watch::Sender<bool> {
        let (hold, gate) = watch::channel(false);
        self.inner().gate = Some(gate);
        hold
    }

    pub fn slack(&self) -> Value {
        let secret = format!("{}/services/{SLACK_SECRET}", self.base);
        json!({"format": "slack", "secret": secret, "types": ["notification.created"]})
    }

    pub fn telegram(&self) -> Value {
        json!({
            "format": "telegram", "url": self.base, "secret": BOT_TOKEN, "receiver": {"chat_id": "-100200"},
            "types": ["notification.created"]
        })
    }

    pub fn twilio(&self) -> Value {
        let receiver = json!({"account_sid": ACCOUNT, "from": "+15005550006", "to": "+15005550010"});
        json!({
            "format": "twilio", "url": self.base, "secret": TWILIO_TOKEN, "receiver": receiver,
            "types": ["notification.created"]
        })
    }
}

/// Keeps a request, and answers as the test says or as the service does.
async fn answer(
    inner: Arc<Mutex<Inner>>,
    (path, fields): (String, HashMap<String, String>),
    usual: Response,
) -> Response {
    let gate = {
        let mut inner = inner.lock().unwrap();
        inner.open.0 += 1;
        inner.open.1 = inner.open.1.max(inner.open.0);
        inner.gate.clone()
    };
    if let Some(mut gate) = gate {
        drop(gate.wait_for(|open| *open).await);
    }
    let mut inner = inner.lock().unwrap();
    inner.open.0 -= 1;
    let answer = match &inner.refusal {
        None => usual,
        Some(refusal) => {
            let mut answer = Json(refusal.body.clone()).into_response();
            if let Some(text) = refusal.body.as_str() {
                answer = text.to_owned().into_response();
            }
            *answer.status_mut() = StatusCode::from_u16(refusal.status).unwrap();
            if let Some(wait) = refusal.retry_after {
                answer.headers_mut().insert(header::RETRY_AFTER, wait.parse().unwrap());
            }
            answer
        }
    };
    inner.asked.push(Asked { path, fields, status: answer.status().as_u16() });
    answer
}

fn is_of_type(head: &HeaderMap, wanted: &str) -> bool {
    head.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(wanted.as_bytes()))
}

/// The text fields of a JSON object.
fn json_fields(head: &HeaderMap, body: &Bytes) -> Option<HashMap<String, String>> {
    let body: Value = serde_json::from_slice(body).ok().filter(|_| is_of_type(head, "application/json"))?;
    let field = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    body.as_object()?.iter().map(field).collect()
}

async fn slack(
    State(inner): State<Arc<Mutex<Inner>>>,
    Path(path): Path<String>,
    head: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = json_fields(&head, &body);
    let usual = match &fields {
        _ if path != SLACK_SECRET => (StatusCode::NOT_FOUND, "no_service").into_response(),
        None => (StatusCode::BAD_REQUEST, "invalid_payload").into_response(),
        Some(fields) if fields.get("text").is_none_or(String::is_empty) => {
            (StatusCode::BAD_REQUEST, "no_text").into_response()
        }
        Some(_) => "ok".into_response(),
    };
    answer(inner, (path, fields.unwrap_or_default()), usual).await
}

async fn telegram(
    State(inner): State<Arc<Mutex<Inner>>>,
    Path(bot): Path<String>,
    head: HeaderMap,
    body: Bytes,
) -> Response {
    let fields = json_fields(&head, &body).unwrap_or_default();
    let text = fields.get("text").cloned().unwrap_or_default();
    let error = |code: u16, description: &str| {
        let body = json!({"ok": false, "error_code": code, "description": description});
        (StatusCode::from_u16(code).unwrap(), Json(body)).into_response()
    };
    let usual = match fields.get("chat_id").map(String::as_str) {
        _ if bot != format!("bot{BOT_TOKEN}") => error(401, "Unauthorized"),
        None | Some("") => error(400, "Bad Request: chat_id is empty"),
        _ if text.is_empty() => error(400, "Bad Request: message text is empty"),
        _ if text.encode_utf16().count() > 4_096 => error(400, "Bad Request: message is too long"),
        Some("-100200") => {
            Json(json!({"ok": true, "result": {"message_id": 7, "text": text}})).into_response()
        }
        Some(_) => error(400, "Bad Request: chat not found"),
    };
    answer(inner, (bot, fields), usual).await
}

async fn twilio(
    State(inner): State<Arc<Mutex<Inner>>>,
    Path(sid): Path<String>,
    head: HeaderMap,
    body: Bytes,
) -> Response {
    let fields: HashMap<String, String> = url::form_urlencoded::parse(&body).into_owned().collect();
    let login = format!("Basic {}", STANDARD.encode(format!("{ACCOUNT}:{TWILIO_TOKEN}")));
    let error = |status: u16, code: u32, message: &str| {
        let more_info = format!("https://www.twilio.com/docs/errors/{code}");
        let body = json!({"code": code, "message": message, "more_info": more_info, "status": status});
        (StatusCode::from_u16(status).unwrap(), Json(body)).into_response()
    };
    let field = |name: &str| fields.get(name).filter(|value| !value.is_empty());
    let is_known = head.get(header::AUTHORIZATION).is_some_and(|given| given.as_bytes() == login.as_bytes());
    let usual = if !is_known || sid != ACCOUNT {
        error(401, 20_003, "Authenticate")
    } else if !is_of_type(&head, "application/x-www-form-urlencoded") || field("To").is_none() {
        error(400, 21_604, "A 'To' phone number is required.")
    } else if field("From").is_none() {
        error(400, 21_603, "A 'From' phone number is required.")
    } else if field("Body").is_none() {
        error(400, 21_602, "Message body is required.")
    } else if field("Body").is_some_and(|body| body.chars().count() > 1_600) {
        error(400, 21_617, "The concatenated message body exceeds the 1600 character limit.")
    } else {
        let sent =
            json!({"sid": "SM00000000000000000000000000000000", "status": "queued", "error_code": null});
        (StatusCode::CREATED, Json(sent)).into_response()
    };
    answer(inner, (sid, fields), usual).await
}
