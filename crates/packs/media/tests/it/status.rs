//! The status of the services.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolcrib_engine::OperatorRules;
use toolcrib_model::Surface;
use toolcrib_testkit::{Person, TestDb, both_databases, sqlite};

use crate::{
    fakes::{Fault, State},
    house::{House, NOBODY},
};

async fn status(house: &House) -> [Value; 4] {
    let answer = house.read("media_check_status", json!({})).await;
    answer["items"].as_array().unwrap().clone().try_into().unwrap()
}

fn states(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["state"].as_str().unwrap()).collect()
}

#[both_databases]
async fn services_that_answer_are_connected_and_brave_is_not_asked(db: TestDb) {
    let house = House::new(db).await;
    let items = status(&house).await;
    assert_eq!(states(&items), ["connected", "connected", "connected", "not_asked"]);
    let radarr = json!({ "service": "radarr", "state": "connected", "version": "6.0.3.10276",
    "problem": null });
    assert_eq!(items[0], radarr);
    assert!(house.a.brave.asked().is_empty(), "a request costs");
    house.app.owner().done("upstreams.delete", json!({ "name": "tmdb" })).await;
    house.app.owner().done("upstreams.delete_secret", json!({ "name": "brave" })).await;
    let items = status(&house).await;
    assert_eq!(states(&items)[2..], ["not_set", "not_set"]);
    assert!(items[2]["problem"].as_str().unwrap().contains("POST /v1/upstreams"), "{}", items[2]);
}

/// The actions whose service is not set, as lists and metadata say it.
async fn unavailable(house: &House) -> Vec<String> {
    let owner = house.app.owner();
    let admitted = house.app.engine.admit_with_catalog(&owner.authenticated, Surface::Rest).await.unwrap();
    let names = admitted.catalog.registry().compiled().map(|meta| meta.spec.name.to_string());
    let mut names: Vec<String> = names.filter(|name| !admitted.catalog.available(name)).collect();
    names.retain(|name| name.starts_with("media_"));
    names.sort();
    names
}

#[both_databases]
async fn an_action_is_available_where_its_service_is_set(db: TestDb) {
    let house = House::new(db).await;
    let owner = house.app.owner();
    assert_eq!(unavailable(&house).await, [""; 0]);
    owner.done("upstreams.delete_secret", json!({ "name": "brave" })).await;
    assert_eq!(unavailable(&house).await, ["media_web_search"]);
    owner.done("upstreams.delete", json!({ "name": "radarr" })).await;
    let of_radarr = ["add_movie", "get_upcoming_movies", "remove_movie", "search_movies", "web_search"];
    assert_eq!(unavailable(&house).await, of_radarr.map(|name| format!("media_{name}")));
    owner.done("upstreams.delete", json!({ "name": "sonarr" })).await;
    assert!(unavailable(&house).await.contains(&"media_get_download_queue".to_owned()));
}

