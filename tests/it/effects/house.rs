//! A pack with one effect, and the house whose server it asks.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Barrier;
use toolcrib_actions::{Infrastructure, catalog_with_packs};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_engine::{
    Action, ActionError, DatasourceRules, ExternalCx, OperatorRules, Outcome, Pack, Target, WriteCx,
    effect::{EffectAction, EffectCall, Found, Ready, Resolved, Sent},
};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_registry::{Category, Escalation, PackInfo, Permission, Spec, Verb};
use toolcrib_testkit::{App, Person, TestDb};

pub const ADD: &str = "house_add_film";
const SHORT: Duration = Duration::from_secs(2);

static HOUSE: PackInfo = PackInfo {
    slug: "house",
    title: "House",
    description: "Films of a house.",
    sources: &[],
    events: &["house.added"],
};
/// The film whose records fail for two minutes.
pub const FAILS: i64 = 13;
/// The film whose records never work.
pub const NEVER: i64 = 14;
/// The film whose records are a conflict.
pub const CONFLICT: i64 = 15;
/// The film that is sent to the upstream `away`.
pub const AWAY: i64 = 16;
/// An address at which nobody listens.
pub const NOBODY: &str = "127.0.0.1:9";

struct AddFilm;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Number of the film.
    film: i64,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Output {
    /// Number of the film.
    film: i64,
    /// Whether it was there before.
    already: bool,
}

#[derive(Serialize, Deserialize)]
struct Plan {
    film: i64,
    folder: String,
}

impl EffectAction for AddFilm {
    type Input = Input;
    type Output = Output;
    type Plan = Plan;

    fn spec() -> Spec {
        Spec::write(ADD, Category::Pack(&HOUSE), Permission::of_pack("house", Verb::Use))
            .creates()
            .external()
            .describe("Add a film to the house.")
            .escalations(&[] as &[Escalation])
    }

    async fn resolve(
        &self,
        cx: &ExternalCx<'_>,
        input: &Input,
    ) -> Result<Resolved<Plan, Output>, ActionError> {
        let films = cx.service("films").await?;
        let there = films.get(&format!("/films/{}", input.film), &[], SHORT).await?;
        if there.is_success() {
            return Ok(Resolved::AlreadyTrue(Output { film: input.film, already: true }));
        }
        let folder = films.get("/folder", &[], SHORT).await?.json.unwrap_or_default();
        let folder = folder.as_str().unwrap_or_default().to_owned();
        let target = Target {
            label: format!("film {}", input.film),
            detail: Some(format!("in {folder}")),
            ..Target::default()
        };
        let plan = Plan { film: input.film, folder };
        Ok(Resolved::Ready(Ready { target, key: format!("films/{}", input.film), plan }))
    }

    async fn send(&self, cx: &ExternalCx<'_>, _: &Input, plan: &Plan) -> Sent<Output> {
        let films = match cx.service(if plan.film == AWAY { "away" } else { "films" }).await {
            Ok(films) => films,
            Err(error) => return Sent::Nothing(error),
        };
        let body = json!(plan);
        let method = toolcrib_connectors::upstream::Method::POST;
        match films.send(method, "/films", &[], Some(&body), Duration::from_millis(300)).await {
            Ok(answer) if answer.status == 201 => Sent::Done(Output { film: plan.film, already: false }),
            Ok(answer) if answer.status == 409 => Sent::Done(Output { film: plan.film, already: true }),
            Ok(answer) => Sent::Refused(ActionError::conflict(format!("the house says {}", answer.status))),
            Err(failed) => failed.into(),
        }
    }

    async fn look_up(&self, cx: &ExternalCx<'_>, _: &EffectCall, _: &Input, plan: &Plan) -> Found<Output> {
        let Ok(films) = cx.service("films").await else { return Found::CannotTell };
        match films.get(&format!("/films/{}", plan.film), &[], SHORT).await {
            Ok(answer) if answer.is_success() => Found::True(Output { film: plan.film, already: false }),
            Ok(answer) if answer.status == 404 => Found::NotTrue,
            _ => Found::CannotTell,
        }
    }

    async fn record(
        &self,
        cx: &mut WriteCx<'_>,
        call: &EffectCall,
        plan: &Plan,
        _: &Output,
    ) -> Result<(), ActionError> {
        if plan.film == NEVER || plan.film == FAILS && cx.now < call.started_at.plus_seconds(120) {
            return Err(ActionError::internal("the table is gone"));
        }
        if plan.film == CONFLICT {
            return Err(ActionError::conflict("another film has this place"));
        }
        cx.emit("house.added", "house:read", json!({ "film": plan.film, "call_id": call.call_id }));
        Ok(())
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Added film {}", output.film)
    }
}

fn pack() -> Pack {
    Pack {
        phrases: "house_add_film\ta\nhouse_add_film\tb\nhouse_add_film\tc\n",
        calls: r#"[{"action": "house_add_film", "params": {"film": 1}}]"#,
        ..Pack::new(&HOUSE, || vec![Action::effect(AddFilm)])
    }
}

/// What happens to a film that is posted.
#[derive(Clone, Copy, PartialEq)]
pub enum Post {
    Answered,
    /// It is added, and the answer never comes.
    Lost,
    /// It is not added, and no answer comes.
    Swallowed,
    Refused,
}

