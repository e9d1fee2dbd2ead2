//! What writes look up besides their target. Few steps in the walkthrough, so that they are counted here.

use serde_json::json;
use toolcrib_testkit::{TestDb, sqlite};

use super::{Meter, SIZES, fill};
use crate::world::world;

/// A thousand keys of other agents for a size of 1.
const KEYS: &str = "WITH RECURSIVE numbers(n) AS \
    (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000 * {size}) \
    INSERT INTO keys (workspace_id, id, kind, name, secret_hash, agent_id, scopes, caller_types, created_at) \
    SELECT (SELECT workspace_id FROM agents LIMIT 1), randomblob(16), 'agent', 'Key ' || n, x'00', \
    randomblob(16), '[]', '[]', n FROM numbers; ANALYZE";

/// The steps of a document's look-up by its title, of a new agent's defaults and of a deleted agent's keys.
async fn steps(db: TestDb, size: u64) -> [u64; 3] {
    let world = world(db).await;
    fill(&world, size).await;
    world.db.raw_sql(&KEYS.replace("{size}", &size.to_string())).await;
    let owner = world.owner();
    let mut meter = Meter::new(&world.db).await;
    owner.done("reprocess_document", json!({"document": "Policy 1"})).await;
    let by_title = meter.read().await;
    meter.reset().await;
    owner.done("create_agent", json!({"name": "New", "model": "gpt-4o-mini"})).await;
    let defaults = meter.read().await;
    let deletion = owner.pending("delete_agent", json!({"agent": "New"})).await;
    meter.reset().await;
    owner.approve(deletion).await.unwrap();
    [by_title, defaults, meter.read().await]
}

#[tokio::test(flavor = "multi_thread")]
async fn look_ups_of_writes_use_indexes() {
    let (small, large) = tokio::join!(steps(sqlite().await, SIZES[0]), steps(sqlite().await, SIZES[1]));
    println!("{small:?} steps, and {large:?} with four times the rows");
    for (few, many) in small.iter().zip(large) {
        assert!(many <= few * 110 / 100 + 100, "{small:?} steps, and {large:?} with four times the rows");
    }
}
