//! Adds: nothing is sent twice, and no row says what is not so.

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_auth::{Authenticated, Credential, RequestedContext, ServiceKey};
use toolcrib_engine::Outcome;
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_testkit::{NOW, TestDb, both_databases};

use crate::{
    fakes::{Fake, Fault},
    house::House,
};

const LIST: &str = "media_list_additions";

const MOVIE: &str = "media_add_movie";
const SERIES: &str = "media_add_series";

impl House {
    /// What the admin sees of all additions.
    pub async fn additions(&self) -> Value {
        self.app.as_role(Role::Admin).done("media_list_additions", json!({ "user": "all" })).await
    }

    /// The sentences of the notifications about additions.
    async fn messages(&self) -> Vec<String> {
        let all = self.app.as_role(Role::Admin).done("notifications.list", json!({})).await;
        let items = all["items"].as_array().unwrap();
        let added = items.iter().filter(|item| item["kind"] == "media_added");
        added.map(|item| item["body"].as_str().unwrap().to_owned()).collect()
    }
}

/// Radarr's film that is not in the library.
fn film(fake: &Fake, change: impl FnOnce(&mut Value)) {
    fake.set(|state| change(state.titles.iter_mut().find(|title| title["tmdbId"] == 9001).unwrap()));
}

fn code(outcome: &Outcome) -> ErrorCode {
    match outcome {
        Outcome::Refused(problem) => problem.code,
        other => panic!("it was not refused: {other:?}"),
    }
}

#[both_databases]
async fn a_film_is_added_once_with_a_row_and_a_message(db: TestDb) {
    let house = House::new(db).await;
    let member = house.app.as_role(Role::Member);
    film(&house.a.radarr, |title| title["year"] = 2027.into());
    let added = member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    let reason = "the only folder and the only quality profile with 1080 in its name";
    assert_eq!(
        added,
        json!({ "status": "added", "title": "Arrival II", "year": 2027, "library_id": 9, "has_file": false,
            "monitored": true, "library": null, "root_folder": "/movies", "quality_profile": "HD-1080p",
            "reason": reason })
    );
    let [sent] = &house.a.radarr.changes()[..] else { panic!("one request") };
    assert_eq!(
        sent.body,
        json!({ "tmdbId": 9001, "title": "Arrival II", "qualityProfileId": 4, "rootFolderPath": "/movies",
            "monitored": true, "minimumAvailability": "released",
            "addOptions": { "searchForMovie": true, "monitor": "movieOnly" } })
    );
    let again = member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    assert_eq!((&again["status"], &again["library_id"]), (&json!("already_in_library"), &json!(9)));
    assert_eq!(house.a.radarr.changes().len(), 1);
    let all = house.additions().await;
    assert_eq!(
        (&all["total"], &all["last_7_days"], &all["by_type"]),
        (&json!(1), &json!(1), &json!({ "movie": 1, "series": 0 }))
    );
    let row = &all["items"][0];
    assert_eq!(
        (&row["type"], &row["foreign_id"], &row["year"], &row["library_id"], &row["added_at"]),
        (&json!("movie"), &json!("9001"), &json!(2027), &json!(9), &json!(NOW))
    );
    let [message] = &house.messages().await[..] else { panic!("one message") };
    assert!(message.ends_with(&format!(" added film *Arrival II* (2027) to /movies: {reason}")), "{message}");
}

/// A title can't hide or reorder the rest of a sentence.
#[both_databases]
async fn hidden_characters_of_a_title_are_visible_in_sentences(db: TestDb) {
    let house = House::new(db).await;
    film(&house.a.radarr, |title| title["title"] = "Arr\u{202e}ival\u{200b}".into());
    let call = house.app.as_role(Role::Member).call(MOVIE, json!({ "tmdb_id": 9001 })).await;
    let [message] = &house.messages().await[..] else { panic!("one message") };
    let description = call.outcome.to_value()["description"].to_string();
    for text in [message, &description] {
        assert!(text.contains("202e}ival") && text.contains("200b}*"), "{text}");
        assert!(!text.contains(['\u{202e}', '\u{200b}']), "{text}");
    }
}

