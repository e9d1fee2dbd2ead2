//! Upcoming episodes and films, in the household's zone. The clock of the tests shows 2026-01-15T10:00:00Z.

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, sqlite};

use crate::house::House;

async fn episodes(house: &House, days: Option<i64>) -> (Vec<(i64, String)>, Value) {
    let arguments = days.map_or(json!({}), |days| json!({ "days": days }));
    let answer = house.read("media_get_upcoming_episodes", arguments).await;
    let items = answer["items"].as_array().unwrap().iter();
    let item =
        |item: &Value| (item["episode"].as_i64().unwrap(), item["airs_at"].as_str().unwrap().to_owned());
    (items.map(item).collect(), answer)
}

#[both_databases]
async fn episodes_are_listed_by_the_instant_in_the_households_zone(db: TestDb) {
    let house = House::new(db).await;
    let (items, answer) = episodes(&house, None).await;
    let expected = [
        (1, "2026-01-15T15:00:00+00:00"),
        (2, "2026-01-15T23:30:00+00:00"),
        (3, "2026-01-21T23:30:00+00:00"),
    ];
    assert_eq!(items, expected.map(|(number, at)| (number, at.to_owned())));
    assert_eq!((&answer["time_zone"], &answer["total"]), (&json!("UTC"), &json!(3)));
    let first = &answer["items"][0];
    assert_eq!((&first["series"], &first["season"]), (&json!("Frieren: Beyond Journey's End"), &json!(2)));
    assert_eq!((&first["title"], &first["has_file"]), (&json!("Episode 1"), &json!(true)));

    house.set(json!({ "time_zone": "Asia/Tokyo" })).await;
    let (items, answer) = episodes(&house, Some(1)).await;
    // It is the evening of the 15th in Tokyo, and midnight comes with the first episode.
    assert_eq!((items, &answer["time_zone"]), (Vec::new(), &json!("Asia/Tokyo")));
    let (items, _) = episodes(&house, Some(2)).await;
    let expected = [(1, "2026-01-16T00:00:00+09:00"), (2, "2026-01-16T08:30:00+09:00")];
    assert_eq!(items, expected.map(|(number, at)| (number, at.to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_month_is_asked_in_weeks_and_no_episode_comes_twice() {
    let house = House::new(sqlite().await).await;
    let (items, _) = episodes(&house, Some(30)).await;
    assert_eq!(items.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let windows: Vec<_> =
        house.a.sonarr.asked().iter().map(|asked| asked.parameter("start").unwrap()).collect();
    let expected = ["2026-01-14", "2026-01-21", "2026-01-28", "2026-02-04", "2026-02-11"];
    assert_eq!(windows, expected.map(|day| format!("{day}T00:00:00Z")));
    for days in [0, 31] {
        let code = house.viewer().refused("media_get_upcoming_episodes", json!({ "days": days })).await;
        assert_eq!(code, "invalid_arguments");
    }
}

#[both_databases]
async fn films_are_listed_with_the_releases_in_range_alone(db: TestDb) {
    let house = House::new(db).await;
    let answer = house.read("media_get_upcoming_movies", json!({})).await;
    assert_eq!(
        answer,
        json!({
            "items": [{ "title": "Dune: Part Three", "year": 2026, "tmdb_id": 1_170_608,
                "status": "announced",
                "in_cinemas": null, "digital": "2026-01-15", "physical": null, "has_file": false }],
            "total": 1, "time_zone": "UTC",
        })
    );
    let answer = house.read("media_get_upcoming_movies", json!({ "days": 90 })).await;
    assert_eq!(
        (&answer["items"][0]["digital"], &answer["items"][0]["physical"]),
        (&json!("2026-01-15"), &json!("2026-02-20"))
    );
    // A release is on its day everywhere: in Honolulu it is the 15th too, and not the evening of the 14th.
    house.set(json!({ "time_zone": "Pacific/Honolulu" })).await;
    let answer = house.read("media_get_upcoming_movies", json!({ "days": 1 })).await;
    assert_eq!(answer["items"][0]["digital"], "2026-01-15");
}

#[both_databases]
async fn a_zone_that_does_not_exist_is_said_and_nothing_is_asked(db: TestDb) {
    let house = House::new(db).await;
    // A zone that was one when it was set.
    house.set(json!({ "time_zone": "Asia/Tokyo" })).await;
    let sql = "UPDATE pack_settings SET settings = replace(settings, 'Asia/Tokyo', 'Europe/Atlantis')";
    house.app.db.raw_sql(sql).await;
    let problem = house.problem("media_get_upcoming_episodes", json!({})).await;
    assert_eq!(problem.code.as_str(), "conflict");
    assert!(problem.detail.contains("`Europe/Atlantis`, which is no time zone"), "{}", problem.detail);
    assert!(house.a.sonarr.asked().is_empty());
}

#[both_databases]
async fn settings_are_checked_and_have_defaults(db: TestDb) {
    let house = House::new(db).await;
    let owner = house.app.owner();
    let pack = owner.done("packs.list", json!({})).await["items"][0].clone();
    let defaults = json!({ "libraries": [], "monitor": "all", "minimum_availability": "released",
        "search_on_add": true, "time_zone": null });
    assert_eq!(pack["settings"], defaults);
    let same = owner.done("packs.update", json!({ "slug": "media", "settings": {} })).await;
    assert_eq!((&same["settings"], &same["changed"]), (&defaults, &json!(false)));
    let library = json!({ "name": "anime", "kind": "series", "root_folder": "/tv/anime",
        "quality_profile": "HD",
        "series_type": "anime", "when": { "languages": ["ja"], "genres": ["Animation"] } });
    house.set(json!({ "libraries": [library], "monitor": "first_season", "search_on_add": false })).await;
    let pack = owner.done("packs.list", json!({})).await["items"][0].clone();
    let whole = json!({ "libraries": [library], "monitor": "first_season", "minimum_availability": "released",
        "search_on_add": false, "time_zone": null });
    assert_eq!(pack["settings"], whole, "what is left out has its default");
    for wrong in [
        json!({ "monitor": "everything" }),
        json!({ "libraries": [{ "name": "x" }] }),
        json!({ "time_zone": "" }),
        json!({ "zone": "UTC" }),
    ] {
        let refused = owner.refused("packs.update", json!({ "slug": "media", "settings": wrong })).await;
        assert_eq!(refused, "invalid_arguments", "{wrong}");
    }
}
