//! The product's own catalogue over a fresh database, with what the walkthrough finds there.

use serde_json::json;
use toolcrib_actions::Services;
use toolcrib_testkit::{App, Person, TestDb};

/// Every action; in both workspaces the default model, a connected app and the agents of the examples.
pub async fn world(db: TestDb) -> App {
    let catalog = toolcrib_actions::catalog(&Services::default()).map_err(|d| format!("{d:?}")).unwrap();
    let app = App::with_catalog(db, catalog).await;
    for owner in [app.owner(), app.as_role_b(toolcrib_model::Role::Owner)] {
        furnish(&owner).await;
    }
    app
}

async fn furnish(owner: &Person<'_>) {
    owner.done("install_model", json!({ "model": "gpt-4o-mini" })).await;
    owner.done("connections.create", json!({ "app": "slack" })).await;
}
