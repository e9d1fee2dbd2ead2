//! An engine with the pack alone, which is on in both workspaces.

use std::ops::Deref;

use serde_json::{Value, json};
use toolcrib_engine::{CallResponse, Catalog, Outcome};
use toolcrib_model::Id;
use toolcrib_store::{StoreError, WriteTx, packs};
use toolcrib_testkit::{App, NOW, Person, TestDb, write};

/// An app with the pack `game`.
pub struct Place(App);

impl Deref for Place {
    type Target = App;

    fn deref(&self) -> &App {
        &self.0
    }
}

impl Place {
    pub async fn new(db: TestDb) -> Self {
        let pack = toolcrib_game::pack();
        db.migrate_packs(&[pack.schema.clone().unwrap()]).await.unwrap();
        let catalog =
            Catalog::with_packs(vec![], &[pack], None).unwrap_or_else(|defects| panic!("{defects:?}"));
        let place = Self(App::with_catalog(db, catalog).await);
        for workspace in [place.a.workspace, place.b.workspace] {
            place.settle(workspace, None).await;
        }
        place
    }

    /// Switches the pack on, with these settings.
    pub async fn settle(&self, workspace: Id, settings: Option<Value>) {
        let row = packs::PackRow {
            slug: "game".into(),
            version: 1,
            settings: settings.map(|settings| settings.to_string()),
            updated_at: NOW,
            updated_by: None,
        };
        let done = write(&self.db, workspace, async |tx: &mut WriteTx| {
            let version = packs::put(tx, &row).await?;
            packs::set_enabled(tx, &format!("game:{version}"), NOW).await?;
            Ok::<_, StoreError>(())
        });
        done.await.unwrap();
    }

    /// Creates a project, and returns its ID.
    pub async fn project(&self, name: &str) -> String {
        text(&self.owner().done("game_create_project", json!({ "name": name })).await["id"])
    }
}

/// Returns this caller with the header that binds it to a project.
pub fn bound<'a>(person: &Person<'a>, project: &str) -> Person<'a> {
    let mut person = person.clone();
    person.authenticated.requested.packs = vec![("game", project.to_owned())];
    person
}

/// Calls an action, and approves it as `approver` if it waits. Returns its data.
pub async fn through(caller: &Person<'_>, approver: &Person<'_>, action: &str, arguments: Value) -> Value {
    let asked = caller.call(action, arguments).await;
    let done = match asked.outcome {
        Outcome::Waiting(waiting) => approver.approve(waiting.confirmation.id).await.unwrap(),
        _ => asked,
    };
    let CallResponse { outcome: Outcome::Completed(done), .. } = done else {
        panic!("{action} did not complete: {:?}", done.outcome);
    };
    done.value()
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}
