//! Removals: a person is asked, nothing is sent twice, and nothing but what the person saw is removed.

use serde_json::{Value, json};
use toolcrib_engine::{ApproveRequest, Approved, Outcome};
use toolcrib_model::{ErrorCode, Role};
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::{
    fakes::{Asked, Fake, Fault},
    house::House,
};

const MOVIE: &str = "media_remove_movie";
const SERIES: &str = "media_remove_series";

impl House {
    fn admin(&self) -> Person<'_> {
        self.app.as_role(Role::Admin)
    }

    /// The data of the events about removals.
    async fn removals(&self) -> Vec<Value> {
        toolcrib_store::events::assign_offsets(&self.app.db).await.unwrap();
        let mut tx = self.app.db.read(self.app.a.workspace).await.unwrap();
        let all = toolcrib_store::events::after(&mut tx, 0, 1_000).await.unwrap();
        tx.end().await.unwrap();
        let removed = all.iter().filter(|event| event.name == "media.removed");
        removed.map(|event| serde_json::from_str(&event.data).unwrap()).collect()
    }
}

/// The one request that changed something.
fn only_change(fake: &Fake) -> Asked {
    let [sent] = &fake.changes()[..] else { panic!("one request") };
    sent.clone()
}

#[both_databases]
async fn a_viewer_is_refused_before_anything_is_asked(db: TestDb) {
    let house = House::new(db).await;
    for role in [Role::Viewer, Role::Member, Role::Editor] {
        let person = house.app.as_role(role);
        assert_eq!(person.refused(MOVIE, json!({ "title": "Arrival" })).await, "permission_denied");
        assert_eq!(person.refused(SERIES, json!({ "library_id": 3 })).await, "permission_denied");
    }
    assert!(house.a.all().iter().all(|fake| fake.asked().is_empty()), "somebody was asked");
}

#[both_databases]
async fn an_admins_removal_asks_and_runs_once(db: TestDb) {
    let house = House::new(db).await;
    let (admin, radarr) = (house.admin(), &house.a.radarr);
    let pending = admin.pending(MOVIE, json!({ "title": "ARRIVAL", "exclude_from_lists": true })).await;
    let card = admin.confirmation(pending).await.unwrap();
    assert!(card.level == "simple" && !card.allow_session_grant, "{card:?}");
    let said = "film *Arrival* (2016) (from Radarr; its files stay; import lists can't add it again)";
    assert!(card.description.contains(said), "{}", card.description);
    assert!(radarr.changes().is_empty(), "nothing is sent before the approval");
    let done = admin.approve(pending).await.unwrap().outcome.to_value();
    assert_eq!(done["description"], "Removed the film *Arrival* (2016) from Radarr; its files stay");
    assert_eq!(
        done["data"],
        json!({ "title": "Arrival", "year": 2016, "library_id": 7, "files": "stay",
            "excluded_from_lists": true })
    );
    let sent = only_change(radarr);
    assert_eq!((&*sent.method, &*sent.path), ("DELETE", "/api/v3/movie/7"));
    assert!(!sent.flag("deleteFiles") && sent.flag("addImportExclusion"), "{}", sent.query);
    admin.approve(pending).await.unwrap_err();
    assert_eq!(only_change(radarr).method, "DELETE");
    let [event] = &house.removals().await[..] else { panic!("one event") };
    assert_eq!((&event["foreign_id"], &event["library_id"]), (&json!("329865"), &json!(7)));
    assert_eq!(house.additions().await["total"], 0);
}

