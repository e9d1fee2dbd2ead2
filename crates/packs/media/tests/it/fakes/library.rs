//! The library of Radarr and Sonarr: folders, profiles, adds and removes.

use serde_json::{Value, json};

use super::{Asked, Reply, Speaks, State, refusal};

/// What differs between the two servers.
struct Library {
    /// The path of the titles.
    path: &'static str,
    id: &'static str,
    /// The rules that refuse a title that is there.
    exists: (&'static str, &'static str, &'static str),
}

impl Library {
    const fn of(speaks: Speaks) -> Option<Self> {
        match speaks {
            Speaks::Radarr => Some(Self {
                path: "/api/v3/movie",
                id: "tmdbId",
                exists: ("TmdbId", "MovieExistsValidator", "This movie has already been added"),
            }),
            Speaks::Sonarr => Some(Self {
                path: "/api/v3/series",
                id: "tvdbId",
                exists: ("TvdbId", "SeriesExistsValidator", "This series has already been added"),
            }),
            Speaks::Tmdb | Speaks::Brave => None,
        }
    }
}

pub fn folders(speaks: Speaks) -> Vec<Value> {
    let path = if speaks == Speaks::Sonarr { "/tv" } else { "/movies" };
    let unmapped = json!([{ "name": "x", "path": format!("{path}/x"), "relativePath": "x" }]);
    vec![
        json!({ "id": 1, "path": path, "accessible": true, "freeSpace": 9_000, "unmappedFolders": unmapped }),
    ]
}

pub fn profiles() -> Vec<Value> {
    let profile = |id: i64, name: &str| json!({ "id": id, "name": name, "items": [], "cutoff": 1 });
    vec![profile(1, "Any"), profile(4, "HD-1080p"), profile(5, "Ultra-HD")]
}

/// Answers reads of the library, its folders and its profiles.
pub fn read(speaks: Speaks, state: &State, asked: &Asked) -> Option<Reply> {
    let library = Library::of(speaks)?;
    let found = match &*asked.path {
        "/api/v3/rootfolder" => state.folders.clone(),
        "/api/v3/qualityprofile" => state.profiles.clone(),
        path if path == library.path => {
            let wanted = asked.parameter(library.id).map(|text| text.parse::<i64>().unwrap());
            let fits =
                |title: &&Value| title.get("id").is_some() && wanted.is_none_or(|id| title[library.id] == id);
            state.titles.iter().filter(fits).cloned().collect()
        }
        path => {
            let id: i64 = path.strip_prefix(library.path)?.strip_prefix('/')?.parse().ok()?;
            return Some(refusal(state, asked).unwrap_or_else(|| by_id(state, id)));
        }
    };
    Some(refusal(state, asked).unwrap_or_else(|| Reply::Json(200, found.into())))
}

/// The title with an id of the library. Without one, a problem document.
fn by_id(state: &State, id: i64) -> Reply {
    match state.titles.iter().find(|title| title["id"] == id) {
        Some(title) => Reply::Json(200, title.clone()),
        None => {
            Reply::Json(404, json!({ "title": "Not Found", "status": 404, "traceId": "00-secret-folder" }))
        }
    }
}

/// Answers requests that change the library.
pub fn change(speaks: Speaks, state: &mut State, asked: &Asked) -> Reply {
    let Some(library) = Library::of(speaks) else { return Reply::Empty(405) };
    if let Some(refusal) = refusal(state, asked) {
        return refusal;
    }
    let id = asked.path.strip_prefix(library.path).map(|rest| rest.trim_start_matches('/'));
    match (&*asked.method, id) {
        ("POST", Some("")) => add(&library, state, &asked.body),
        ("DELETE", Some(id)) => match id.parse() {
            Ok(id) => remove(speaks, state, id),
            Err(_) => Reply::Empty(404),
        },
        _ => Reply::Empty(405),
    }
}

/// Checks by rules, then asks the metadata service, then inserts.
fn add(library: &Library, state: &mut State, body: &Value) -> Reply {
    let id = &body[library.id];
    let is = |title: &&Value| title[library.id] == *id;
    let mut defects = Vec::new();
    if state.titles.iter().filter(is).any(|title| title.get("id").is_some()) {
        let (name, code, message) = library.exists;
        defects.push(defect(name, Some(code), message, id));
        defects.push(defect("Path", Some("MoviePathValidator"), "Path is used. See /secret-folder", id));
    }
    if state.folders.iter().all(|folder| folder["path"] != body["rootFolderPath"]) {
        let message = "Root folder '/secret-folder' does not exist";
        defects.push(defect("RootFolderPath", Some("RootFolderExistsValidator"), message, id));
    }
    if state.profiles.iter().all(|profile| profile["id"] != body["qualityProfileId"]) {
        let message = "Quality Profile does not exist";
        defects.push(defect("QualityProfileId", Some("QualityProfileExistsValidator"), message, id));
    }
    if !defects.is_empty() {
        return Reply::Json(400, defects.into());
    }
    let Some(found) = state.titles.iter().position(|title| title[library.id] == *id) else {
        let message = "A movie with this ID was not found. Path: /secret-folder";
        return Reply::Json(400, json!([defect(library.exists.0, None, message, id)]));
    };
    let last = state.titles.iter().filter_map(|title| title["id"].as_i64()).max().unwrap_or(0);
    let added = (state.now)().to_string();
    let title = &mut state.titles[found];
    for (name, value) in body.as_object().unwrap() {
        title[name] = value.clone();
    }
    title["id"] = (last + 1).into();
    title["added"] = added.into();
    title["path"] = format!("{}/secret-folder", body["rootFolderPath"].as_str().unwrap()).into();
    // Both are false unless they are sent.
    for name in ["monitored", "seasonFolder"] {
        title[name] = body.get(name).cloned().unwrap_or_else(|| false.into());
    }
    Reply::Json(201, title.clone())
}

/// Forgets a title. Its files go afterwards.
fn remove(speaks: Speaks, state: &mut State, id: i64) -> Reply {
    match state.titles.iter().position(|title| title["id"] == id) {
        Some(at) => {
            state.titles[at].as_object_mut().unwrap().remove("id");
            Reply::Empty(200)
        }
        None if speaks == Speaks::Radarr => {
            let message = format!("Movie with ID {id} does not exist");
            Reply::Json(404, json!({ "message": message, "description": "   at /secret-folder" }))
        }
        None => {
            let message = "Expected query to return 1 rows but returned 0";
            Reply::Json(500, json!({ "message": message, "description": "   at /secret-folder" }))
        }
    }
}

fn defect(name: &str, code: Option<&str>, message: &str, value: &Value) -> Value {
    let mut defect = json!({
        "propertyName": name, "errorMessage": message, "attemptedValue": value, "severity": "error",
        "formattedMessageArguments": [], "formattedMessagePlaceholderValues": { "propertyName": name },
    });
    if let Some(code) = code {
        defect["errorCode"] = code.into();
    }
    defect
}
