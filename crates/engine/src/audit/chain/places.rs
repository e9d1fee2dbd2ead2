//! A short chain for tests.

use toolcrib_model::Id;
use toolcrib_store::audit::chain::{Head, Link};
use toolcrib_testkit::{NOW, TestDb};

/// The workspace of the chain.
pub const HOME: Id = Id::from_u128(1);

/// Inserts three links. They have no audit rows, because the tests read only the chain.
pub async fn three(db: &TestDb) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    let mut head = Head::start();
    for n in 1..=3 {
        let mut link = Link {
            workspace_id: HOME,
            seq: head.seq + 1,
            row_id: Id::from_u128(n),
            row_hash: String::new(),
            prev_hash: head.hash,
            hash: String::new(),
            newest: NOW,
            sealed_at: NOW,
        };
        link.hash = link.digest();
        let Link { seq, prev_hash, hash, .. } = &link;
        db.raw_sql(&format!(
            "INSERT INTO audit_chain (workspace_id, seq, row_id, row_hash, prev_hash, hash, newest, sealed_at) \
             VALUES (x'{}', {seq}, x'{}', '', '{prev_hash}', '{hash}', {at}, {at})",
            HOME.simple(),
            link.row_id.simple(),
            at = NOW.as_micros()
        ))
        .await;
        head = link.head();
        links.push(link);
    }
    links
}