/// With its files, a person types a phrase, and reads how much is deleted. Sonarr has another name for the
/// lists.
#[both_databases]
async fn files_are_deleted_if_a_person_types_a_phrase(db: TestDb) {
    let house = House::new(db).await;
    let (admin, sonarr) = (house.admin(), &house.a.sonarr);
    let arguments = json!({ "tvdb_id": 424_536, "delete_files": true, "exclude_from_lists": true });
    let pending = admin.pending(SERIES, arguments).await;
    let card = admin.confirmation(pending).await.unwrap();
    assert_eq!(card.level, "typed");
    let said = "(2023) (from Sonarr; 36.0 GB of files in /tv/ are deleted; import lists";
    assert!(card.description.contains(said), "{}", card.description);
    assert!(card.warning.unwrap().contains("for good"));
    // What merely changes is shown, and not bound.
    sonarr.set(|state| state.titles[0]["statistics"]["sizeOnDisk"] = 5.into());
    let approved = admin.approve_once(pending, ApproveRequest::default()).await.unwrap();
    assert!(matches!(approved, Approved::PhraseRequired(_)) && sonarr.changes().is_empty());
    let done = admin.approve(pending).await.unwrap().outcome.to_value();
    assert_eq!(done["data"]["files"], "deleted_afterwards", "{done}");
    let sent = only_change(sonarr);
    assert_eq!((&*sent.method, &*sent.path), ("DELETE", "/api/v3/series/3"));
    assert!(sent.flag("deleteFiles") && sent.flag("addImportListExclusion"), "{}", sent.query);
    assert_eq!(house.removals().await.len(), 1);
}

#[both_databases]
async fn who_is_demoted_meanwhile_removes_nothing(db: TestDb) {
    let house = House::new(db).await;
    let (admin, owner) = (house.admin(), house.app.owner());
    let pending = admin.pending(MOVIE, json!({ "library_id": 7 })).await;
    owner.done("members.update", json!({ "user_id": house.app.a.admin, "role": "editor" })).await;
    assert_eq!(owner.approve(pending).await.unwrap_err().code, ErrorCode::Void);
    assert!(house.a.radarr.changes().is_empty());
}

/// Another film under the id, another id of the film, and another server: nothing is sent.
#[both_databases]
async fn what_is_swapped_before_the_approval_is_void(db: TestDb) {
    let house = House::new(db).await;
    let (admin, radarr) = (house.admin(), &house.a.radarr);
    let swap = |name: &'static str, value: Value| {
        radarr.set(|state| state.titles[0][name] = value);
    };
    for (reference, name, value) in [
        (json!({ "library_id": 7 }), "tmdbId", json!(5)),
        (json!({ "library_id": 7 }), "title", json!("Another")),
        (json!({ "tmdb_id": 329_865 }), "id", json!(70)),
        (json!({ "title": "arrival", "year": 2016 }), "id", json!(71)),
    ] {
        let before = radarr.set(|state| state.titles[0][name].clone());
        let pending = admin.pending(MOVIE, reference).await;
        swap(name, value);
        assert_eq!(admin.approve(pending).await.unwrap_err().code, ErrorCode::Void, "{name}");
        swap(name, before);
    }
    let pending = admin.pending(MOVIE, json!({ "library_id": 7 })).await;
    house.move_to(radarr, &house.b.radarr.url).await;
    house.b.radarr.set(|state| state.key = radarr.key());
    assert_eq!(admin.approve(pending).await.unwrap_err().code, ErrorCode::Void);
    assert!(radarr.changes().is_empty() && house.b.radarr.changes().is_empty());
    assert!(house.removals().await.is_empty());
}

