//! Films and series by genre, person, keyword, years and language.

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, sqlite};

use crate::house::House;

async fn discover(house: &House, arguments: Value) -> Value {
    house.read("media_discover", arguments).await
}

fn titles(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["title"].as_str().unwrap()).collect()
}

#[both_databases]
async fn films_are_found_by_everything_at_once(db: TestDb) {
    let house = House::new(db).await;
    let everything = json!({ "type": "movie", "genre": "science fiction", "person": "chris evans",
        "keyword": "Time Travel", "year_from": 2010, "year_to": 2016, "language": "en" });
    let answer = discover(&house, everything).await;
    assert_eq!(
        answer,
        json!({
            "items": [{ "title": "Arrival", "year": 2016, "tmdb_id": 301, "tvdb_id": null,
                "overview": "About it.",
                "rating": 7.8, "poster": "https://image.tmdb.org/t/p/w500/p.jpg", "language": "en" }],
            "total": 1, "person": "Chris Evans", "other_persons": 1,
        })
    );
    let asked = house.a.tmdb.asked().pop().unwrap();
    let expected = [
        ("with_genres", "878"),
        ("with_people", "100"),
        ("with_keywords", "4379"),
        ("primary_release_date.gte", "2010-01-01"),
        ("primary_release_date.lte", "2016-12-31"),
        ("with_original_language", "en"),
        ("vote_count.gte", "50"),
        ("sort_by", "popularity.desc"),
        ("include_adult", "false"),
    ];
    for (name, value) in expected {
        assert_eq!(asked.parameter(name).as_deref(), Some(value), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn films_come_by_popularity_and_without_a_date_have_no_year() {
    let house = House::new(sqlite().await).await;
    let answer = discover(&house, json!({ "type": "movie" })).await;
    assert_eq!(titles(&answer), ["Blade Runner 2049", "Arrival", "Untitled"]);
    assert_eq!((&answer["items"][2]["year"], &answer["items"][2]["poster"]), (&Value::Null, &Value::Null));
    assert_eq!((&answer["total"], &answer["person"]), (&json!(3), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn series_have_the_id_that_sonarr_takes() {
    let house = House::new(sqlite().await).await;
    let answer = discover(&house, json!({ "type": "series", "year_from": 2020 })).await;
    assert_eq!(titles(&answer), ["Severance", "Frieren"]);
    let ids: Vec<_> = answer["items"].as_array().unwrap().iter().map(|item| &item["tvdb_id"]).collect();
    assert_eq!(ids, [&Value::Null, &json!(424_536)]);
    let asked = house.a.tmdb.asked();
    assert_eq!(asked[0].parameter("first_air_date.gte").as_deref(), Some("2020-01-01"));
}

#[tokio::test(flavor = "multi_thread")]
async fn series_of_a_person_are_their_credits_filtered_here() {
    let house = House::new(sqlite().await).await;
    let of = |more: Value| {
        let mut arguments = json!({ "type": "series", "person": "Chris Evans" });
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    // Each once, and no appearance of the person as themselves.
    let answer = discover(&house, of(json!({}))).await;
    assert_eq!((titles(&answer), &answer["total"]), (vec!["Severance", "Frieren"], &json!(2)));
    for (more, expected) in [
        (json!({ "genre": "animation" }), "Frieren"),
        (json!({ "language": "en" }), "Severance"),
        (json!({ "language": "EN" }), "Severance"),
        (json!({ "year_to": 2022 }), "Severance"),
        (json!({ "year_from": 2023 }), "Frieren"),
    ] {
        assert_eq!(titles(&discover(&house, of(more)).await), [expected]);
    }
    let asked = house.a.tmdb.asked();
    assert!(asked.iter().all(|asked| !asked.path.starts_with("/discover")), "TMDB ignores persons there");
    let problem = house.problem("media_discover", of(json!({ "keyword": "time travel" }))).await;
    assert_eq!(problem.code.as_str(), "invalid_arguments");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_tmdb_does_not_know_are_refused_with_near_ones() {
    let house = House::new(sqlite().await).await;
    for (arguments, detail, hint) in [
        (json!({ "type": "movie", "genre": "Horor" }), "`genre` is `Horor`", "TMDB knows: Horror"),
        (json!({ "type": "series", "genre": "Horror" }), "`genre` is `Horror`", "Animation, Drama, Talk"),
        (json!({ "type": "movie", "keyword": "travel" }), "`keyword`", "time travel, time travel comedy"),
        (json!({ "type": "movie", "keyword": "qqq" }), "`keyword` is `qqq`", "leave `keyword` out"),
        (json!({ "type": "movie", "person": "Nobody" }), "`person` is `Nobody`", "leave `person` out"),
        (json!({ "type": "movie", "year_from": 2000, "year_to": 1999 }), "`year_to` is 1999", ""),
    ] {
        let problem = house.problem("media_discover", arguments).await;
        assert_eq!(problem.code.as_str(), "invalid_arguments", "{problem:?}");
        let told = problem.hint.unwrap_or_default();
        assert!(problem.detail.starts_with(detail) && told.contains(hint), "{} {told}", problem.detail);
    }
    let problem = house.problem("media_discover", json!({ "type": "movie", "language": "j1" })).await;
    assert_eq!(problem.detail, "`language` must be two letters of ISO 639-1, such as `ja`");
    for wrong in [json!({ "language": "eng" }), json!({ "year_from": 1879 }), json!({ "type": "film" })] {
        let mut arguments = json!({ "type": "movie" });
        arguments.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_eq!(house.viewer().refused("media_discover", arguments).await, "invalid_arguments");
    }
}
