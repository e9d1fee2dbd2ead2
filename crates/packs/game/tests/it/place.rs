//! An engine with the pack alone, which is on in both workspaces.

use std::{collections::BTreeSet, ops::Deref, sync::Arc};

use serde_json::{Value, json};
use tokio::sync::Barrier;
use toolcrib_engine::{Action, CallResponse, Catalog, Outcome};
use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    StoreError, WriteTx,
    audit::{self, AuditFilter},
    packs,
};
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
        Self::with(db, vec![]).await
    }

    /// With actions beside those of the pack.
    pub async fn with(db: TestDb, actions: Vec<Action>) -> Self {
        let pack = toolcrib_game::pack();
        db.migrate_packs(&[pack.schema.clone().unwrap()]).await.unwrap();
        let catalog =
            Catalog::with_packs(actions, &[pack], None).unwrap_or_else(|defects| panic!("{defects:?}"));
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

    /// Creates systems with these slugs, which are their names in lower case. Returns their IDs.
    pub async fn systems(&self, project: &str, names: &[&str]) -> Vec<String> {
        let mut ids = Vec::new();
        for name in names {
            let arguments = json!({ "project": project, "name": name, "slug": name.to_lowercase() });
            ids.push(text(&self.owner().done("game_create_game_system", arguments).await["id"]));
        }
        ids
    }

    /// Lets the source of each pair require its target.
    pub async fn require(&self, project: &str, pairs: &[(&str, &str)]) {
        for (source, target) in pairs {
            self.owner().done("game_add_dependency", edge(project, source, target)).await;
        }
    }
}

/// The reasons in the audit log's rows of refused calls, of these actions, sorted and without repetition.
pub async fn reasons(place: &Place, actions: &[&str]) -> Vec<String> {
    let mut tx = place.db.read(place.a.workspace).await.unwrap();
    let mut reasons = BTreeSet::new();
    for action in actions {
        let filter = AuditFilter { action: Some((*action).into()), ..AuditFilter::default() };
        let rows = audit::list(&mut tx, &filter, Cursor::START, 1000).await.unwrap();
        reasons.extend(rows.into_iter().filter_map(|row| row.error_code.and(row.reason)));
    }
    tx.end().await.unwrap();
    reasons.into_iter().collect()
}

/// The arguments of a dependency.
pub fn edge(project: &str, source: &str, target: &str) -> Value {
    json!({ "project": project, "source": source, "target": target })
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
    match asked.outcome {
        Outcome::Waiting(waiting) => completed(approver.approve(waiting.confirmation.id).await.unwrap()),
        _ => completed(asked),
    }
}

/// Returns the data of a call that must have completed.
pub fn completed(answer: CallResponse) -> Value {
    match answer.outcome {
        Outcome::Completed(done) => done.value(),
        other => panic!("it did not complete: {other:?}"),
    }
}

/// Runs both at once, and returns what both say.
pub fn race<A: Send + 'static, B: Send + 'static>(
    one: impl Future<Output = A> + Send + 'static,
    other: impl Future<Output = B> + Send + 'static,
) -> impl Future<Output = (A, B)> {
    let begin = Arc::new(Barrier::new(2));
    let also = Arc::clone(&begin);
    let one = tokio::spawn(async move {
        begin.wait().await;
        one.await
    });
    let other = tokio::spawn(async move {
        also.wait().await;
        other.await
    });
    async { (one.await.unwrap(), other.await.unwrap()) }
}

/// Returns the names or slugs in a list.
pub fn fields(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|row| text(&row[field])).collect()
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}
