//! Texts of the services are cut: no plan, card, message or error is as long as a server makes it.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases, eventually};

use crate::{
    fakes::{Fake, Fault},
    house::House,
};

const MOVIE: &str = "media_add_movie";
/// The most that a plan may have, in bytes.
const MAX_PLAN: i64 = 16 * 1024;
/// The most that a card or an error has, in bytes.
const MAX_SHOWN: usize = 4 * 1024;

/// A text of 32 KiB.
fn huge() -> String {
    "very long words ".repeat(2_048)
}

/// Radarr's film with a TMDB id.
fn film(fake: &Fake, tmdb_id: i64, change: impl FnOnce(&mut Value)) {
    fake.set(|state| change(state.titles.iter_mut().find(|title| title["tmdbId"] == tmdb_id).unwrap()));
}

#[both_databases]
async fn a_plan_is_small_whatever_a_server_says(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    radarr.set(|state| {
        state.profiles = vec![json!({ "id": 7, "name": huge() })];
        state.folders[0]["path"] = json!("/é".repeat(250));
    });
    film(radarr, 9001, |title| {
        for field in ["title", "overview", "path"] {
            title[field] = huge().into();
        }
        title["genres"] = json!([huge()]);
    });
    radarr.fail("POST /api", Fault::Held);
    let call = member.call(MOVIE, json!({ "tmdb_id": 9001 }));
    let plan = eventually("the request was sent", async || {
        let sql = "SELECT CAST(coalesce(max(length(plan)), 0) AS BIGINT) FROM open_effects";
        Some(house.app.db.number(sql).await).filter(|length| *length > 0 && !radarr.changes().is_empty())
    });
    let length = tokio::select! {
        length = plan => length,
        response = call => panic!("{:?}", response.outcome),
    };
    assert!(length <= MAX_PLAN, "{length} bytes");
    // The path of a folder is sent whole, because the server takes no other.
    assert_eq!(radarr.changes()[0].body["rootFolderPath"], "/é".repeat(250));
}

#[both_databases]
async fn cards_of_adds_and_removals_are_short(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, owner) = (&house.a.radarr, house.app.owner());
    radarr.set(|state| {
        state.profiles = vec![json!({ "id": 7, "name": huge() })];
        state.folders[0]["path"] = json!("/é".repeat(250));
    });
    film(radarr, 9001, |title| title["title"] = huge().into());
    film(radarr, 329_865, |title| {
        title["title"] = huge().into();
        title["rootFolderPath"] = huge().into();
    });
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    for (action, arguments) in [
        (MOVIE, json!({ "tmdb_id": 9001 })),
        ("media_remove_movie", json!({ "tmdb_id": 329_865, "delete_files": true })),
    ] {
        let pending = owner.pending(action, arguments).await;
        let card = owner.confirmation(pending).await.unwrap();
        let length = card.description.len();
        assert!(length <= MAX_SHOWN && card.description.contains("very long words"), "{action}: {length}");
        assert!(json!(card).to_string().len() <= 2 * MAX_SHOWN, "{action}");
    }
}

#[both_databases]
async fn errors_are_short_whatever_a_server_says(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, tmdb, member) = (&house.a.radarr, &house.a.tmdb, house.app.as_role(Role::Member));
    let short = async |action: &str, arguments: Value, part: &str| {
        let problem = json!(member.problem(action, arguments).await).to_string();
        assert!(problem.len() <= MAX_SHOWN, "{part}: {} bytes", problem.len());
        assert!(problem.contains(part), "{part}: {problem}");
    };
    let add = json!({ "tmdb_id": 9001 });
    let [folders, profiles] = radarr.set(|state| [state.folders.clone(), state.profiles.clone()]);
    let folder = |n: usize| json!({ "id": n, "path": format!("/{n}{}", huge()), "accessible": true });
    for (found, part) in [
        ((0..30).map(&folder).collect(), "root folders to choose from"),
        (vec![folder(1)], "is too long"),
        (vec![json!({ "id": 1, "path": "/x ".repeat(160), "accessible": false })], "can't access"),
    ] {
        radarr.set(|state| state.folders = found);
        short(MOVIE, add.clone(), part).await;
    }
    radarr.set(|state| {
        state.folders = folders;
        state.profiles = (0..30).map(|n| json!({ "id": n, "name": format!("{n}{}", huge()) })).collect();
    });
    short(MOVIE, add.clone(), "quality profiles to choose from").await;
    radarr.set(|state| state.profiles = profiles);
    let defects = json!([{ "propertyName": "Path", "errorMessage": huge() }]);
    radarr.fail("POST /api", Fault::Says(400, ("x-a", "b"), defects));
    short(MOVIE, add, "answered with 400").await;
    let genres: Vec<Value> = (0..30).map(|n| json!({ "id": n, "name": format!("{n}{}", huge()) })).collect();
    tmdb.fail("/genre/", Fault::Says(200, ("x-a", "b"), json!({ "genres": genres })));
    short("media_discover", json!({ "type": "movie", "genre": "Horror" }), "TMDB knows").await;
}