#[both_databases]
async fn what_is_not_there_or_not_clear_is_refused(db: TestDb) {
    let house = House::new(db).await;
    let (admin, radarr) = (house.admin(), &house.a.radarr);
    let problem = async |arguments: Value| {
        let problem = admin.problem(MOVIE, arguments).await;
        format!("{} {} {}", problem.code.as_str(), problem.detail, problem.hint.unwrap_or_default())
    };
    for none in [json!({ "library_id": 99 }), json!({ "tmdb_id": 9001 }), json!({ "title": "Arrival II" })] {
        let said = problem(none.clone()).await;
        assert!(said.starts_with("not_found Radarr has no film with"), "{none}: {said}");
    }
    let unclear = [
        json!({}),
        json!({ "library_id": 7, "title": "Arrival" }),
        json!({ "tmdb_id": 7, "library_id": 7 }),
        json!({ "library_id": 7, "year": 2016 }),
    ];
    let asked = radarr.asked().len();
    for arguments in unclear {
        let said = problem(arguments.clone()).await;
        assert!(said.starts_with("invalid_arguments"), "{arguments}: {said}");
    }
    assert_eq!(radarr.asked().len(), asked, "the arguments alone are wrong");
    let other = json!({ "id": 17, "title": "Arrival", "year": 1996, "tmdbId": 17 });
    radarr.set(|state| state.titles.push(other));
    let several = problem(json!({ "title": "Arrival" })).await;
    assert!(several.starts_with("conflict"), "{several}");
    assert!(several.contains("*Arrival* (2016) (7), *Arrival* (1996) (17) give `year`"), "{several}");
    admin.confirmed(MOVIE, json!({ "title": "Arrival", "year": 1996 })).await;
    assert_eq!(only_change(radarr).path, "/api/v3/movie/17");
    radarr.fail("/lookup", Fault::MetadataDown);
    let ill = problem(json!({ "title": "Arrival" })).await;
    assert!(ill.contains("give `library_id` or `tmdb_id` instead of a title"), "{ill}");
}

/// What the server refused is still there, and what it did although its answer was lost is removed.
#[both_databases]
async fn refusals_and_lost_answers_are_told_apart(db: TestDb) {
    let house = House::new(db).await;
    let (admin, radarr, sonarr) = (house.admin(), &house.a.radarr, &house.a.sonarr);
    let outcome = async |action: &str, arguments: Value| {
        let pending = admin.pending(action, arguments).await;
        match admin.approve(pending).await.unwrap().outcome {
            Outcome::Completed(done) => done.value()["files"].clone(),
            Outcome::Refused(problem) => json!(problem.code.as_str()),
            other => panic!("{other:?}"),
        }
    };
    let gone = json!({ "message": "Expected query to return 1 rows but returned 0" });
    sonarr.fail("DELETE", Fault::Says(500, ("x-a", "b"), gone));
    assert_eq!(outcome(SERIES, json!({ "library_id": 3 })).await, "not_found");
    for (fault, expected) in [
        (Fault::Says(404, ("x-a", "b"), json!({ "message": "Movie with ID 7 does not exist" })), "not_found"),
        (Fault::Redirect(307, "http://elsewhere.example".into()), "upstream_error"),
        (Fault::BadRequest, "upstream_error"),
        (Fault::Starting, "upstream_error"),
        (Fault::LoginPage, "upstream_error"),
        (Fault::Says(500, ("x-a", "b"), json!({ "message": "database is locked" })), "upstream_error"),
        (Fault::Cut, "stay"),
        (Fault::Huge, "stay"),
    ] {
        radarr.mend();
        radarr.set(|state| state.titles[0]["id"] = 7.into());
        radarr.fail("DELETE", fault.clone());
        assert_eq!(outcome(MOVIE, json!({ "library_id": 7 })).await, expected, "{fault:?}");
    }
    assert_eq!((radarr.changes().len(), house.removals().await.len()), (8, 2));
}

/// What a proxy answered in the server's place leaves open what became of the film. It is still there, so
/// that the call has failed at its last look.
#[both_databases]
async fn a_page_of_a_proxy_removes_nothing(db: TestDb) {
    let house = House::new(db).await;
    let (admin, radarr) = (house.admin(), &house.a.radarr);
    radarr.fail("DELETE", Fault::GatewayPage);
    let pending = admin.pending(MOVIE, json!({ "library_id": 7 })).await;
    let unknown = admin.approve(pending).await.unwrap().outcome;
    assert_eq!(unknown.to_value()["code"], "outcome_unknown", "{}", unknown.to_value());
    house.until_the_last_look().await;
    let call = json!({ "call_id": unknown.call_id().unwrap() });
    let row = house.app.owner().done("audit.get", call).await;
    assert!(row["outcomes"].to_string().contains("failed"), "{row}");
    assert_eq!((radarr.changes().len(), house.removals().await.len()), (1, 0));
}
