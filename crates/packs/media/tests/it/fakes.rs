//! Servers that speak as Radarr, Sonarr, TMDB and Brave do, and misbehave as those do.
//! Each remembers what it was asked.
//!
//! `tests/it/world.rs` of the workspace starts them too, for its sweeps.

#[path = "fakes/brave.rs"]
mod brave;
#[path = "fakes/fault.rs"]
mod fault;
#[path = "fakes/library.rs"]
mod library;
#[path = "fakes/radarr.rs"]
mod radarr;
#[path = "fakes/reply.rs"]
mod reply;
#[path = "fakes/sonarr.rs"]
mod sonarr;
#[path = "fakes/tmdb.rs"]
mod tmdb;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    extract::Request,
    http::HeaderMap,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use toolcrib_model::Ts;
use toolcrib_testkit::NOW;

pub use fault::Fault;
use reply::Reply;

/// Which service a fake speaks as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    Radarr,
    Sonarr,
    Tmdb,
    Brave,
}

/// A request as it was received.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: HeaderMap,
    /// The body as JSON; null without one.
    pub body: Value,
}

impl Asked {
    /// A parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<String> {
        self.parameters().remove(name)
    }

    pub fn parameters(&self) -> HashMap<String, String> {
        let uri = format!("/?{}", self.query).parse().unwrap();
        axum::extract::Query::<HashMap<String, String>>::try_from_uri(&uri).unwrap().0
    }

    pub fn flag(&self, name: &str) -> bool {
        self.parameter(name).as_deref() == Some("true")
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// What a fake knows, and how it misbehaves.
#[derive(Debug)]
pub struct State {
    pub key: String,
    pub version: &'static str,
    /// Films of Radarr or series of Sonarr, those in the library with an `id`.
    pub titles: Vec<Value>,
    /// The calendar's episodes.
    pub episodes: Vec<Value>,
    pub queue: Vec<Value>,
    pub folders: Vec<Value>,
    pub profiles: Vec<Value>,
    /// What somebody else adds just before the next request that changes something is read.
    pub rival: Option<Value>,
    /// The clock, for when something was added.
    pub now: fn() -> Ts,
    /// What happens to requests whose method and path hold this text.
    faults: Vec<(String, Fault)>,
    asked: Vec<Asked>,
}

/// A running fake.
#[derive(Clone)]
pub struct Fake {
    pub speaks: Speaks,
    /// The address, without a slash at the end.
    pub url: String,
    /// `HOST:PORT` of the address.
    pub host: String,
    state: Arc<Mutex<State>>,
}

impl Fake {
    /// Starts a fake with this key.
    pub async fn start(speaks: Speaks, key: &str) -> Self {
        let (version, titles, queue) = match speaks {
            Speaks::Radarr => ("6.0.3.10276", radarr::movies(), radarr::queue()),
            Speaks::Sonarr => ("4.0.19.2979", sonarr::series(), sonarr::queue()),
            Speaks::Tmdb | Speaks::Brave => ("", Vec::new(), Vec::new()),
        };
        let state = State {
            key: key.to_owned(),
            version,
            titles,
            episodes: sonarr::episodes(),
            queue,
            folders: library::folders(speaks),
            profiles: library::profiles(),
            rival: None,
            now: || NOW,
            faults: Vec::new(),
            asked: Vec::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let own = state.clone();
        let app = Router::new().fallback(move |request: Request| respond(speaks, own.clone(), request));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { speaks, url: format!("http://{host}"), host, state }
    }

    /// Changes what the fake knows.
    pub fn set<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap())
    }

    /// Lets requests fail whose method and path hold this text, such as `POST /api`.
    pub fn fail(&self, path: &str, fault: Fault) {
        self.set(|state| state.faults.push((path.to_owned(), fault)));
    }

    /// Ends all faults.
    pub fn mend(&self) {
        self.set(|state| state.faults.clear());
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.set(|state| state.asked.clone())
    }

    /// The requests so far that change something.
    pub fn changes(&self) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.method != "GET").collect()
    }

    /// The name of the upstream, and how it authenticates.
    pub fn upstream(&self) -> Value {
        let (name, auth) = match self.speaks {
            Speaks::Radarr => ("radarr", json!({ "kind": "header", "name": "X-Api-Key" })),
            Speaks::Sonarr => ("sonarr", json!({ "kind": "header", "name": "X-Api-Key" })),
            Speaks::Tmdb => ("tmdb", json!({ "kind": "bearer" })),
            Speaks::Brave => ("brave", json!({ "kind": "header", "name": "X-Subscription-Token" })),
        };
        json!({ "name": name, "kind": "http", "base_url": format!("{}/", self.url), "auth": auth })
    }

    /// The key that it takes.
    pub fn key(&self) -> String {
        self.set(|state| state.key.clone())
    }
}

