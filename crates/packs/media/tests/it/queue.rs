//! The download queue.

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, sqlite};

use crate::{fakes::Fault, house::House};

async fn queue(house: &House) -> Value {
    house.read("media_get_download_queue", json!({})).await
}

#[both_databases]
async fn downloads_are_lines_and_a_season_pack_is_one(db: TestDb) {
    let house = House::new(db).await;
    let answer = queue(&house).await;
    let film = |title: &str, progress: Value, left: Value, state: &str, problem: Value| {
        json!({ "title": title, "season": null, "episode": null, "episodes": null, "progress": progress,
            "minutes_left": left, "state": state, "problem": problem })
    };
    assert_eq!(
        answer["movies"],
        json!([
            film("Arrival", json!(75), json!(1_564), "downloading", Value::Null),
            film("Dune: Part Three", Value::Null, Value::Null, "import blocked", json!("Not an upgrade")),
            film("Some.Other.Release", json!(0), Value::Null, "paused", Value::Null),
        ])
    );
    let series = |season: i64, episode: Value, episodes: i64| {
        json!({ "title": "Frieren: Beyond Journey's End", "season": season, "episode": episode,
            "episodes": episodes, "progress": 75, "minutes_left": 10, "state": "downloading",
            "problem": null })
    };
    assert_eq!(answer["episodes"], json!([series(1, Value::Null, 24), series(2, json!(1), 1)]));
    assert_eq!((&answer["total"], &answer["unread"], &answer["errors"]), (&json!(5), &json!(0), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queue_is_read_to_its_end_and_five_hundred_records_at_most() {
    let house = House::new(sqlite().await).await;
    let many = |count: i64| {
        (0..count)
            .map(|id| json!({ "id": id, "title": format!("Release {id}"), "downloadId": id.to_string() }))
    };
    for (records, total, unread, pages) in
        [(0, 0, 0, 1), (50, 50, 0, 1), (51, 51, 0, 2), (2_500, 500, 2_000, 10)]
    {
        house.a.radarr.set(|state| state.queue = many(records).collect());
        let before = house.a.radarr.asked().len();
        let answer = queue(&house).await;
        assert_eq!((&answer["total"], &answer["unread"]), (&json!(total + 2), &json!(unread)), "{records}");
        assert_eq!(house.a.radarr.asked().len() - before, pages, "{records}");
        assert_eq!(answer["movies"].as_array().unwrap().len(), 20.min(usize::try_from(records).unwrap()));
    }
    let answer = house.read("media_get_download_queue", json!({ "limit": 100 })).await;
    assert_eq!(answer["movies"].as_array().unwrap().len(), 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_state_is_a_word_of_ours() {
    let house = House::new(sqlite().await).await;
    let states = [
        ("queued", "downloading", "ok", "queued"),
        ("delay", "", "", "delayed"),
        ("downloading", "downloading", "warning", "with a warning"),
        ("completed", "importPending", "ok", "waiting for import"),
        ("completed", "importing", "ok", "importing"),
        ("completed", "imported", "ok", "imported"),
        ("completed", "failedPending", "ok", "failed"),
        ("completed", "", "", "waiting for import"),
        ("failed", "", "", "failed"),
        ("warning", "", "", "with a warning"),
        ("downloadClientUnavailable", "", "", "its download program does not answer"),
        ("brandNew", "", "", "unknown"),
    ];
    let record = |(status, tracked, health, _): &(&str, &str, &str, &str)| {
        json!({ "title": "x", "status": status, "trackedDownloadState": tracked,
            "trackedDownloadStatus": health })
    };
    house.a.radarr.set(|state| state.queue = states.iter().map(record).collect());
    let answer = queue(&house).await;
    let words: Vec<_> = answer["movies"].as_array().unwrap().iter().map(|line| &line["state"]).collect();
    assert_eq!(words, states.map(|(_, _, _, word)| word));
}

#[both_databases]
async fn one_server_that_fails_leaves_the_queue_of_the_other(db: TestDb) {
    let house = House::new(db).await;
    house.a.sonarr.fail("/queue", Fault::Thrown);
    let answer = queue(&house).await;
    assert_eq!(answer["movies"].as_array().unwrap().len(), 3);
    let [error] = &answer["errors"].as_array().unwrap()[..] else { panic!("one error: {answer}") };
    let error = error.as_str().unwrap();
    let begin =
        format!("Sonarr at {}/ answered with 500: Expected query to return 1 rows", house.a.sonarr.url);
    assert!(error.starts_with(&begin), "{error}");
    house.a.radarr.fail("/queue", Fault::Starting);
    let problem = house.problem("media_get_download_queue", json!({})).await;
    assert!(problem.detail.contains("Radarr at") && problem.detail.ends_with("is starting"), "{problem:?}");
    // A household with one of the two has no error.
    house.a.radarr.mend();
    house.app.owner().done("upstreams.delete", json!({ "name": "sonarr" })).await;
    let answer = queue(&house).await;
    assert_eq!((&answer["errors"], &answer["episodes"]), (&json!([]), &json!([])));
    house.app.owner().done("upstreams.delete", json!({ "name": "radarr" })).await;
    let problem = house.problem("media_get_download_queue", json!({})).await;
    assert_eq!(problem.code.as_str(), "connector_not_configured");
    for text in [problem.detail, problem.hint.unwrap()] {
        assert!(text.contains("radarr") && text.contains("sonarr"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_fault_of_the_only_server_is_told() {
    let house = House::new(sqlite().await).await;
    house.app.owner().done("upstreams.delete", json!({ "name": "radarr" })).await;
    for (fault, part) in [
        (Fault::Says(401, ("x-a", "b"), Value::Null), "refused the key"),
        (Fault::Starting, "is starting"),
        (Fault::LoginPage, "answered with a web page"),
    ] {
        house.a.sonarr.fail("/queue", fault);
        let problem = house.problem("media_get_download_queue", json!({})).await;
        assert!(problem.detail.starts_with("Sonarr at ") && problem.detail.contains(part), "{problem:?}");
        house.a.sonarr.mend();
    }
}
