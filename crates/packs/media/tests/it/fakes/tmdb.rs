//! TMDB's API v3.

use serde_json::{Value, json};

use super::{Asked, Reply, State};

/// Films and series with what a search filters by.
fn titles() -> Vec<Value> {
    let title = |kind: &str, id: i64, name: &str, date: &str, genre: i64, (votes, popularity): (i64, f64)| {
        let (name_key, date_key) =
            if kind == "movie" { ("title", "release_date") } else { ("name", "first_air_date") };
        json!({
            "kind": kind, "id": id, name_key: name, date_key: date, "genre_ids": [genre],
            "overview": "About it.",
            "original_language": if [502, 9_001].contains(&id) { "ja" } else { "en" }, "vote_average": 7.84,
            "vote_count": votes,
            "popularity": popularity, "poster_path": if id == 301 { json!("/p.jpg") } else { Value::Null },
            "people": [100], "keywords": [4_379], "adult": false,
        })
    };
    vec![
        title("movie", 301, "Arrival", "2016-11-10", 878, (17_000, 40.0)),
        title("movie", 302, "Blade Runner 2049", "2017-10-04", 878, (14_000, 60.0)),
        title("movie", 303, "Untitled", "", 878, (90, 1.0)),
        title("movie", 304, "Hardly Seen", "2018-01-01", 878, (3, 99.0)),
        title("movie", 9_001, "Arrival II", "", 878, (0, 0.1)),
        title("tv", 501, "Severance", "2022-02-17", 18, (2_000, 80.0)),
        title("tv", 502, "Frieren", "2023-09-29", 16, (900, 70.0)),
        title("tv", 503, "Late Show", "2015-09-08", 10_767, (500, 90.0)),
    ]
}

pub fn answer(state: &State, asked: &Asked) -> Reply {
    let bearer = asked.header("authorization").and_then(|text| text.strip_prefix("Bearer "));
    if bearer.or(asked.parameter("api_key").as_deref()) != Some(&*state.key) {
        return error(401, 7, "Invalid API key: You must be granted a valid key.");
    }
    let parts: Vec<&str> = asked.path.trim_start_matches('/').split('/').collect();
    match parts[..] {
        ["genre", "movie", "list"] => {
            genres(&[(28, "Action"), (16, "Animation"), (27, "Horror"), (878, "Science Fiction")])
        }
        ["genre", "tv", "list"] => genres(&[(16, "Animation"), (18, "Drama"), (10_767, "Talk")]),
        ["search", "person"] => named(asked, &[(99, "Chris Evans", 3.0), (100, "Chris Evans", 9.0)]),
        ["search", "keyword"] => {
            named(asked, &[(4_380, "time travel comedy", 0.0), (4_379, "time travel", 0.0)])
        }
        ["discover", kind @ ("movie" | "tv")] => discover(kind, asked),
        ["person", "100", "tv_credits"] => credits(),
        ["tv", "502", "external_ids"] => Reply::Json(200, json!({ "id": 502, "tvdb_id": 424_536 })),
        ["tv", _, "external_ids"] => Reply::Json(200, json!({ "id": 501, "tvdb_id": null })),
        [kind @ ("movie" | "tv"), id] => {
            let wanted = |title: &Value| title["kind"] == kind && title["id"].to_string() == id;
            let found = titles().into_iter().find(wanted);
            found.map_or_else(
                || error(404, 34, "The resource you requested could not be found."),
                |title| Reply::Json(200, title),
            )
        }
        _ => error(404, 34, "The resource you requested could not be found."),
    }
}

/// `success` is missing in some.
fn error(status: u16, code: i64, message: &str) -> Reply {
    let mut body = json!({ "status_code": code, "status_message": message });
    if status == 401 {
        body["success"] = json!(false);
    }
    Reply::Json(status, body)
}

fn genres(genres: &[(i64, &str)]) -> Reply {
    let genres: Vec<Value> = genres.iter().map(|(id, name)| json!({ "id": id, "name": name })).collect();
    Reply::Json(200, json!({ "genres": genres }))
}

/// The names that hold all words of the query.
fn named(asked: &Asked, known: &[(i64, &str, f64)]) -> Reply {
    let query = asked.parameter("query").unwrap_or_default().to_lowercase();
    let results: Vec<Value> = known
        .iter()
        .filter(|(_, name, _)| query.split_whitespace().all(|word| name.to_lowercase().contains(word)))
        .map(|(id, name, popularity)| json!({ "id": id, "name": name, "popularity": popularity }))
        .collect();
    list(asked, results)
}

fn list(asked: &Asked, results: Vec<Value>) -> Reply {
    if asked.parameter("page").is_some_and(|page| page.parse::<u32>().unwrap() > 500) {
        return error(400, 22, "Invalid page: Pages start at 1 and max at 500.");
    }
    let total = results.len();
    let results: Vec<Value> = results.into_iter().take(20).collect();
    Reply::Json(200, json!({ "page": 1, "results": results, "total_pages": 900, "total_results": total }))
}

/// Unknown parameters are ignored, and persons in a search for series too.
fn discover(kind: &str, asked: &Asked) -> Reply {
    let parameters = asked.parameters();
    let number = |name: &str| parameters.get(name).map(|text| text.parse::<i64>().unwrap());
    let holds = |title: &Value, field: &str, name: &str| {
        number(name).is_none_or(|id| title[field].as_array().unwrap().contains(&json!(id)))
    };
    let (date_key, date_name) = if kind == "movie" {
        ("release_date", "primary_release_date")
    } else {
        ("first_air_date", "first_air_date")
    };
    let fits = |title: &Value| {
        let date = title[date_key].as_str().unwrap_or_default();
        let bound = |end: &str| parameters.get(&format!("{date_name}.{end}"));
        title["kind"] == kind
            && holds(title, "genre_ids", "with_genres")
            && holds(title, "keywords", "with_keywords")
            && (kind == "tv" || holds(title, "people", "with_people"))
            && parameters
                .get("with_original_language")
                .is_none_or(|code| title["original_language"] == **code)
            && number("vote_count.gte").is_none_or(|least| title["vote_count"].as_i64().unwrap() >= least)
            && bound("gte").is_none_or(|from| !date.is_empty() && date >= &**from)
            && bound("lte").is_none_or(|to| !date.is_empty() && date <= &**to)
    };
    let mut found: Vec<Value> = titles().into_iter().filter(fits).collect();
    found.sort_by(|a, b| b["popularity"].as_f64().unwrap().total_cmp(&a["popularity"].as_f64().unwrap()));
    list(asked, found)
}

/// The series of the person, one of them twice, and one appearance.
fn credits() -> Reply {
    let series = |id: i64, part: &str| {
        let mut series = titles().into_iter().find(|title| title["id"] == id).unwrap();
        series["character"] = json!(part);
        series
    };
    let cast = [series(502, "Frieren (voice)"), series(501, "Mark"), series(503, "Self - Guest")];
    Reply::Json(200, json!({ "cast": cast, "crew": [series(501, "")], "id": 100 }))
}
