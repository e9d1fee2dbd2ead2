//! Searches for films, series and pages.

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, sqlite};

use crate::house::House;

#[both_databases]
async fn films_are_found_with_what_the_library_has(db: TestDb) {
    let house = House::new(db).await;
    let found = house.read("media_search_movies", json!({ "query": "Arrival 2016" })).await;
    let overview = "Taking place after alien crafts land around the world, an expert linguist is recruited \
                    by the military to determine whether they come in peace or…";
    assert_eq!(
        found["items"],
        json!([
            { "title": "Arrival", "year": 2016, "tmdb_id": 329_865, "overview": overview, "in_library": true,
                "library_id": 7, "status": "released", "studio": "FilmNation" },
            { "title": "Arrival II", "year": null, "tmdb_id": 9001, "overview": null, "in_library": false,
                "library_id": null, "status": "tba", "studio": null },
        ])
    );
    let [asked] = &house.a.radarr.asked()[..] else { panic!("one request") };
    assert_eq!(
        (&*asked.path, asked.parameter("term")),
        ("/api/v3/movie/lookup", Some("Arrival 2016".into()))
    );
    let by_id = house.read("media_search_movies", json!({ "query": "tmdb:1170608" })).await;
    assert_eq!(by_id["items"][0]["title"], "Dune: Part Three");
    let unknown = house.read("media_search_movies", json!({ "query": "tmdb:1" })).await;
    assert_eq!(unknown["items"], json!([]));
}

#[both_databases]
async fn series_are_found_with_their_seasons(db: TestDb) {
    let house = House::new(db).await;
    let found = house.read("media_search_series", json!({ "query": "frieren" })).await;
    assert_eq!(
        found["items"],
        json!([{
            "title": "Frieren: Beyond Journey's End", "year": 2023, "tvdb_id": 424_536, "in_library": true,
            "overview": "The mage Frieren sets out again.", "library_id": 3, "status": "continuing",
            "network": "Nippon TV", "seasons": 2,
        }])
    );
    let found = house.read("media_search_series", json!({ "query": "tvdb:371980" })).await;
    assert_eq!(
        (&found["items"][0]["in_library"], &found["items"][0]["overview"]),
        (&json!(false), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_titles_at_most_are_returned_and_long_ones_are_cut() {
    let house = House::new(sqlite().await).await;
    let title = |id: usize| json!({ "title": format!("Film {id} {}", "x".repeat(500)), "tmdbId": id });
    house.a.radarr.set(|state| state.titles = (1..=30).map(title).collect());
    let found = house.read("media_search_movies", json!({ "query": "film" })).await;
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.len(), 10);
    assert_eq!(items[0]["title"].as_str().unwrap().chars().count(), 200);
    for query in ["", "   ", &"x".repeat(201)] {
        let code = house.viewer().refused("media_search_movies", json!({ "query": query })).await;
        assert_eq!(code, "invalid_arguments", "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_character_of_a_query_reaches_the_server() {
    let house = House::new(sqlite().await).await;
    for query in ["Amélie & Co: 50%+?", "千と千尋の神隠し", "a=b&term=c#d"] {
        house.read("media_search_movies", json!({ "query": query })).await;
        let asked = house.a.radarr.asked().pop().unwrap();
        assert_eq!(asked.parameter("term").as_deref(), Some(query));
    }
}

#[both_databases]
async fn pages_are_found_without_markup(db: TestDb) {
    let house = House::new(db).await;
    let query = json!({ "query": "Arival review", "freshness": "month" });
    let found = house.read("media_web_search", query).await;
    assert_eq!(found["altered"], "Arrival review");
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.len(), 5);
    assert_eq!(
        items[0],
        json!({ "title": "Page 1 & more", "url": "https://reviews.example/1",
            "description": "A review of Arrival, it's good" })
    );
    assert_eq!(items[1]["description"], Value::Null);
    let [asked] = &house.a.brave.asked()[..] else { panic!("one request") };
    assert_eq!(asked.parameter("freshness").as_deref(), Some("pm"));
    let empty = house.read("media_web_search", json!({ "query": "nothing" })).await;
    assert_eq!(empty, json!({ "items": [], "altered": null }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_brave_refuses_is_not_sent() {
    let house = House::new(sqlite().await).await;
    for query in ["word ".repeat(51), "x".repeat(401), String::new()] {
        let problem = house.problem("media_web_search", json!({ "query": query })).await;
        assert_eq!(problem.code.as_str(), "invalid_arguments", "{problem:?}");
    }
    assert!(house.a.brave.asked().is_empty());
    house.read("media_web_search", json!({ "query": "word ".repeat(50).trim() })).await;
}