#[both_databases]
async fn a_series_goes_where_the_rules_say(db: TestDb) {
    let house = House::new(db).await;
    let sonarr = &house.a.sonarr;
    sonarr.set(|state| {
        state.folders.push(json!({ "id": 2, "path": "/anime", "accessible": true }));
        state.titles[1]["genres"] = json!(["Drama", "anime"]);
    });
    let library = |name: &str, folder: &str, when: Value| {
        json!({ "name": name, "kind": "series", "root_folder": folder, "quality_profile": "Any",
            "series_type": "anime", "when": when })
    };
    let anime = library("anime", "/anime", json!({ "genres": ["Anime"] }));
    let rest = library("rest", "/tv", Value::Null);
    house.set(json!({ "libraries": [rest, anime], "monitor": "future", "search_on_add": false })).await;
    house.app.db.set_display_name(house.app.a.user(Role::Member), "Sarah").await;
    let member = house.app.as_role(Role::Member);
    let added = member.done(SERIES, json!({ "tvdb_id": 371_980 })).await;
    assert_eq!((&added["library"], &added["reason"]), (&json!("anime"), &json!("genre Anime")));
    let [sent] = &sonarr.changes()[..] else { panic!("one request") };
    assert_eq!(
        sent.body,
        json!({ "tvdbId": 371_980, "title": "Severance", "qualityProfileId": 1, "rootFolderPath": "/anime",
            "monitored": true, "seasonFolder": true, "seriesType": "anime",
            "addOptions": { "monitor": "future", "searchForMissingEpisodes": false,
                "searchForCutoffUnmetEpisodes": false } })
    );
    let message = "Sarah added series *Severance* (2022) to anime: genre Anime";
    assert_eq!(house.messages().await, [message]);
    let rows = house.additions().await;
    assert_eq!(
        (&rows["items"][0]["library"], &rows["items"][0]["user_name"]),
        (&json!("anime"), &json!("Sarah"))
    );
}

/// What the server says of a title's language counts, and TMDB is asked if it says nothing.
#[both_databases]
async fn a_language_that_the_server_lacks_is_asked_of_tmdb(db: TestDb) {
    let house = House::new(db).await;
    let crate::house::Services { radarr, sonarr, tmdb, .. } = &house.a;
    let library = |kind: &str, folder: &str, language: &str| {
        json!({ "name": language, "kind": kind, "root_folder": folder, "quality_profile": "Any",
            "when": { "languages": [language] } })
    };
    let [movies, series] = [("movie", "/movies"), ("series", "/tv")];
    let libraries: Vec<Value> = [(movies, "en"), (movies, "ja"), (series, "ja"), (series, "en")]
        .map(|((kind, folder), language)| library(kind, folder, language))
        .into();
    house.set(json!({ "libraries": libraries })).await;
    sonarr.set(|state| state.titles[1]["tmdbId"] = 501.into());
    let member = house.app.as_role(Role::Member);
    for (action, arguments, language, asked) in [
        (MOVIE, json!({ "tmdb_id": 9001 }), "ja", "/movie/9001"),
        (SERIES, json!({ "tvdb_id": 371_980 }), "en", "/tv/501"),
    ] {
        let added = member.done(action, arguments).await;
        let reason = format!("language {language}");
        assert_eq!((&added["library"], &added["reason"]), (&json!(language), &json!(reason)), "{action}");
        assert_eq!(tmdb.asked().last().map(|one| one.path.clone()).as_deref(), Some(asked));
    }
    film(radarr, |title| {
        title.as_object_mut().unwrap().remove("id");
        title["originalLanguage"] = json!({ "id": 1, "name": "English" });
    });
    let before = tmdb.asked().len();
    assert_eq!(member.done(MOVIE, json!({ "tmdb_id": 9001 })).await["library"], "en");
    assert_eq!(tmdb.asked().len(), before, "TMDB was asked although the server knows");
}

