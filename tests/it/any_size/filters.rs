//! Lists with a filter that few rows pass, which are among the oldest: a page takes as much work in a large
//! workspace as in a small one.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, postgres, sqlite};

use super::{FEW_ROWS, Meter, SIZES, fill};
use crate::world::world;

/// The rows that pass the filter of a list. The first 50 playbooks have more executions in the large
/// workspace, so that rows after these are taken.
const FEW: usize = 5;
const SKIPPED: usize = 100;
/// Each table with its filtered column, the value of the few rows, and that of the others.
const COLUMNS: [(&str, &str, &str, &str); 7] = [
    ("agents", "status", "inactive", "active"),
    ("documents", "status", "failed", "indexed"),
    ("missions", "state", "failed", "completed"),
    ("playbooks", "status", "inactive", "active"),
    ("schedules", "status", "paused", "completed"),
    ("tasks", "status", "blocked", "done"),
    ("tasks", "priority", "urgent", "low"),
];
/// Tables of which an agent has few rows.
const OF_AGENTS: [&str; 4] = ["memories", "reports", "schedules", "tasks"];

/// Gives old rows of each table the rare value, and other old rows an agent of their own.
fn rare_values() -> String {
    let oldest = |table: &str, skipped: usize| {
        format!("(SELECT id FROM {table} ORDER BY created_at, id LIMIT {FEW} OFFSET {skipped})")
    };
    let filtered = COLUMNS.map(|(table, column, rare, common)| {
        let few = oldest(table, SKIPPED);
        format!(
            "UPDATE {table} SET {column} = '{common}'; \
             UPDATE {table} SET {column} = '{rare}' WHERE id IN {few};"
        )
    });
    let owned = OF_AGENTS.map(|table| {
        let few = oldest(table, SKIPPED + FEW);
        format!(
            "UPDATE {table} SET agent_id = (SELECT id FROM agents WHERE name = 'Rare') WHERE id IN {few};"
        )
    });
    let few = oldest("memories", SKIPPED + 2 * FEW);
    let tagged = format!(
        "INSERT INTO memory_tags SELECT workspace_id, 'rare', created_at, id FROM memories \
             WHERE id IN {few}; \
         UPDATE memories SET tags = '[\"rare\"]' WHERE id IN {few};"
    );
    filtered.concat() + &owned.concat() + &tagged
}

fn lists() -> Vec<(&'static str, Value)> {
    let agent = json!({"agent": "Rare"});
    vec![
        ("list_agents", json!({"status": "inactive"})),
        ("list_documents", json!({"status": "failed"})),
        ("list_missions", json!({"state": "failed"})),
        ("list_playbooks", json!({"status": "inactive"})),
        ("list_scheduled_tasks", json!({"status": "paused"})),
        ("list_tasks", json!({"status": "blocked"})),
        ("list_tasks", json!({"priority": "urgent"})),
        ("browse_memories", agent.clone()),
        ("browse_memories", json!({"tag": "rare"})),
        ("list_scheduled_tasks", agent.clone()),
        ("list_tasks", agent),
    ]
}

/// The work of each list, and of the latest report of an agent.
async fn work(db: TestDb, size: u64) -> BTreeMap<String, u64> {
    let world = world(db).await;
    fill(&world, size).await;
    let owner = world.owner();
    owner.done("create_agent", json!({"name": "Rare", "model": "gpt-4o-mini"})).await;
    world.db.raw_sql(&rare_values()).await;
    // PostgreSQL counts the former versions of rows too, until they are removed.
    world.db.raw_sql(if world.db.kind() == "sqlite" { "ANALYZE" } else { "VACUUM ANALYZE" }).await;
    let (mut meter, mut work) = (Meter::new(&world.db).await, BTreeMap::new());
    for (action, filter) in lists() {
        meter.reset().await;
        let page = owner.done(action, filter.clone()).await;
        work.insert(format!("{action} {filter}"), meter.read().await);
        assert_eq!(page["items"].as_array().unwrap().len(), FEW, "{action} {filter}: {page}");
    }
    meter.reset().await;
    owner.done("get_latest_report", json!({"agent": "Rare"})).await;
    work.insert("get_latest_report".into(), meter.read().await);
    work
}

fn compare(small: &BTreeMap<String, u64>, large: &BTreeMap<String, u64>, noise: u64) {
    for (list, few) in small {
        println!("{list}: {few}, {}", large[list]);
    }
    for (list, few) in small {
        let many = large[list];
        assert!(many <= few * 110 / 100 + noise, "`{list}`: {few}, and {many} with four times the rows");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rare_rows_are_listed_with_few_steps() {
    let (small, large) = tokio::join!(work(sqlite().await, SIZES[0]), work(sqlite().await, SIZES[1]));
    compare(&small, &large, 100);
}

#[tokio::test(flavor = "multi_thread")]
async fn few_rows_are_read_for_rare_ones() {
    let (small, large) = tokio::join!(work(postgres().await, SIZES[0]), work(postgres().await, SIZES[1]));
    compare(&small, &large, FEW_ROWS);
}
