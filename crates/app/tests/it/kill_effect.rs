//! kill -9 at ten points of a call that adds a film: the film is asked for at most once, and each call ends
//! with what is true.
//!
//! Ten rounds on each database, or two hundred with `SOAK=1`. Prints the counts.

#[path = "../../../packs/media/tests/it/fakes.rs"]
#[expect(dead_code, reason = "the tests of the pack use the rest")]
mod fakes;

use std::{collections::BTreeMap, time::Duration};

use serde_json::{Value, json};
use toolcrib_model::{Clock as _, Cursor, Id, NotificationKind, SystemClock};
use toolcrib_store::{
    Db,
    audit::{self, AuditFilter},
    notifications::{self, Reader},
    open_effects,
};
use toolcrib_testkit::{TestDb, both_databases, eventually, soak};

use crate::{
    api::Api,
    binary::{Server, folder},
    load::cut_off,
    place::Place,
};
use fakes::{Asked, Fake, Fault, Speaks};

const ADD: &str = "media_add_movie";
const KEY: &str = "key-of-radarr-0123456789";
/// The film of the first round; the others follow.
const FIRST_FILM: u64 = 10_000;
/// By how much later a process is killed each tenth round, at points that no request marks.
const STEP: Duration = Duration::from_millis(3);

/// The requests of an add, in their order.
const LIBRARY: &str = "GET /api/v3/movie";
const LOOKUP: &str = "GET /api/v3/movie/lookup";
const FOLDERS: &str = "GET /api/v3/rootfolder";
const PROFILES: &str = "GET /api/v3/qualityprofile";
const POST: &str = "POST /api/v3/movie";

/// Where in a call its process is killed.
struct Point {
    /// The request after whose arrival it is killed.
    arrived: &'static str,
    /// What happens to that request.
    fault: Option<Fault>,
    /// Whether it is killed while the answer to that request is looked up.
    looks: bool,
}

const fn point(arrived: &'static str, fault: Option<Fault>) -> Point {
    Point { arrived, fault, looks: false }
}

/// The ten points: four before the start row, about its commit, before the server takes the request, before
/// and after the server adds the film, about the commit of the outcome, and while a lost answer is looked up.
const POINTS: [Point; 10] = [
    point(LIBRARY, Some(Fault::Held)),
    point(LOOKUP, Some(Fault::Held)),
    point(FOLDERS, Some(Fault::Held)),
    point(PROFILES, Some(Fault::Held)),
    point(PROFILES, None),
    point(POST, Some(Fault::Swallowed)),
    point(POST, Some(Fault::Late(Duration::from_millis(300)))),
    point(POST, Some(Fault::Held)),
    point(POST, None),
    Point { arrived: POST, fault: Some(Fault::Cut), looks: true },
];

fn rounds() -> u64 {
    soak(10, 200)
}

/// A household whose Radarr is a fake.
struct House {
    place: Place,
    radarr: Fake,
    client: reqwest::Client,
}

impl House {
    fn start(&self) -> Server {
        self.place.start(&["--demo", "--upstream-hosts", &self.radarr.host])
    }

    fn api(&self, server: &Server, who: &str) -> Api {
        Api::new(&self.client, server, &self.place.folder, who)
    }

    /// Switches the pack on. Returns the workspace.
    async fn furnish(&self, server: &Server) -> Id {
        let owner = self.api(server, "owner");
        let secret = json!({ "secret": KEY });
        for (method, path, body) in [
            ("PATCH", "/v1/packs/media", json!({ "enabled": true })),
            ("POST", "/v1/upstreams", self.radarr.upstream()),
            ("PUT", "/v1/upstreams/radarr/secret", secret),
        ] {
            let (status, body) = owner.ask(method, path, Some(&body)).await.unwrap();
            assert!(status < 300, "{method} {path}: {status} {body}");
        }
        owner.workspace
    }

