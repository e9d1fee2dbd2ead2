//! What goes wrong at the services: each error names the server, says what to do, and comes in time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolcrib_engine::Problem;
use toolcrib_model::Role;
use toolcrib_testkit::{soak, sqlite};

use crate::{
    fakes::{Fake, Fault},
    house::{House, NOBODY},
};

/// The reads with the service that each asks.
fn reads(house: &House) -> [(&Fake, &'static str, Value); 6] {
    let crate::house::Services { radarr, sonarr, tmdb, brave } = &house.a;
    [
        (radarr, "media_search_movies", json!({ "query": "Arrival" })),
        (sonarr, "media_search_series", json!({ "query": "Frieren" })),
        (sonarr, "media_get_upcoming_episodes", json!({})),
        (radarr, "media_get_upcoming_movies", json!({})),
        (tmdb, "media_discover", json!({ "type": "movie", "genre": "Horror" })),
        (brave, "media_web_search", json!({ "query": "Arrival" })),
    ]
}

/// Whether the error names the service, says what to do, and holds neither a path nor a trace of it.
fn check(fake: &Fake, problem: &Problem, part: &str) {
    let name = fake.upstream()["name"].as_str().unwrap().to_owned();
    assert_eq!(problem.code.as_str(), "upstream_error", "{problem:?}");
    assert!(problem.detail.to_lowercase().contains(&name), "{}", problem.detail);
    assert!(problem.detail.contains(part), "{part}: {}", problem.detail);
    assert!(problem.detail.contains(" at http://127.0.0.1:") && problem.hint.is_some(), "{problem:?}");
    let text = serde_json::to_string(problem).unwrap();
    for hidden in ["secret-folder", "NzbDrone", "traceId", &fake.key()] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_every_service_names_it_and_says_what_to_do() {
    let house = House::new(sqlite().await).await;
    let faults: [(Fault, &str, bool); 13] = [
        (Fault::LoginPage, "answered with a web page", false),
        (Fault::Redirect(307, "/base".into()), "answered with a redirect, which is not followed", false),
        (Fault::Redirect(302, "/base".into()), "answered with a redirect, which is not followed", false),
        (Fault::Says(401, ("x-a", "b"), Value::Null), "refused the key", false),
        (
            Fault::Says(404, ("x-a", "b"), json!({ "title": "Not Found" })),
            "does not know what was asked (404)",
            false,
        ),
        (Fault::Defects, "answered with 400", false),
        (Fault::Problem, "answered with 400", false),
        (Fault::BadRequest, "answered with 400", false),
        (Fault::Thrown, "answered with 500", true),
        (Fault::GatewayPage, "answered with 504 and a web page", true),
        (Fault::Cut, "is broken or not complete", true),
        (Fault::LyingLength, "is broken or not complete", true),
        (Fault::Says(200, ("x-a", "b"), json!("text")), "is not what", true),
    ];
    for (fault, part, retryable) in faults {
        for (fake, action, arguments) in reads(&house) {
            fake.fail("/", fault.clone());
            let problem = house.problem(action, arguments).await;
            check(fake, &problem, part);
            assert_eq!(problem.retryable, retryable, "{action} {fault:?}: {problem:?}");
            fake.mend();
        }
    }
}

/// What to do fits the call, and not only the fault.
#[tokio::test(flavor = "multi_thread")]
async fn hints_can_be_followed() {
    let house = House::new(sqlite().await).await;
    let member = house.app.as_role(Role::Member);
    let film = json!({ "tmdb_id": 9001 });
    let error = json!({ "code": "VALIDATION", "detail": "Unable to validate request parameter(s)" });
    let invalid = Fault::Says(422, ("x-a", "b"), json!({ "type": "ErrorResponse", "error": error }));
    let crate::house::Services { radarr, tmdb, brave, .. } = &house.a;
    for (fake, path, fault, action, arguments, hint) in [
        (brave, "/", invalid, "media_web_search", json!({ "query": "x" }), "change its arguments"),
        (radarr, "POST", Fault::Defects, "media_add_movie", film.clone(), "`media_search_movies`"),
        (radarr, "/rootfolder", Fault::Huge, "media_add_movie", film, "the call can't ask for less"),
        (radarr, "/", Fault::Huge, "media_get_upcoming_movies", json!({}), "ask for fewer days"),
        (radarr, "/", Fault::Huge, "media_search_movies", json!({ "query": "x" }), "a longer query"),
        (radarr, "/", Fault::GatewayPage, "media_get_upcoming_movies", json!({}), "checks that Radarr runs"),
        (tmdb, "/", Fault::LoginPage, "media_discover", json!({ "type": "movie" }), "api.themoviedb.org/3/"),
    ] {
        fake.fail(path, fault.clone());
        let told = member.problem(action, arguments).await.hint.unwrap();
        assert!(told.contains(hint), "{action} {fault:?}: {told}");
        fake.mend();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_sentence_of_each_kind_of_400_is_quoted() {
    let house = House::new(sqlite().await).await;
    for (fault, said) in [
        (Fault::Defects, "Invalid Path: ''"),
        (Fault::Problem, "The value could not be converted"),
        (Fault::BadRequest, "BadRequest: 0 is not a valid ID"),
        (Fault::Thrown, "Expected query to return 1 rows but returned 0"),
    ] {
        house.a.radarr.fail("/", fault);
        let problem = house.problem("media_search_movies", json!({ "query": "x" })).await;
        assert_eq!(problem.upstream_message.as_deref(), Some(said));
        house.a.radarr.mend();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_or_has_no_metadata_says_so() {
    let house = House::new(sqlite().await).await;
    let (radarr, search) = (&house.a.radarr, json!({ "query": "x" }));
    radarr.fail("/", Fault::Starting);
    let starting = house.problem("media_search_movies", search.clone()).await;
    check(radarr, &starting, "is starting");
    assert_eq!(starting.retry_after, Some(10));
    radarr.mend();
    radarr.fail("/lookup", Fault::MetadataDown);
    let ill = house.problem("media_search_movies", search).await;
    check(radarr, &ill, "is up, but the service that it asks for titles does not answer");
    assert_eq!(ill.upstream_message.as_deref(), Some("Search for 'x' failed"));
    house.read("media_get_upcoming_movies", json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn swapped_addresses_are_noticed_by_the_answer() {
    let house = House::new(sqlite().await).await;
    let (radarr, sonarr) = (&house.a.radarr, &house.a.sonarr);
    let (radarr_key, sonarr_key) = (radarr.key(), sonarr.key());
    radarr.set(|state| state.key.clone_from(&sonarr_key));
    sonarr.set(|state| state.key = radarr_key);
    house
        .app
        .owner()
        .done("upstreams.update", json!({ "name": "radarr", "base_url": format!("{}/", sonarr.url) }))
        .await;
    let radarr_now = json!({ "name": "radarr", "secret": sonarr.key() });
    house.app.owner().done("upstreams.set_secret", radarr_now).await;
    house.move_to(sonarr, &sonarr.url).await;
    let problem = house.problem("media_get_upcoming_movies", json!({})).await;
    check(radarr, &problem, "is another server than Radarr");
    let problem = house.problem("media_search_movies", json!({ "query": "x" })).await;
    check(radarr, &problem, "does not know what was asked (404)");
    let answer = house.read("media_get_download_queue", json!({})).await;
    assert!(answer["errors"][0].as_str().unwrap().contains("another server than Radarr"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn large_and_endless_answers_are_refused_in_time() {
    let house = House::new(sqlite().await).await;
    for fault in [Fault::Huge, Fault::Endless] {
        for (fake, action, arguments) in reads(&house) {
            fake.fail("/", fault.clone());
            let began = Instant::now();
            let problem = house.problem(action, arguments).await;
            check(fake, &problem, "is larger than 4 MiB");
            assert!(began.elapsed() < Duration::from_secs(8), "{action} {:?}", began.elapsed());
            fake.mend();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_drips_or_is_away_is_named_in_time() {
    let house = House::new(sqlite().await).await;
    let (radarr, sonarr, brave) = (&house.a.radarr, &house.a.sonarr, &house.a.brave);
    for (fake, fault) in [(radarr, Fault::Drip), (sonarr, Fault::Drip), (brave, Fault::Swallowed)] {
        fake.fail("/", fault);
    }
    let began = Instant::now();
    let (films, episodes, pages) = tokio::join!(
        house.problem("media_get_upcoming_movies", json!({})),
        house.problem("media_get_upcoming_episodes", json!({})),
        house.problem("media_web_search", json!({ "query": "x" })),
    );
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    for (fake, problem) in [(radarr, films), (sonarr, episodes), (brave, pages)] {
        check(fake, &problem, "did not answer in time");
    }
    house.move_to(radarr, &format!("http://{NOBODY}")).await;
    let problem = house.problem("media_get_upcoming_movies", json!({})).await;
    check(radarr, &problem, "there is no connection to the upstream");
}

/// An answer that drips is given up after 28 seconds of a removal and a minute of an add, and the effect is
/// found.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_dripping_server_did_is_found_soak() {
    let house = House::new(sqlite().await).await;
    let (radarr, admin) = (&house.a.radarr, house.app.as_role(Role::Admin));
    radarr.fail("DELETE", Fault::Drip);
    radarr.fail("POST", Fault::Drip);
    let began = Instant::now();
    let add = async {
        if soak(false, true) {
            let added = admin.done("media_add_movie", json!({ "tmdb_id": 9001 })).await;
            assert_eq!((&added["status"], &added["library_id"]), (&json!("added"), &json!(9)));
        }
    };
    let remove = admin.confirmed("media_remove_movie", json!({ "library_id": 7 }));
    let (removed, ()) = tokio::join!(remove, add);
    assert_eq!(removed["files"], "stay");
    assert!(began.elapsed() < Duration::from_secs(soak(40, 80)), "{:?}", began.elapsed());
    assert_eq!(radarr.changes().len(), soak(1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_server_that_answers_is_waited_for() {
    let house = House::new(sqlite().await).await;
    house.a.radarr.fail("/", Fault::Slow(Duration::from_secs(2)));
    let found = house.read("media_search_movies", json!({ "query": "Arrival" })).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 2);
    house.a.radarr.mend();
    house.a.radarr.fail("POST", Fault::Late(Duration::from_secs(1)));
    let added = house.app.owner().done("media_add_movie", json!({ "tmdb_id": 9001 })).await;
    assert_eq!(added["status"], "added");
}

#[tokio::test(flavor = "multi_thread")]
async fn brave_refuses_keys_and_parameters_with_one_status() {
    let house = House::new(sqlite().await).await;
    let (brave, search) = (&house.a.brave, json!({ "query": "x" }));
    let key = brave.key();
    brave.set(|state| state.key = "another".into());
    let wrong = house.problem("media_web_search", search.clone()).await;
    check(brave, &wrong, "refused the key");
    brave.set(|state| state.key = key);
    let limit = |current: i64| {
        let meta = json!({ "plan": "Free", "rate_limit": 1, "quota_limit": 2_000, "quota_current": current });
        let error = json!({ "code": "RATE_LIMITED", "detail": "Request rate limit exceeded for plan. x",
            "meta": meta });
        Fault::Says(429, ("retry-after", "0"), json!({ "type": "ErrorResponse", "error": error }))
    };
    for (current, part, retry_after) in
        [(1, "takes no more requests now", Some(1)), (2_000, "takes no more requests this month", None)]
    {
        brave.fail("/", limit(current));
        let busy = house.problem("media_web_search", search.clone()).await;
        check(brave, &busy, part);
        assert_eq!(busy.upstream_message.as_deref(), Some("Request rate limit exceeded for plan"));
        assert_eq!((busy.retry_after, busy.retryable), (retry_after, retry_after.is_some()));
        brave.mend();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_time_to_wait_of_a_503_is_kept() {
    let house = House::new(sqlite().await).await;
    let down = Fault::Says(503, ("retry-after", "120"), json!({ "message": "Down for maintenance" }));
    for (fake, action, arguments) in reads(&house) {
        fake.fail("/", down.clone());
        let problem = house.problem(action, arguments).await;
        assert_eq!(problem.retry_after, Some(120), "{action}: {problem:?}");
        fake.mend();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tmdb_tells_what_it_refuses() {
    let house = House::new(sqlite().await).await;
    let (tmdb, discover) = (&house.a.tmdb, json!({ "type": "movie" }));
    let body =
        json!({ "status_code": 25, "status_message": "Your request count is over the allowed limit." });
    tmdb.fail("/", Fault::Says(429, ("retry-after", "0"), body));
    let busy = house.problem("media_discover", discover.clone()).await;
    check(tmdb, &busy, "takes no more requests now");
    assert_eq!(busy.retry_after, Some(1));
    tmdb.mend();
    tmdb.set(|state| state.key = "another".into());
    let wrong = house.problem("media_discover", discover).await;
    check(tmdb, &wrong, "refused the key");
    assert!(wrong.hint.unwrap().contains("API Read Access Token"));
    assert!(wrong.upstream_message.is_none());
}