/// What every call refuses is not set: an upstream of another kind, and any where the operator forbids them.
#[both_databases]
async fn a_service_is_set_where_calls_can_ask_it(db: TestDb) {
    let house = House::new(db).await;
    let owner = house.app.owner();
    let set = async |owner: &Person<'_>| {
        let pack = owner.done("packs.list", json!({})).await["items"][0].clone();
        let upstreams = pack["upstreams"].as_array().unwrap().clone();
        upstreams.iter().map(|one| one["set"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(set(&owner).await, [true; 4]);
    owner.done("upstreams.delete", json!({ "name": "tmdb" })).await;
    let other =
        json!({ "name": "tmdb", "kind": "mcp", "base_url": house.a.tmdb.url, "auth": { "kind": "none" } });
    owner.done("upstreams.create", other).await;
    assert_eq!(set(&owner).await, [true, true, false, true]);
    let problem = owner.problem("media_discover", json!({ "type": "movie" })).await;
    assert_eq!(problem.code.as_str(), "connector_not_configured");
    assert_eq!(problem.detail, "the upstream `tmdb` is of the kind `mcp`, and an `http` one is needed");
    let rules = house.app.engine.catalog().rules().clone();
    let strict = house.app.under(OperatorRules { workspace_upstreams: false, ..rules });
    let owner = Person::new(&strict, owner.authenticated.clone());
    assert_eq!(set(&owner).await, [false; 4]);
    let problem = owner.problem("media_search_movies", json!({ "query": "x" })).await;
    assert!(problem.detail.contains("the operator forbids"), "{problem:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_has_a_word() {
    let house = House::new(sqlite().await).await;
    let cases: [(Fault, &str); 13] = [
        (Fault::Starting, "starting"),
        (Fault::LoginPage, "web_page"),
        (Fault::Redirect(301, "/radarr".into()), "web_page"),
        (Fault::Redirect(302, "/radarr".into()), "web_page"),
        (Fault::Redirect(307, "/radarr".into()), "web_page"),
        (Fault::Thrown, "error"),
        (Fault::BadRequest, "error"),
        (Fault::Says(200, ("x-a", "b"), json!("text")), "error"),
        (Fault::Huge, "error"),
        (Fault::GatewayPage, "unreachable"),
        (Fault::Cut, "unreachable"),
        (Fault::OtherShape, "wrong_service"),
        (Fault::Says(404, ("x-a", "b"), json!({})), "wrong_service"),
    ];
    for (fault, word) in cases {
        house.a.radarr.fail("/system/status", fault.clone());
        let [radarr, sonarr, ..] = status(&house).await;
        assert_eq!((&radarr["state"], &sonarr["state"]), (&json!(word), &json!("connected")), "{fault:?}");
        let problem = radarr["problem"].as_str().unwrap();
        assert!(problem.contains(&house.a.radarr.url) && !problem.contains("secret-folder"), "{radarr}");
        house.a.radarr.mend();
    }
    let renew = |state: &mut State| state.key = "another-key".into();
    house.a.radarr.set(renew);
    let [radarr, ..] = status(&house).await;
    assert_eq!(radarr["state"], "refused");
    assert!(radarr["problem"].as_str().unwrap().contains("X-Api-Key"), "{radarr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_metadata_service_that_is_down_is_said_of_a_server_that_is_up() {
    let house = House::new(sqlite().await).await;
    house.a.sonarr.fail("/lookup", Fault::MetadataDown);
    let [_, sonarr, ..] = status(&house).await;
    assert_eq!((&sonarr["state"], &sonarr["version"]), (&json!("metadata_down"), &json!("4.0.19.2979")));
    let problem = sonarr["problem"].as_str().unwrap();
    assert!(
        problem.contains("is up, but") && problem.contains("Search for 'x' failed: the library"),
        "{problem}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn swapped_old_and_absent_servers_are_told_apart() {
    let house = House::new(sqlite().await).await;
    let (radarr, sonarr) = (&house.a.radarr, &house.a.sonarr);
    let key = radarr.key();
    sonarr.set(|state| state.key = key);
    house.move_to(radarr, &sonarr.url).await;
    let [radarr_item, sonarr_item, ..] = status(&house).await;
    assert_eq!(radarr_item["state"], "wrong_service", "{radarr_item}");
    assert_eq!(sonarr_item["state"], "refused", "its key is another now: {sonarr_item}");
    house.move_to(radarr, &radarr.url.clone()).await;
    house.move_to(sonarr, &sonarr.url.clone()).await;
    sonarr.set(|state| state.version = "3.0.10.1567");
    radarr.set(|state| state.version = "4.7.5.7809");
    let [radarr_item, sonarr_item, ..] = status(&house).await;
    assert_eq!(states(&[radarr_item.clone(), sonarr_item]), ["unsupported", "unsupported"]);
    let problem = radarr_item["problem"].as_str().unwrap();
    assert!(problem.contains("update it to version 5 or 6"), "{problem}");
    house.move_to(radarr, &format!("http://{NOBODY}")).await;
    let [radarr_item, ..] = status(&house).await;
    assert_eq!(radarr_item["state"], "unreachable");
    assert!(radarr_item["problem"].as_str().unwrap().contains("`radarr`"), "{radarr_item}");
}

/// Servers that answer a byte a second or not at all do not hold the others up.
#[tokio::test(flavor = "multi_thread")]
async fn the_status_comes_within_five_seconds() {
    let house = House::new(sqlite().await).await;
    house.a.radarr.fail("/", Fault::Drip);
    house.a.sonarr.fail("/", Fault::Held);
    let began = Instant::now();
    let items = status(&house).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(states(&items), ["unreachable", "unreachable", "connected", "not_asked"]);
    for (item, fake) in items.iter().zip([&house.a.radarr, &house.a.sonarr]) {
        let problem = item["problem"].as_str().unwrap();
        assert!(problem.contains(&fake.url) && problem.contains("an admin checks"), "{problem}");
    }
}

#[both_databases]
async fn tmdbs_other_key_is_refused_when_it_is_set(db: TestDb) {
    let house = House::new(db).await;
    let owner = house.app.owner();
    let set = |secret: &str| json!({ "name": "tmdb", "secret": secret });
    let refused = owner.problem("upstreams.set_secret", set("0123456789abcdef0123456789ABCDEF")).await;
    assert_eq!((refused.code.as_str(), refused.errors[0].pointer.as_str()), ("invalid_arguments", "/secret"));
    let said = "`secret` is TMDB's API key; set the API Read Access Token";
    assert!(refused.detail.starts_with(said), "{refused:?}");
    owner.done("upstreams.set_secret", set("eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiIwIn0.c2lnbmF0dXJl")).await;
    // Other services have keys of that form.
    let key = json!({ "name": "radarr", "secret": "0123456789abcdef0123456789abcdef" });
    owner.done("upstreams.set_secret", key).await;
}
