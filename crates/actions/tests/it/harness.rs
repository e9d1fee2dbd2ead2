//! The product's own catalogue over a fresh database.

use std::ops::Deref;

use toolcrib_actions::Services;
use toolcrib_engine::OperatorRules;
use toolcrib_model::Id;
use toolcrib_store::{StoreError, models};
use toolcrib_testkit::{NOW, TestDb};

/// An engine with every action, and two workspaces.
pub struct App(toolcrib_testkit::App);

impl App {
    /// Over a fresh database. The default model is installed in both workspaces.
    pub async fn new(db: TestDb) -> Self {
        Self::with(db, &Services::default()).await
    }

    /// Over a fresh database, with services of the test's own.
    pub async fn with(db: TestDb, services: &Services) -> Self {
        let catalog = toolcrib_actions::catalog(services).map_err(|d| format!("{d:?}")).unwrap();
        let rules = OperatorRules { approve_hosts: vec!["ok.example".into()], ..OperatorRules::default() };
        let catalog = catalog.under(rules);
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
