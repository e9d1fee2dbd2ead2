//! What writes look up besides their target. Few steps in the walkthrough, so that they are counted here.

use serde_json::json;
use toolcrib_testkit::{TestDb, postgres, sqlite};

use super::{FEW_ROWS, Meter, SIZES, fill};
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

const SAME: &str = "workspace_id, action, permission_level, via, surface, principal_kind, principal_id, \
    system_admin, caller_type, always_allow, arguments, duration_ms, request_id";

/// The work of a page of calls, in a log where nearly half of the calls waited, were approved, and ran.
async fn page_of_calls(db: TestDb, size: u64) -> u64 {
    let world = world(db).await;
    fill(&world, size).await;
    let id = if world.db.kind() == "sqlite" { "randomblob(16)" } else { "gen_random_uuid()" };
    for (kind, via, decision, outcome, later) in [
        ("call", "direct", "confirmation_required", "not_run", 1),
        ("confirmation", "direct", "approved", "succeeded", 2),
        ("call", "confirmation", "approved", "succeeded", 3),
    ] {
        let same = SAME.replace("via", &format!("'{via}'"));
        let sql = format!(
            "INSERT INTO action_log \
                ({SAME}, id, occurred_at, kind, decision, outcome, confirmation_id, reason) \
             SELECT {same}, {id}, occurred_at + {later}, '{kind}', '{decision}', '{outcome}', id, \
                 CASE WHEN '{kind}' = 'confirmation' THEN 'approve' END \
             FROM action_log \
             WHERE action = 'platform_list_tasks' AND kind = 'call' AND confirmation_id IS NULL"
        );
        world.db.raw_sql(&sql).await;
    }
    world.db.raw_sql(if world.db.kind() == "sqlite" { "ANALYZE" } else { "VACUUM ANALYZE" }).await;
    let (owner, mut meter) = (world.owner(), Meter::new(&world.db).await);
    meter.reset().await;
    let asked = json!({"group": "call", "limit": 50});
    let page = owner.done("audit.list", asked).await;
    let items = page["items"].as_array().unwrap();
    assert_eq!(items.len(), 50);
    assert!(items.iter().any(|call| call["steps"][2]["step"] == "ran"), "{}", items[0]);
    meter.read().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_calls_takes_as_many_steps_in_a_long_log() {
    let (few, many) =
        tokio::join!(page_of_calls(sqlite().await, SIZES[0]), page_of_calls(sqlite().await, SIZES[1]));
    println!("{few} steps, and {many} with four times the rows");
    assert!(many <= few * 110 / 100 + 100, "{few} steps, and {many} with four times the rows");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_calls_reads_as_many_rows_in_a_long_log() {
    let (few, many) =
        tokio::join!(page_of_calls(postgres().await, SIZES[0]), page_of_calls(postgres().await, SIZES[1]));
    println!("{few} rows, and {many} with four times as many");
    assert!(many <= few * 110 / 100 + FEW_ROWS, "{few} rows, and {many} with four times as many");
}
