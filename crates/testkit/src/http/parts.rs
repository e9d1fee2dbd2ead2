//! What a router is made of.

use std::{path::Path, sync::Arc};

use tempfile::TempDir;
use toolcrib_auth::{
    Authenticator, TokenSettings,
    issuer::{ISSUER, LocalIssuer},
    secret_cipher::SecretCipher,
};
use toolcrib_engine::{Catalog, Engine, EngineSettings, grants::LocalGrants, limits::LocalLimiter};
use toolcrib_model::{Clock as _, Id, TestClock};
use toolcrib_store::workspaces;

use crate::{
    NOW, TestDb, TestIds, app::with_shared_index, clock, seed, seed_named, world::insert_members, write,
};

/// A database with two workspaces, and what an engine and a router over it need.
pub struct HttpParts {
    pub db: TestDb,
    /// The clock, which only the test moves.
    pub clock: Arc<TestClock>,
    pub ids: Arc<TestIds>,
    /// The first workspace. Its members' subjects are the names of their roles.
    pub a: Id,
    /// The second workspace. Its members' subjects begin with `b-`.
    pub b: Id,
    folder: TempDir,
}

impl HttpParts {
    /// Makes two workspaces with a member of each role, which allow `writes` calls a minute.
    pub async fn new(db: TestDb, writes: i64) -> Self {
        let (clock, ids) = (Arc::new(clock()), Arc::new(TestIds::default()));
        let a = seed(&db, clock.as_ref(), ids.as_ref()).await.workspace;
        let b = seed_named(&db, clock.as_ref(), ids.as_ref(), "b-").await.workspace;
        add_members(&db, &ids, a, "", writes).await;
        add_members(&db, &ids, b, "b-", writes).await;
        Self { db, clock, ids, a, b, folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Returns an engine with these actions, which knows the caller types of the catalogue's rules.
    pub fn engine(&self, catalog: Catalog, public_url: &str) -> Arc<Engine> {
        let settings = EngineSettings { public_url: public_url.to_owned(), ..crate::app::settings(&catalog) };
        let limiter = Arc::new(LocalLimiter::new(self.clock.clone()));
        let grants = Arc::new(LocalGrants::new(self.clock.clone()));
        let (db, clock, ids) = ((*self.db).clone(), self.clock.clone(), self.ids.clone());
        Engine::new(db, Arc::new(with_shared_index(catalog)), clock, ids, limiter, grants, settings)
    }

    /// Returns what verifies credentials, with these settings for tokens.
    pub fn authenticator(&self, tokens: TokenSettings) -> Arc<Authenticator> {
        let issuer = Arc::new(self.issuer());
        let (db, clock, cipher) = ((*self.db).clone(), self.clock.clone(), self.secret_cipher());
        Arc::new(Authenticator::new(db, clock, tokens, issuer, cipher))
    }

    /// Returns a cipher of secrets. All ciphers of these parts have the same key.
    pub fn secret_cipher(&self) -> Arc<SecretCipher> {
        Arc::new(SecretCipher::in_folder(self.folder()))
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn issuer(&self) -> LocalIssuer {
        let issuer = LocalIssuer::load_or_create(self.folder(), self.ids.as_ref(), self.clock.now());
        issuer.expect("the issuer's key is created")
    }
}

/// Adds members whose tokens the local issuer signs.
async fn add_members(db: &TestDb, ids: &TestIds, workspace: Id, prefix: &str, writes: i64) {
    let added = write(db, workspace, async |tx| {
        insert_members(tx, ids, ISSUER, prefix, NOW).await?;
        let mut row = workspaces::get(tx).await?.expect("the workspace was seeded");
        row.settings.write_per_minute = writes;
        row.default_model = Some("gpt-4o-mini".into());
        workspaces::update(tx, &row, NOW).await
    });
    added.await.expect("the members are added");
}
