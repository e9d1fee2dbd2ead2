//! Checkpoints that are written during a verification.

use secrecy::SecretString;
use toolcrib_store::Db;
use toolcrib_testkit::{NOW, sqlite};

use super::*;
use crate::audit::chain::{
    AuditKey,
    places::{HOME, three},
};

async fn signed(db: &Db, checkpoint: Checkpoint) {
    let mut tx = db.begin_write_as_worker().await.unwrap();
    chain::insert_checkpoints(&mut tx, &[checkpoint]).await.unwrap();
    tx.commit().await.unwrap();
}

/// Another process signs an earlier link late. On PostgreSQL a transaction sees what others commit meanwhile;
/// here a second transaction simulates that.
#[tokio::test]
async fn a_checkpoint_for_a_place_that_was_passed_already_is_held_against_it() {
    let db = sqlite().await;
    let links = three(&db).await;
    let key =
        AuditKey::from_setting(&SecretString::from("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")).unwrap();
    let trusted = TrustedKeys::new(&key, &[]).unwrap();
    signed(&db, key.sign(HOME, &links[2].head(), NOW)).await;
    let request = VerifyRequest::of(&trusted);
    let mut tx = db.read(HOME).await.unwrap();
    let mut walk = ChainVerifier::begin(&mut tx, &request).await.unwrap();
    walk.page(&mut tx, links.clone()).await.unwrap();
    tx.end().await.unwrap();
    let removed = walk.found.defects;
    signed(&db, key.sign(HOME, &links[0].head(), NOW)).await;
    signed(&db, key.sign(HOME, &Head { seq: 2, ..Head::start() }, NOW)).await;
    let mut tx = db.read(HOME).await.unwrap();
    walk.checkpoints(&mut tx).await.unwrap();
    tx.end().await.unwrap();
    let found = walk.found;
    assert_eq!((found.checkpoints, found.signed_seq, found.defects), (2, 3, removed + 1), "{found:?}");
    let last = found.problems.last().unwrap();
    assert_eq!((last.seq, last.problem.as_str()), (2, "its hash is not the one that was signed"));
}