    /// Whether the server has received a request, of those after the first `from`.
    fn has(&self, from: usize, request: &str) -> bool {
        self.radarr.asked()[from..].iter().any(|asked| line(asked) == request)
    }

    /// Kills the process of this round, which is started unless it runs already.
    async fn one_round(&self, running: Option<Server>, round: u64) {
        let (film, point) = (FIRST_FILM + round, &POINTS[usize::try_from(round % 10).unwrap()]);
        let title = json!({ "title": format!("Film {film}"), "year": 2020, "tmdbId": film });
        self.radarr.set(|state| state.titles.push(title));
        self.radarr.mend();
        if let Some(fault) = &point.fault {
            self.radarr.fail(point.arrived, fault.clone());
        }
        let server = running.unwrap_or_else(|| self.start());
        let member = self.api(&server, "member");
        let from = self.radarr.asked().len();
        let call = tokio::spawn(async move {
            member.ask("POST", &format!("/v1/actions/{ADD}"), Some(&json!({ "tmdb_id": film }))).await
        });
        eventually(point.arrived, async || self.has(from, point.arrived)).await;
        if point.looks {
            let from = self.radarr.asked().len();
            self.radarr.fail(LIBRARY, Fault::Held);
            eventually("it is looked up", async || self.has(from, LIBRARY)).await;
        }
        let delay =
            if point.fault.is_none() { STEP * u32::try_from(round / 10).unwrap() } else { Duration::ZERO };
        cut_off(vec![call], delay, || server.kill()).await;
    }

    /// What is true about each film: how often it was asked for, and whether it is in the library.
    fn truth(&self) -> BTreeMap<i64, (usize, bool)> {
        let posts = self.radarr.changes();
        let posts = |film: i64| posts.iter().filter(|sent| sent.body["tmdbId"] == film).count();
        let added = FIRST_FILM.cast_signed()..(FIRST_FILM + rounds()).cast_signed();
        let titles = self.radarr.set(|state| state.titles.clone());
        let films = titles.iter().map(|title| (title["tmdbId"].as_i64().unwrap(), title.get("id").is_some()));
        films
            .filter(|(film, _)| added.contains(film))
            .map(|(film, there)| (film, (posts(film), there)))
            .collect()
    }
}

fn line(asked: &Asked) -> String {
    format!("{} {}", asked.method, asked.path)
}

