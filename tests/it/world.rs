//! The product's own catalogue over a new database, with the rows that the walkthrough needs.

use std::{ops::Deref, sync::Arc};

use serde_json::json;
use tempfile::TempDir;
use toolcrib_actions::Infrastructure;
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_connectors::embedded::{Journal, Platform};
use toolcrib_datasources::AllowedTargets;
use toolcrib_engine::{DatasourceRules, OperatorRules, Pack};
use toolcrib_model::Role;
use toolcrib_testkit::{App, Person, TestDb, clock};

#[path = "../../crates/packs/media/tests/it/fakes.rs"]
#[expect(dead_code, reason = "the tests of the pack let them fail too")]
mod fakes;

use fakes::{Fake, Speaks};

/// A key of 32 zero bytes.
const KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// An app with every action and two workspaces.
pub struct World {
    app: App,
    /// The folder of the datasource's file.
    _folder: TempDir,
}

impl Deref for World {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

/// The packs that the sweeps go over: those that come with the program, and one that is built outside of this
/// workspace.
pub fn packs() -> Vec<Pack> {
    vec![notes::pack(), toolcrib_media::pack(), toolcrib_game::pack()]
}

/// Creates the app. Both workspaces have the default model, a connected app, a datasource and the services of
/// the packs, and all packs are on. The clock is stopped.
pub async fn world(db: TestDb) -> World {
    let packs = packs();
    let schemas: Vec<_> = packs.iter().filter_map(|pack| pack.schema.clone()).collect();
    db.migrate_packs(&schemas).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    // An empty file is an empty SQLite database.
    std::fs::write(folder.path().join("shop.db"), b"").unwrap();
    let clock = Arc::new(clock());
    let platform = Arc::new(Platform::new(clock.clone(), Journal::new(clock, Journal::LINES)));
    let infrastructure = Infrastructure { platform, ..Infrastructure::default() };
    let catalog = toolcrib_actions::catalog_with_packs(&infrastructure, &packs, None)
        .map_err(|d| format!("{d:?}"))
        .unwrap();
    let allowed = AllowedTargets { hosts: Vec::new(), folder: Some(folder.path().into()), own: None };
    let datasources = Arc::new(DatasourceRules {
        allowed,
        secret_cipher: Arc::new(SecretCipher::from_setting(&KEY.into()).unwrap()),
    });
    let services = [services().await, services().await];
    let upstream_hosts = services.iter().flatten().map(|fake| fake.host.clone()).collect();
    let rules = OperatorRules { datasources, upstream_hosts, ..OperatorRules::default() };
    let app = App::with_catalog(db, catalog.under(rules)).await;
    for (owner, services) in [app.owner(), app.as_role_b(Role::Owner)].iter().zip(&services) {
        furnish(owner, services).await;
    }
    World { app, _folder: folder }
}

/// Starts what the packs ask, for one workspace.
async fn services() -> Vec<Fake> {
    let mut services = Vec::new();
    for speaks in [Speaks::Radarr, Speaks::Sonarr, Speaks::Tmdb, Speaks::Brave] {
        services.push(Fake::start(speaks, "key-0123456789").await);
    }
    services
}

async fn furnish(owner: &Person<'_>, services: &[Fake]) {
    for service in services {
        let upstream = service.upstream();
        let secret = json!({ "name": upstream["name"], "secret": service.key() });
        owner.done("upstreams.create", upstream).await;
        owner.done("upstreams.set_secret", secret).await;
    }
    for pack in packs() {
        owner.done("packs.update", json!({ "slug": pack.info.slug, "enabled": true })).await;
    }
    owner.done("install_model", json!({ "model": "gpt-4o-mini" })).await;
    owner.done("connections.create", json!({ "app": "slack" })).await;
    owner.done("datasources.create", json!({ "name": "shop", "connection": "sqlite:shop.db" })).await;
}