/// What is missing is said with what there is.
#[both_databases]
async fn nothing_is_guessed_about_where_a_title_goes(db: TestDb) {
    let house = House::new(db).await;
    house.a.tmdb.fail("/movie/", Fault::Thrown);
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    let problem = async |library: Value| {
        let problem = member.problem(MOVIE, json!({ "tmdb_id": 9001, "library": library })).await;
        format!("{} {}", problem.code.as_str(), problem.detail)
    };
    radarr.set(|state| state.folders.push(json!({ "id": 2, "path": "/more", "accessible": true })));
    assert!(problem(Value::Null).await.contains("root folders to choose from: `/movies`, `/more`"));
    assert!(problem("films".into()).await.contains("`library` must be left out"));
    let library = |name: &str, folder: &str, profile: &str, languages: Value| {
        json!({ "name": name, "kind": "movie", "root_folder": folder, "quality_profile": profile,
            "when": { "languages": languages } })
    };
    let gone = library("gone", "/gone", "Any", json!(["fr"]));
    let poor = library("poor", "/more", "SD", json!(["fr"]));
    let japanese = library("japanese", "/more", "Any", json!(["ja"]));
    house.set(json!({ "libraries": [gone, poor, japanese] })).await;
    assert!(problem("gone".into()).await.contains("no root folder `/gone`; there are `/movies`, `/more`"));
    assert!(problem("poor".into()).await.contains("no quality profile `SD`; there are `Any`"));
    assert!(problem("other".into()).await.starts_with("invalid_arguments"));
    let unfit = problem(Value::Null).await;
    assert!(unfit.contains("no library fits this film: `gone`, `poor`, `japanese`"), "{unfit}");
    radarr.set(|state| state.folders[1]["accessible"] = false.into());
    film(radarr, |title| title["originalLanguage"] = json!({ "id": 8, "name": "Japanese" }));
    assert!(problem(Value::Null).await.contains("can't access its root folder /more"));
    assert!(radarr.changes().is_empty());
    radarr.set(|state| state.folders[1]["accessible"] = true.into());
    let added = member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    assert_eq!((&added["library"], &added["reason"]), (&json!("japanese"), &json!("language ja")));
}

#[both_databases]
async fn a_lost_answer_leaves_one_film_one_row_and_one_message(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    for (count, fault) in (1..).zip([Fault::Cut, Fault::Huge]) {
        radarr.mend();
        radarr.fail("POST", fault.clone());
        let added = member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
        assert_eq!((&added["status"], &added["library_id"]), (&json!("added"), &json!(9)), "{fault:?}");
        assert_eq!(radarr.changes().len(), count);
        assert_eq!((&house.additions().await["total"], house.messages().await.len()), (&json!(count), count));
        film(radarr, |title| drop(title.as_object_mut().unwrap().remove("id")));
    }
}

/// A server may go on when a proxy has given up: the film is looked up until the last look.
#[both_databases]
async fn an_add_that_a_proxy_gave_up_ends_at_its_last_look(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    radarr.fail("POST", Fault::Says(502, ("x-a", "b"), json!({ "message": "upstream timed out" })));
    let outcome = member.call(MOVIE, json!({ "tmdb_id": 9001 })).await.outcome;
    assert_eq!(code(&outcome), ErrorCode::OutcomeUnknown);
    house.until_the_last_look().await;
    let call = json!({ "call_id": outcome.call_id().unwrap() });
    let row = house.app.owner().done("audit.get", call).await;
    assert!(row["outcomes"].to_string().contains("failed"), "{row}");
    assert_eq!((radarr.changes().len(), &house.additions().await["total"]), (1, &json!(0)));
    radarr.mend();
    assert_eq!(member.done(MOVIE, json!({ "tmdb_id": 9001 })).await["status"], "added");
}

/// Somebody else adds the film while our answer is lost: no row says that we did.
#[both_databases]
async fn what_somebody_else_added_is_not_ours(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    radarr.fail("POST", Fault::Thrown);
    let theirs = |folder: &str, added: &str| {
        json!({ "id": 50, "title": "Arrival II", "tmdbId": 9001, "qualityProfileId": 4, "added": added,
            "rootFolderPath": folder, "path": format!("{folder}/x") })
    };
    for rival in [theirs("/other", "2026-01-15T10:00:00Z"), theirs("/movies", "2026-01-15T09:50:00Z")] {
        radarr.set(|state| state.rival = Some(rival));
        let outcome = member.call(MOVIE, json!({ "tmdb_id": 9001 })).await.outcome;
        assert_eq!(code(&outcome), ErrorCode::OutcomeUnknown);
        radarr.set(|state| state.titles.retain(|title| title["id"] != 50));
        house.until_the_last_look().await;
        house.app.clock.set(NOW);
    }
    assert_eq!(radarr.changes().len(), 2);
    assert_eq!((house.additions().await["total"].clone(), house.messages().await.len()), (json!(0), 0));
}