/// The server of the house.
#[derive(Clone)]
pub struct House(pub Arc<Mutex<HouseState>>);

pub struct HouseState {
    pub films: Vec<i64>,
    pub posts: usize,
    /// How many requests were received that change nothing.
    pub gets: usize,
    pub post: Post,
    pub folder: &'static str,
    /// Whether it can't say what it has.
    pub blind: bool,
    /// Whether it says what it has only when others wait here too.
    pub meeting: Option<Arc<Barrier>>,
}

impl House {
    async fn start() -> (Self, String) {
        let state = HouseState {
            films: Vec::new(),
            posts: 0,
            gets: 0,
            post: Post::Answered,
            folder: "/films",
            blind: false,
            meeting: None,
        };
        let house = Self(Arc::new(Mutex::new(state)));
        let router = Router::new()
            .route("/films/{film}", get(film))
            .route("/films", post(add))
            .route("/folder", get(async |State(house): State<House>| Json(house.0.lock().unwrap().folder)))
            .with_state(house.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        (house, address.to_string())
    }

    pub fn set(&self, change: impl FnOnce(&mut HouseState)) {
        change(&mut self.0.lock().unwrap());
    }

    pub fn posts(&self) -> usize {
        self.0.lock().unwrap().posts
    }
}

async fn film(State(house): State<House>, Path(film): Path<i64>) -> Response {
    let meeting = {
        let mut state = house.0.lock().unwrap();
        state.gets += 1;
        state.meeting.clone()
    };
    if let Some(meeting) = meeting {
        meeting.wait().await;
    }
    let state = house.0.lock().unwrap();
    match (state.blind, state.films.contains(&film)) {
        (true, _) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        (false, true) => Json(json!({ "film": film })).into_response(),
        (false, false) => StatusCode::NOT_FOUND.into_response(),
    }
}

async fn add(State(house): State<House>, Json(body): Json<Value>) -> Response {
    let post = {
        let mut state = house.0.lock().unwrap();
        state.posts += 1;
        let film = body["film"].as_i64().unwrap();
        if state.films.contains(&film) {
            return StatusCode::CONFLICT.into_response();
        }
        if matches!(state.post, Post::Answered | Post::Lost) {
            state.films.push(film);
        }
        state.post
    };
    match post {
        Post::Answered => (StatusCode::CREATED, Json(body)).into_response(),
        Post::Refused => StatusCode::BAD_REQUEST.into_response(),
        Post::Lost | Post::Swallowed => std::future::pending().await,
    }
}

pub struct World {
    pub app: App,
    pub house: House,
}

/// An app whose workspaces have the pack and the house.
pub async fn world(db: TestDb) -> World {
    let (house, host) = House::start().await;
    let key = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=".into();
    let secret_cipher = Arc::new(SecretCipher::from_setting(&key).unwrap());
    let datasources = Arc::new(DatasourceRules { secret_cipher, ..DatasourceRules::default() });
    let rules = OperatorRules {
        datasources,
        upstream_hosts: vec![host.clone(), NOBODY.to_owned()],
        ..OperatorRules::default()
    };
    let catalog = catalog_with_packs(&Infrastructure::default(), &[pack()], None);
    let app = App::with_catalog(db, catalog.map_err(|d| format!("{d:?}")).unwrap().under(rules)).await;
    for owner in [app.owner(), app.as_role_b(Role::Owner)] {
        owner.done("packs.update", json!({ "slug": "house", "enabled": true })).await;
        owner.done("upstreams.create", upstream("films", &host)).await;
    }
    World { app, house }
}

/// The arguments that add an upstream without a secret.
pub fn upstream(name: &str, host: &str) -> Value {
    json!({ "name": name, "kind": "http", "base_url": format!("http://{host}/"), "auth": { "kind": "none" } })
}

impl World {
    /// How often the pack recorded an effect.
    pub async fn records(&self) -> usize {
        toolcrib_store::events::assign_offsets(&self.app.db).await.unwrap();
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let all = toolcrib_store::events::after(&mut tx, 0, 1_000).await.unwrap();
        tx.end().await.unwrap();
        all.iter().filter(|event| event.name == "house.added").count()
    }

    /// The rows of the audit log about a call: the kind and the outcome of each.
    pub async fn outcome(&self, call: Id) -> Value {
        let row = self.app.owner().done("audit.get", json!({ "call_id": call })).await;
        json!([
            row["outcome"],
            row["outcomes"]
                .as_array()
                .map(|all| all.iter().map(|one| one["outcome"].clone()).collect::<Vec<_>>())
        ])
    }

    /// Lets time pass, and the worker look.
    pub async fn later(&self, seconds: i64) -> usize {
        self.app.clock.advance(seconds);
        self.app.engine.end_overdue_calls().await.unwrap();
        self.app.engine.look_up_effects().await.unwrap()
    }
}

pub async fn add_film(person: &Person<'_>, film: i64) -> Outcome {
    person.call(ADD, json!({ "film": film })).await.outcome
}

pub fn code(outcome: &Outcome) -> ErrorCode {
    match outcome {
        Outcome::Refused(problem) => problem.code,
        other => panic!("it was not refused: {other:?}"),
    }
}
