//! A household: a workspace with the pack, and the four services.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_actions::{Infrastructure, catalog_with_packs};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_engine::{DatasourceRules, OperatorRules, Problem};
use toolcrib_model::Role;
use toolcrib_testkit::{App, Person, TestDb};

use crate::fakes::{Fake, Speaks};

/// A key of 32 zero bytes.
const CIPHER_KEY: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// The services of a household.
pub struct Services {
    pub radarr: Fake,
    pub sonarr: Fake,
    pub tmdb: Fake,
    pub brave: Fake,
}

impl Services {
    /// Starts the services, whose keys hold this word.
    pub async fn start(word: &str) -> Self {
        let fake =
            async |speaks, name: &str| Fake::start(speaks, &format!("key-{word}-{name}-0123456789")).await;
        Self {
            radarr: fake(Speaks::Radarr, "radarr").await,
            sonarr: fake(Speaks::Sonarr, "sonarr").await,
            tmdb: fake(Speaks::Tmdb, "tmdb").await,
            brave: fake(Speaks::Brave, "brave").await,
        }
    }

    pub fn all(&self) -> [&Fake; 4] {
        [&self.radarr, &self.sonarr, &self.tmdb, &self.brave]
    }

    /// Adds the services to the workspace of its owner, and switches the pack on.
    async fn furnish(&self, owner: &Person<'_>) {
        owner.done("packs.update", json!({ "slug": "media", "enabled": true })).await;
        for fake in self.all() {
            owner.done("upstreams.create", fake.upstream()).await;
            let name = fake.upstream()["name"].clone();
            owner.done("upstreams.set_secret", json!({ "name": name, "secret": fake.key() })).await;
        }
    }
}

/// An address at which nobody listens.
pub const NOBODY: &str = "127.0.0.1:9";

/// Two households: each workspace with services of its own.
pub struct House {
    pub app: App,
    pub a: Services,
    pub b: Services,
}

impl House {
    pub async fn new(db: TestDb) -> Self {
        Self::with(db, &Infrastructure::default()).await
    }

    /// With what the platform's actions need.
    pub async fn with(db: TestDb, infrastructure: &Infrastructure) -> Self {
        let pack = toolcrib_media::pack();
        db.migrate_packs(&[pack.schema.clone().unwrap()]).await.unwrap();
        let (a, b) = (Services::start("a").await, Services::start("b").await);
        let hosts = a.all().into_iter().chain(b.all()).map(|fake| fake.host.clone());
        let upstream_hosts = hosts.chain([NOBODY.to_owned()]).collect();
        let secret_cipher = Arc::new(SecretCipher::from_setting(&CIPHER_KEY.into()).unwrap());
        let datasources = Arc::new(DatasourceRules { secret_cipher, ..DatasourceRules::default() });
        let webhook_hosts = vec!["127.0.0.1".to_owned()];
        let rules = OperatorRules { datasources, upstream_hosts, webhook_hosts, ..OperatorRules::default() };
        let catalog = catalog_with_packs(infrastructure, &[pack], None);
        let app = App::with_catalog(db, catalog.map_err(|d| format!("{d:?}")).unwrap().under(rules)).await;
        a.furnish(&app.owner()).await;
        b.furnish(&app.as_role_b(Role::Owner)).await;
        Self { app, a, b }
    }

    /// A viewer of the first household, who may read.
    pub fn viewer(&self) -> Person<'_> {
        self.app.as_role(Role::Viewer)
    }

    /// The answer to a viewer.
    pub async fn read(&self, action: &str, arguments: Value) -> Value {
        self.viewer().done(action, arguments).await
    }

    /// The error for a viewer.
    pub async fn problem(&self, action: &str, arguments: Value) -> Problem {
        self.viewer().problem(action, arguments).await
    }

    /// Moves the clock over all looks for calls whose outcome is unknown.
    pub async fn until_the_last_look(&self) {
        for wait in [61, 5 * 60 + 1, 30 * 60 + 1, 24 * 60 * 60 + 1] {
            self.app.clock.advance(wait);
            self.app.engine.end_overdue_calls().await.unwrap();
            self.app.engine.look_up_effects().await.unwrap();
        }
    }

    pub async fn set(&self, settings: Value) {
        self.app.owner().done("packs.update", json!({ "slug": "media", "settings": settings })).await;
    }

    /// Gives an upstream another address, with its key.
    pub async fn move_to(&self, fake: &Fake, url: &str) {
        let (owner, name) = (self.app.owner(), fake.upstream()["name"].clone());
        owner.done("upstreams.update", json!({ "name": name, "base_url": format!("{url}/") })).await;
        owner.done("upstreams.set_secret", json!({ "name": name, "secret": fake.key() })).await;
    }
}