async fn respond(speaks: Speaks, state: Arc<Mutex<State>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1024 * 1024).await.unwrap();
    let asked = Asked {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let (fault, reply) = {
        let mut state = state.lock().unwrap();
        state.asked.push(asked.clone());
        let request = format!("{} {}", asked.method, asked.path);
        let fault = state.faults.iter().find(|(path, _)| request.contains(&**path));
        let fault = fault.map(|(_, fault)| fault.clone());
        if asked.method != "GET" {
            let rival = state.rival.take();
            state.titles.extend(rival);
        }
        // What is refused has no effect. What is lost on the way back has.
        let acts = fault.as_ref().is_none_or(Fault::acts) || asked.method == "GET";
        let reply = if acts { answer(speaks, &mut state, &asked) } else { Reply::Empty(500) };
        (fault, reply)
    };
    match fault {
        // The server goes on although its client is gone.
        Some(Fault::Late(time)) => {
            let late = tokio::spawn(async move {
                fault::pause(time).await;
                answer(speaks, &mut state.lock().unwrap(), &asked)
            });
            late.await.unwrap().into_response()
        }
        Some(fault) => fault.respond(&asked, reply).await,
        None => reply.into_response(),
    }
}

fn answer(speaks: Speaks, state: &mut State, asked: &Asked) -> Reply {
    if asked.method != "GET" {
        return library::change(speaks, state, asked);
    }
    if let Some(reply) = library::read(speaks, state, asked) {
        return reply;
    }
    match speaks {
        Speaks::Radarr => radarr::answer(state, asked),
        Speaks::Sonarr => sonarr::answer(state, asked),
        Speaks::Tmdb => tmdb::answer(state, asked),
        Speaks::Brave => brave::answer(state, asked),
    }
}

/// The checks that both servers make before they answer: the key, then what the client accepts.
fn refusal(state: &State, asked: &Asked) -> Option<Reply> {
    let bearer = asked.header("authorization").and_then(|text| text.strip_prefix("Bearer "));
    // The query wins if it is there, also when it is wrong.
    let query = asked.parameter("apikey");
    let key = query.as_deref().or_else(|| asked.header("x-api-key")).or(bearer);
    if key != Some(&*state.key) {
        let is_old = state.version.starts_with("3.");
        return Some(if is_old {
            Reply::Json(401, json!({ "error": "Unauthorized" }))
        } else {
            Reply::Empty(401)
        });
    }
    let accept = asked.header("accept").unwrap_or("*/*");
    let takes_json = accept.contains("application/json") || accept.contains("*/*");
    (!takes_json).then_some(Reply::Empty(406))
}

/// The status of a server, with the paths that nobody may see.
fn status(state: &State, app: &str) -> Reply {
    Reply::Json(
        200,
        json!({
            "appName": app, "instanceName": app, "version": state.version, "isDocker": true,
            "startupPath": "/app/secret-folder/bin", "appData": "/config/secret-folder", "branch": "main",
            "authentication": "forms", "urlBase": "", "startTime": "2026-01-14T08:00:00Z",
        }),
    )
}

/// A page of the queue. Behind the end it is the last page again.
fn page(asked: &Asked, records: Vec<Value>) -> Reply {
    let number =
        |name: &str, otherwise| asked.parameter(name).map_or(otherwise, |text| text.parse().unwrap());
    let (page, size): (usize, usize) = (number("page", 1), number("pageSize", 10));
    let total = records.len();
    let last = total.div_ceil(size).max(1);
    let from = (page.min(last) - 1) * size;
    let records: Vec<Value> = records.into_iter().skip(from).take(size).collect();
    Reply::Json(
        200,
        json!({ "page": page, "pageSize": size, "sortKey": "timeleft", "sortDirection": "ascending",
            "totalRecords": total, "records": records }),
    )
}

/// The range of a calendar. The default is two days of the server's own. A time without a zone is one of
/// the server, so that a client that leaves the zone out gets other days.
fn range(asked: &Asked) -> (String, String) {
    let time = |name: &str, otherwise: &str| {
        let text = asked.parameter(name).unwrap_or_else(|| otherwise.to_owned());
        if text.ends_with('Z') { text } else { "2000-01-01T00:00:00Z".to_owned() }
    };
    (time("start", "2026-01-15T05:00:00Z"), time("end", "2026-01-17T05:00:00Z"))
}

/// The titles that a look-up finds: by `prefix:ID`, or by a part of the title without the year. An empty term
/// is an error.
fn look_up(state: &State, asked: &Asked, (prefix, id): (&str, &str)) -> Reply {
    let term = asked.parameter("term").unwrap_or_default();
    let term = term.trim().to_lowercase();
    if term.is_empty() {
        return fault::metadata_is_down(&term);
    }
    let found = state.titles.iter().filter(|title| {
        if let Some(wanted) = term.strip_prefix(prefix) {
            return title[id].as_i64() == wanted.parse().ok();
        }
        let name = title["title"].as_str().unwrap().to_lowercase();
        let words = term.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
        name.contains(if words.is_empty() { &term } else { words })
    });
    Reply::Json(200, found.cloned().collect())
}
