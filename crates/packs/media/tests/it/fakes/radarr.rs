//! Radarr's API v3.

use serde_json::{Value, json};

use super::{Asked, Reply, State, look_up, page, range, refusal, status};

/// The films: two in the library, one of them without an overview.
pub fn movies() -> Vec<Value> {
    vec![
        json!({
            "id": 7, "title": "Arrival", "originalTitle": "Arrival", "year": 2016, "tmdbId": 329_865,
            "imdbId": "tt2543164", "titleSlug": "329865", "status": "released", "studio": "FilmNation",
            "overview": "Taking place after alien crafts land around the world, an expert linguist is \
                recruited by the military to determine whether they come in peace or are a threat to \
                everyone.",
            "inCinemas": "2016-11-10T00:00:00Z", "digitalRelease": "2017-01-31T00:00:00Z",
            "path": "/movies/secret-folder", "rootFolderPath": "/movies", "monitored": true, "hasFile": true,
            "sizeOnDisk": 14_200_000_000_i64,
            "ratings": { "imdb": { "votes": 1, "value": 7.9 } }, "isExcluded": false,
        }),
        json!({
            "id": 8, "title": "Dune: Part Three", "year": 2026, "tmdbId": 1_170_608, "status": "announced",
            "inCinemas": "2025-12-18T00:00:00Z", "digitalRelease": "2026-01-15T00:00:00Z",
            "physicalRelease": "2026-02-20T00:00:00Z", "monitored": true, "hasFile": false,
        }),
        json!({
            "title": "Arrival II", "year": 0, "tmdbId": 9_001, "status": "tba", "overview": "",
            "titleSlug": "9001", "images": [{ "coverType": "poster",
            "remoteUrl": "https://image.example/p.jpg" }],
        }),
    ]
}

/// The queue: a film that runs, one of unknown size that is blocked, and a release that belongs to no film.
pub fn queue() -> Vec<Value> {
    vec![
        json!({
            "id": 1, "movieId": 7, "title": "Arrival.2016.2160p", "size": 8_000.0, "sizeleft": 2_000.0,
            "timeleft": "1.02:03:04", "status": "downloading", "trackedDownloadStatus": "ok",
            "trackedDownloadState": "downloading", "statusMessages": [], "downloadId": "A1",
            "protocol": "torrent",
        }),
        json!({
            "id": 2, "movieId": 8, "title": "Dune.2026.1080p", "size": 0, "sizeleft": 0,
            "status": "completed",
            "trackedDownloadStatus": "warning", "trackedDownloadState": "importBlocked", "downloadId": "A2",
            "statusMessages": [{ "title": "Dune", "messages": ["Not an upgrade. See /secret-folder", "x"] }],
        }),
        json!({
            "id": 3, "title": "Some.Other.Release", "size": 10.0, "sizeleft": 10.0, "status": "paused",
            "trackedDownloadState": "downloading", "downloadId": "A3",
        }),
    ]
}

pub fn answer(state: &State, asked: &Asked) -> Reply {
    if let Some(refusal) = refusal(state, asked) {
        return refusal;
    }
    match &*asked.path {
        "/api/v3/system/status" => status(state, "Radarr"),
        "/api/v3/movie/lookup" => look_up(state, asked, ("tmdb:", "tmdbId")),
        "/api/v3/calendar" => Reply::Json(200, calendar(state, asked)),
        "/api/v3/queue" => page(asked, queued(state, asked)),
        _ => Reply::Empty(404),
    }
}

/// The films of the library that have any of three dates in the range.
fn calendar(state: &State, asked: &Asked) -> Value {
    let (start, end) = range(asked);
    let falls = |movie: &&Value| {
        let dates = ["inCinemas", "digitalRelease", "physicalRelease"];
        let within = |date: &str| (start.as_str()..=end.as_str()).contains(&date);
        movie.get("id").is_some() && dates.iter().any(|name| movie[name].as_str().is_some_and(within))
    };
    state.titles.iter().filter(falls).cloned().collect()
}

fn queued(state: &State, asked: &Asked) -> Vec<Value> {
    let wanted = |item: &&Value| item.get("movieId").is_some() || asked.flag("includeUnknownMovieItems");
    let shown = |item: &Value| {
        let mut item = item.clone();
        let movie =
            state.titles.iter().find(|movie| movie.get("id").is_some() && movie["id"] == item["movieId"]);
        if let (true, Some(movie)) = (asked.flag("includeMovie"), movie) {
            item["movie"] = movie.clone();
        }
        item
    };
    state.queue.iter().filter(wanted).map(shown).collect()
}
