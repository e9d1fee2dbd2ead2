//! Known credentials do not wait for unknown ones.

use toolcrib_model::{IdGen as _, SystemIds};
use toolcrib_store::keys::{self, KeyRow};
use toolcrib_testkit::{NOW, TestIds, clock, key_row, seed, write};

use super::*;
use crate::issuer::LocalIssuer;

#[tokio::test]
async fn a_known_key_does_not_wait_behind_unknown_ones() {
    const SECRET: [u8; 32] = [3; 32];
    let (db, clock) = (toolcrib_testkit::sqlite().await, Arc::new(clock()));
    let world = seed(&db, &*clock, &TestIds::default()).await;
    let folder = tempfile::tempdir().unwrap();
    let issuer = Arc::new(LocalIssuer::load_or_create(folder.path(), &SystemIds, NOW).unwrap());
    let auth = Authenticator::new(db.clone(), clock, LocalIssuer::settings(), issuer, Arc::default());
    let call =
        async |header: &str| auth.authenticate(Resource::Api, Some(header), [192, 0, 2, 1].into()).await;
    let mut headers = Vec::new();
    for _ in 0..2 {
        let id = SystemIds.new_id(NOW);
        let row = KeyRow {
            secret_hash: secret::hash(&SECRET).to_vec(),
            role: Some("editor".into()),
            ..key_row(world.workspace, id, "service")
        };
        write(&db, world.workspace, async |tx| keys::insert(tx, &row).await).await.unwrap();
        headers.push(format!("Bearer {}", secret::format_key(id, &SECRET)));
    }
    let (known, new) = (&headers[0], &headers[1]);
    assert!(call(known).await.is_ok());
    let mut permits = Vec::new();
    while let Some(permit) = auth.verifications.acquire(false).now_or_never() {
        permits.push(permit);
    }
    let waiting = call(new);
    tokio::pin!(waiting);
    assert!(waiting.as_mut().now_or_never().is_none());
    assert!(call(known).await.is_ok());
    assert!(waiting.as_mut().now_or_never().is_none(), "nobody gave a place back");
    drop(permits);
    assert!(waiting.await.is_ok());
}
