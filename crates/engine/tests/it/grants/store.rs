//! A store of grants that returns grants it should not.

use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, FutureExt as _, ready};
use toolcrib_engine::{
    Engine,
    grants::{Grant, GrantKey, Grants, Unavailable},
    limits::LocalLimiter,
};
use toolcrib_model::{Clock as _, Id, Role, SystemIds};
use toolcrib_testkit::{App, TestDb, both_databases};

use super::{app, chat, grant, granted_by};

/// Returns one grant for every key, even after it has expired.
struct Careless(Mutex<Option<Grant>>);

impl Grants for Careless {
    fn put(&self, grant: Grant) -> BoxFuture<'_, Result<(), Unavailable>> {
        *self.0.lock().unwrap() = Some(grant);
        ready(Ok(())).boxed()
    }

    fn find<'g>(&'g self, _: &'g GrantKey) -> BoxFuture<'g, Result<Option<Grant>, Unavailable>> {
        ready(Ok(self.0.lock().unwrap().clone())).boxed()
    }

    fn list<'g>(&'g self, _: Id, _: Option<&'g str>) -> BoxFuture<'g, Result<Vec<Grant>, Unavailable>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn remove<'g>(&'g self, _: &'g GrantKey) -> BoxFuture<'g, Result<bool, Unavailable>> {
        ready(Ok(self.0.lock().unwrap().take().is_some())).boxed()
    }
}

#[both_databases]
async fn grants_from_the_store_are_checked_again(db: TestDb) {
    let app = app(db).await;
    let store = Arc::new(Careless(Mutex::default()));
    let engine = Engine::new(
        (*app.db).clone(),
        app.engine.catalog().clone(),
        app.clock.clone(),
        Arc::new(SystemIds),
        Arc::new(LocalLimiter::new(app.clock.clone())),
        store.clone(),
        app.engine.settings().clone(),
    );
    let app = App { engine, ..app };
    let owner = chat(&app, Role::Owner, "s1");
    let good = grant(&app, "platform_create_thing", "s1");
    let now = app.clock.now();
    for (name, given, counts) in [
        ("its own", good.clone(), true),
        ("of another conversation", grant(&app, "platform_create_thing", "s2"), false),
        ("of another action", grant(&app, "platform_slow_thing", "s1"), false),
        ("about to end", Grant { expires_at: now.plus_seconds(1), ..good.clone() }, true),
        ("ended at this moment", Grant { expires_at: now, ..good.clone() }, false),
        ("ended long ago", Grant { expires_at: now.plus_seconds(-60), ..good }, false),
    ] {
        store.put(given).await.unwrap();
        assert_eq!(granted_by(&owner, name).await, counts.then_some("session"), "{name}");
    }
}