/// The outcomes of the calls by film, the last one last. A call without a start row has none.
async fn outcomes(db: &Db, workspace: Id) -> BTreeMap<i64, Vec<String>> {
    let mut tx = db.read(workspace).await.unwrap();
    let filter = AuditFilter { action: Some(ADD.into()), ..AuditFilter::default() };
    let mut rows = audit::list(&mut tx, &filter, Cursor::START, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    rows.reverse();
    let mut films = BTreeMap::new();
    let mut calls: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for row in rows {
        let call = row.call_ref.unwrap_or(row.id);
        if row.call_ref.is_none() {
            let arguments: Value = serde_json::from_str(&row.arguments).unwrap();
            films.insert(call, arguments["tmdb_id"].as_i64().unwrap());
        }
        calls.entry(films[&call]).or_default().push(row.outcome);
    }
    calls
}

/// The films of the list of additions.
async fn additions(owner: &Api) -> Vec<i64> {
    let (mut films, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut body = json!({ "user": "all", "limit": 100 });
        if cursor.is_string() {
            body["cursor"] = cursor;
        }
        let page = owner.post("/v1/actions/media_list_additions", &body, 200).await["data"].take();
        let ids = page["items"].as_array().unwrap().iter().map(|item| item["foreign_id"].as_str().unwrap());
        films.extend(ids.map(|id| id.parse::<i64>().unwrap()));
        if page["next_cursor"].is_null() {
            films.sort_unstable();
            return films;
        }
        cursor = page["next_cursor"].clone();
    }
}

/// The number of messages to admins about additions.
async fn messages(db: &Db, workspace: Id) -> usize {
    let mut tx = db.read(workspace).await.unwrap();
    let reader = Reader { id: workspace, admin: true };
    let all = notifications::list(&mut tx, reader, None, SystemClock.now(), Cursor::START, 1_000).await;
    tx.end().await.unwrap();
    all.unwrap().iter().filter(|message| message.kind == NotificationKind::MediaAdded).count()
}

/// Makes the time of every running call over.
const OVERDUE: &str = "UPDATE open_calls SET end_by = 1 WHERE state = 'running'";
/// Makes every effect whose end nobody knows due for its last look.
const LAST_LOOK: &str = "UPDATE open_effects SET next_look = 1, looks = 4";

#[both_databases]
async fn adds_survive_a_kill_at_ten_points_soak(db: TestDb) {
    let folder = folder();
    let radarr = Fake::start(Speaks::Radarr, KEY).await;
    radarr.set(|state| state.now = || SystemClock.now());
    let house = House { place: Place::new(folder.path(), &db), radarr, client: reqwest::Client::new() };
    let first = house.start();
    let workspace = house.furnish(&first).await;
    let mut running = Some(first);
    for round in 0..rounds() {
        house.one_round(running.take(), round).await;
    }
    house.radarr.mend();
    let db = house.place.open().await;
    house.place.run(OVERDUE).await;
    let server = house.start();
    eventually("no call runs", async || {
        outcomes(&db, workspace).await.values().all(|all| all.last().unwrap() != "started")
    })
    .await;
    server.kill();
    house.place.run(LAST_LOOK).await;
    let last = house.start();
    let far = SystemClock.now().plus_seconds(1_000_000_000);
    let adds = [ADD.to_owned()];
    let none_is_open = async || open_effects::due(&db, far, &adds, 1).await.unwrap().is_empty();
    eventually("every effect has ended", none_is_open).await;
    let rows = additions(&house.api(&last, "owner")).await;
    let told = messages(&db, workspace).await;
    let metrics = house.client.get(format!("{}/metrics", last.base())).send().await.unwrap();
    let metrics = metrics.text().await.unwrap();
    assert!(metrics.contains("toolcrib") && !metrics.contains(KEY) && !last.text().contains(KEY));
    last.kill();
    agree(&house.truth(), &outcomes(&db, workspace).await, (&rows, told), db.kind());
    db.close().await;
    house.place.verify();
}

/// Compares what the calls say with what is true, and prints the numbers.
fn agree(
    truth: &BTreeMap<i64, (usize, bool)>,
    calls: &BTreeMap<i64, Vec<String>>,
    (rows, told): (&[i64], usize),
    kind: &str,
) {
    let posts: usize = truth.values().map(|(posts, _)| posts).sum();
    let there: Vec<i64> = truth.iter().filter(|(_, (_, there))| *there).map(|(film, _)| *film).collect();
    let failed = calls.values().filter(|all| all.last().unwrap() == "failed").count();
    println!(
        "kill -9 at ten points of an add, {kind}: {} rounds, {} start rows, {posts} requests, {} films \
         added, {} rows and {told} messages about them, {failed} calls that failed",
        truth.len(),
        calls.len(),
        there.len(),
        rows.len()
    );
    assert_eq!(truth.len() as u64, rounds());
    for (film, (posts, there)) in truth {
        assert!(*posts <= 1, "film {film} was asked for {posts} times");
        let last = calls.get(film).and_then(|all| all.last()).map(String::as_str);
        let expected: &[Option<&str>] = match (posts, there) {
            (_, true) => &[Some("succeeded")],
            (0, false) => &[None, Some("failed")],
            (_, false) => &[Some("failed")],
        };
        assert!(expected.contains(&last), "film {film}, asked for {posts} times: {:?}", calls.get(film));
    }
    assert_eq!((rows, told), (&*there, there.len()));
}