/// Already there before the call, a film and a series, and by a racing add, which the server says with 400 or
/// 409.
#[both_databases]
async fn what_is_there_is_not_sent_or_recorded(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    let there = member.done(MOVIE, json!({ "tmdb_id": 329_865 })).await;
    assert_eq!((&there["status"], &there["has_file"]), (&json!("already_in_library"), &json!(true)));
    let series = member.done(SERIES, json!({ "tvdb_id": 424_536 })).await;
    assert_eq!((&series["status"], &series["library_id"]), (&json!("already_in_library"), &json!(3)));
    assert!(radarr.changes().is_empty() && house.a.sonarr.changes().is_empty());
    let rival = json!({ "id": 50, "title": "Arrival II", "tmdbId": 9001, "added": "2026-01-15T10:00:00Z" });
    radarr.set(|state| state.rival = Some(rival.clone()));
    let raced = member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    assert_eq!((&raced["status"], &raced["library_id"]), (&json!("already_in_library"), &json!(50)));
    radarr.set(|state| {
        state.titles.retain(|title| title["id"] != 50);
        state.rival = Some(rival);
    });
    let said = json!({ "message": "constraint failed UNIQUE" });
    radarr.fail("POST", Fault::Says(409, ("x-a", "b"), said));
    let raced = member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    assert_eq!((&raced["status"], &raced["library_id"]), (&json!("already_in_library"), &json!(50)));
    radarr.set(|state| state.titles.retain(|title| title["id"] != 50));
    let refused = member.call(MOVIE, json!({ "tmdb_id": 9001 })).await.outcome;
    assert_eq!(code(&refused), ErrorCode::UpstreamError);
    assert_eq!((house.additions().await["total"].clone(), house.messages().await.len()), (json!(0), 0));
}

/// A wrong id in the look-up, and a film that is swapped under its id before the approval: nothing is sent.
#[both_databases]
async fn another_film_than_the_one_asked_for_is_not_added(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, owner) = (&house.a.radarr, house.app.owner());
    let problem = owner.problem(MOVIE, json!({ "tmdb_id": 1 })).await;
    assert_eq!(problem.code, ErrorCode::NotFound);
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let pending = owner.pending(MOVIE, json!({ "tmdb_id": 9001 })).await;
    let card = json!(owner.confirmation(pending).await.unwrap()).to_string();
    assert!(card.contains("film *Arrival II*") && card.contains("into /movies on Radarr"), "{card}");
    film(radarr, |title| title["title"] = "Another".into());
    owner.approve(pending).await.err().unwrap();
    film(radarr, |title| title["title"] = "Arrival II".into());
    let other = json!([{ "title": "Arrival II", "tmdbId": 5 }]);
    radarr.fail("/lookup", Fault::Says(200, ("x-a", "b"), other));
    let problem = owner.problem(MOVIE, json!({ "tmdb_id": 9001 })).await;
    assert!(problem.detail.contains("answered another film"), "{}", problem.detail);
    assert!(radarr.changes().is_empty());
}

/// Of a refusal the first sentence is quoted. What the server answered itself is refused if the film is not
/// there; what a proxy answered in its place is unknown.
#[both_databases]
async fn refusals_and_lost_answers_are_told_apart(db: TestDb) {
    let house = House::new(db).await;
    let (radarr, member) = (&house.a.radarr, house.app.as_role(Role::Member));
    let faults = [
        (Fault::Defects, ErrorCode::UpstreamError),
        (Fault::Problem, ErrorCode::UpstreamError),
        (Fault::BadRequest, ErrorCode::UpstreamError),
        (Fault::Redirect(307, "http://elsewhere.example".into()), ErrorCode::UpstreamError),
        (Fault::Redirect(302, "http://elsewhere.example".into()), ErrorCode::UpstreamError),
        (Fault::Thrown, ErrorCode::UpstreamError),
        (Fault::MetadataDown, ErrorCode::UpstreamError),
        (Fault::Starting, ErrorCode::UpstreamError),
        (Fault::LoginPage, ErrorCode::UpstreamError),
        (Fault::GatewayPage, ErrorCode::OutcomeUnknown),
    ];
    for (sent, (fault, expected)) in (1..).zip(faults) {
        radarr.mend();
        radarr.fail("POST", fault.clone());
        let outcome = member.call(MOVIE, json!({ "tmdb_id": 9001 })).await.outcome;
        assert_eq!(code(&outcome), expected, "{fault:?}");
        assert!(!outcome.to_value().to_string().contains("secret-folder"), "{fault:?}");
        assert_eq!(radarr.changes().len(), sent);
    }
    assert_eq!(house.additions().await["total"], 0);
}

