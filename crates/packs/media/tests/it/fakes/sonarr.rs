//! Sonarr's API v3, as version 4 answers it.

use serde_json::{Value, json};

use super::{Asked, Reply, State, look_up, page, range, refusal, status};

/// The series, one of them in the library.
pub fn series() -> Vec<Value> {
    let seasons = json!([{ "seasonNumber": 0 }, { "seasonNumber": 1 }, { "seasonNumber": 2 }]);
    vec![
        json!({
            "id": 3, "title": "Frieren: Beyond Journey's End", "year": 2023, "tvdbId": 424_536,
            "tmdbId": 209_867,
            "status": "continuing", "network": "Nippon TV", "overview": "The mage Frieren sets out again.",
            "seasons": seasons, "path": "/tv/secret-folder", "seriesType": "anime", "languageProfileId": 1,
            "monitorNewItems": "all", "rootFolderPath": "/tv/",
            "statistics": { "episodeFileCount": 28, "sizeOnDisk": 36_040_000_000_i64 },
        }),
        json!({
            "title": "Severance", "year": 2022, "tvdbId": 371_980, "status": "continuing",
            "network": "Apple TV+",
            "seasons": seasons, "titleSlug": "severance",
        }),
    ]
}

/// Episodes around 2026-01-15. The day of the network and the instant differ in all of them.
pub fn episodes() -> Vec<Value> {
    let episode = |id: i64, number: i64, day: &str, at: &str| {
        json!({
            "id": id, "seriesId": 3, "tvdbId": id, "seasonNumber": 2, "episodeNumber": number,
            "title": format!("Episode {number}"), "airDate": day, "airDateUtc": at, "runtime": 25,
            "hasFile": number == 1, "monitored": true, "finaleType": "season",
        })
    };
    vec![
        episode(31, 1, "2026-01-16", "2026-01-15T15:00:00Z"),
        episode(32, 2, "2026-01-16", "2026-01-15T23:30:00Z"),
        episode(33, 3, "2026-01-23", "2026-01-21T23:30:00Z"),
        episode(34, 4, "2026-02-12", "2026-02-12T15:00:00Z"),
        json!({ "id": 35, "seriesId": 3, "seasonNumber": 2, "episodeNumber": 5, "title": "TBA" }),
    ]
}

/// The queue: a season pack of 24 episodes and a single one. An item of a pack has the size of all.
pub fn queue() -> Vec<Value> {
    let item = |number: i64, season: i64, download: &str| {
        json!({
            "id": 9_000 + number, "seriesId": 3, "episodeId": number, "seasonNumber": season,
            "size": 24_000.0,
            "sizeleft": 6_000.0, "timeleft": "00:09:30", "status": "downloading", "downloadId": download,
            "title": "Frieren.S01.1080p", "trackedDownloadStatus": "ok",
            "trackedDownloadState": "downloading",
            "episodeHasFile": false,
        })
    };
    (1..=24).map(|number| item(number, 1, "PACK")).chain([item(1, 2, "ONE")]).collect()
}

pub fn answer(state: &State, asked: &Asked) -> Reply {
    if let Some(refusal) = refusal(state, asked) {
        return refusal;
    }
    match &*asked.path {
        "/api/v3/system/status" => status(state, "Sonarr"),
        "/api/v3/series/lookup" => look_up(state, asked, ("tvdb:", "tvdbId")),
        "/api/v3/calendar" => Reply::Json(200, calendar(state, asked)),
        "/api/v3/queue" => page(asked, queued(state, asked)),
        _ => Reply::Empty(404),
    }
}

/// The episodes whose instant is in the range. They have their series only if it is asked for.
fn calendar(state: &State, asked: &Asked) -> Value {
    let (start, end) = range(asked);
    let within = |episode: &&Value| {
        episode["airDateUtc"].as_str().is_some_and(|at| (start.as_str()..=end.as_str()).contains(&at))
    };
    let shown = |episode: &Value| with(state, episode, asked.flag("includeSeries"));
    state.episodes.iter().filter(within).map(shown).collect()
}

fn queued(state: &State, asked: &Asked) -> Vec<Value> {
    let wanted = |item: &&Value| item.get("seriesId").is_some() || asked.flag("includeUnknownSeriesItems");
    let shown = |item: &Value| {
        let mut item = with(state, item, asked.flag("includeSeries"));
        if asked.flag("includeEpisode") && item.get("episodeId").is_some() {
            item["episode"] = json!({ "id": item["episodeId"], "seasonNumber": item["seasonNumber"],
                "episodeNumber": item["episodeId"] });
        }
        item
    };
    state.queue.iter().filter(wanted).map(shown).collect()
}

fn with(state: &State, item: &Value, series: bool) -> Value {
    let mut item = item.clone();
    let known = state.titles.iter().find(|one| one.get("id").is_some() && one["id"] == item["seriesId"]);
    if let (true, Some(known)) = (series, known) {
        item["series"] = known.clone();
    }
    item
}
