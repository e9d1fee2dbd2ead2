//! The product's own catalogue over a fresh database.

use std::ops::Deref;

use toolcrib_actions::Services;
use toolcrib_model::Id;
use toolcrib_store::{StoreError, models};
use toolcrib_testkit::{NOW, TestDb};

/// An engine with every action, and two workspaces.
pub struct App(toolcrib_testkit::App);

impl App {
    /// Over a fresh database. The default model is installed in both workspaces.
    pub async fn new(db: TestDb) -> Self {
        let catalog = toolcrib_actions::catalog(&Services::default()).map_err(|d| format!("{d:?}")).unwrap();
        let app = toolcrib_testkit::App::with_catalog(db, catalog).await;
        for workspace in [app.a.workspace, app.b.workspace] {
            let installed = app.db.write::<_, StoreError, _>(workspace, |tx| {
                Box::pin(async { models::install(tx, Id::from_u128(1), "gpt-4o-mini", None, NOW).await })
            });
            assert!(installed.await.unwrap());
        }
        Self(app)
    }
}

impl Deref for App {
    type Target = toolcrib_testkit::App;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