#[both_databases]
async fn members_see_their_own_additions_and_admins_all(db: TestDb) {
    let house = House::new(db).await;
    let (member, admin) = (house.app.as_role(Role::Member), house.app.as_role(Role::Admin));
    member.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    house.app.clock.advance(8 * 24 * 60 * 60);
    admin.done(SERIES, json!({ "tvdb_id": 371_980 })).await;
    assert_eq!(house.messages().await.len(), 1, "an admin's own add is announced to nobody");
    let titles = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap();
        items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&member.done(LIST, json!({})).await), ["Arrival II"]);
    assert_eq!(titles(&admin.done(LIST, json!({})).await), ["Severance"]);
    let all = house.additions().await;
    assert_eq!(
        (titles(&all), &all["last_7_days"]),
        (vec!["Severance".into(), "Arrival II".into()], &json!(1))
    );
    let page = admin.done(LIST, json!({ "user": "all", "limit": 1 })).await;
    let rest = json!({ "user": "all", "limit": 1, "cursor": page["next_cursor"] });
    assert_eq!(titles(&admin.done(LIST, rest).await), ["Arrival II"]);
    let films = admin.done(LIST, json!({ "user": "all", "type": "movie" })).await;
    assert_eq!((titles(&films), &films["total"]), (vec!["Arrival II".into()], &json!(1)));
    let late = admin.done(LIST, json!({ "user": "all", "since": "2026-01-20T00:00:00Z" })).await;
    assert_eq!(titles(&late), ["Severance"]);
    let user = json!(house.app.a.user(Role::Member));
    assert_eq!(titles(&admin.done(LIST, json!({ "user": user })).await), ["Arrival II"]);
    assert_eq!(titles(&member.done(LIST, json!({ "user": user })).await), ["Arrival II"]);
    let viewer = house.viewer();
    for wanted in [json!("all"), user] {
        assert_eq!(viewer.refused(LIST, json!({ "user": wanted })).await, "permission_denied");
    }
    assert_eq!(viewer.refused(LIST, json!({ "user": "Sarah" })).await, "invalid_arguments");
    assert_eq!(viewer.refused(MOVIE, json!({ "tmdb_id": 9001 })).await, "permission_denied");
    let others = house.app.as_role_b(Role::Owner).done(LIST, json!({ "user": "all" })).await;
    assert_eq!(others["total"], 0);
}

/// A key that acts for nobody sees what keys added for nobody, and no additions of members.
#[both_databases]
async fn a_key_lists_additions_without_a_member(db: TestDb) {
    let house = House::new(db).await;
    house.app.as_role(Role::Member).done(SERIES, json!({ "tvdb_id": 371_980 })).await;
    let key = ServiceKey {
        key_id: Id::from_u128(0x5e7),
        workspace: house.app.a.workspace,
        role: "editor".to_owned(),
        scopes: Scopes::from(Some(vec!["media:*".to_owned()])),
        caller_types: vec!["api".to_owned()],
    };
    let (credential, requested) = (Credential::Service(key), RequestedContext::default());
    let key = house.app.as_identity(Authenticated { credential, requested });
    let empty = key.done(LIST, json!({})).await;
    assert_eq!((&empty["items"], &empty["total"]), (&json!([]), &json!(0)));
    key.done(MOVIE, json!({ "tmdb_id": 9001 })).await;
    let own = key.done(LIST, json!({ "type": "movie" })).await;
    assert_eq!((&own["items"][0]["title"], &own["total"]), (&json!("Arrival II"), &json!(1)));
    assert_eq!(own["items"][0]["user_id"], Value::Null);
    assert_eq!(key.done(LIST, json!({})).await["total"], 1);
    assert_eq!(key.refused(LIST, json!({ "user": "all" })).await, "permission_denied");
    assert_eq!(house.additions().await["total"], 2);
}
