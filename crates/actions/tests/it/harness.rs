//! The product's own catalogue over a fresh database.

use std::ops::Deref;

use toolcrib_actions::Services;
use toolcrib_testkit::TestDb;

/// An engine with every action, and two workspaces.
pub struct App(toolcrib_testkit::App);

impl App {
    /// Over a fresh database.
    pub async fn new(db: TestDb) -> Self {
        let catalog = toolcrib_actions::catalog(&Services::default()).map_err(|d| format!("{d:?}")).unwrap();
        Self(toolcrib_testkit::App::with_catalog(db, catalog).await)
    }
}

impl Deref for App {
    type Target = toolcrib_testkit::App;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
