//! Appends during signing.

use toolcrib_testkit::sqlite;

use super::*;
use crate::audit::chain::places::{HOME, three};

#[tokio::test]
async fn a_chain_that_others_extend_meanwhile_still_has_the_place_that_was_seen() {
    let db = sqlite().await;
    let links = three(&db).await;
    let mut tx = db.read(HOME).await.unwrap();
    for link in &links {
        assert!(still_in_chain(&mut tx, &link.head()).await.unwrap(), "{}", link.seq);
    }
    assert!(still_in_chain(&mut tx, &Head::start()).await.unwrap());
    let made_anew = Head { hash: links[0].hash.clone(), ..links[1].head() };
    let cut = Head { seq: 4, ..links[2].head() };
    for head in [made_anew, cut] {
        assert!(!still_in_chain(&mut tx, &head).await.unwrap(), "{head:?}");
    }
    tx.end().await.unwrap();
}
