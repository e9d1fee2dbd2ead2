//! Pages of the audit log with a filter that few rows pass.

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::App;

/// Inserts `count` copies of the only row of a read, a second apart, the first a second after it.
async fn later_reads(app: &App, count: usize) {
    const SAME: &str = "workspace_id, action, permission_level, via, surface, principal_kind, principal_id, \
        system_admin, caller_type, decision, always_allow, arguments, duration_ms, request_id, kind, outcome";
    let (numbers, id) = app.db.numbered_rows(count);
    let sql = format!(
        "{numbers} INSERT INTO action_log ({SAME}, id, occurred_at) \
         SELECT {SAME}, {id}, occurred_at + CAST(n AS BIGINT) * 1000000 FROM action_log, numbers \
         WHERE action = 'platform_list_agents'"
    );
    app.db.raw_sql(&sql).await;
}

#[both_databases]
async fn a_page_of_a_filter_reads_10_000_rows_and_continues(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Scout"})).await;
    app.clock.advance(1);
    owner.done("list_agents", json!({})).await;
    later_reads(&app, 10_000).await;
    app.clock.advance(20_000);
    let list = async |mut filter: Value, cursor: &Value| {
        if !cursor.is_null() {
            filter["cursor"] = cursor.clone();
        }
        let page = owner.done("audit.list", filter).await;
        (page["items"].as_array().unwrap().len(), page["next_cursor"].clone())
    };
    let created = json!({"action": ["platform_create_agent"]});
    let (found, next) = list(created.clone(), &Value::Null).await;
    assert!(found == 0 && next.is_string(), "{found} {next}");
    assert_eq!(list(created, &next).await, (1, Value::Null));

    // Rows that match fill each page, and the last one ends with the log.
    let listed = json!({"action": ["platform_list_agents"], "limit": 100});
    let (mut rows, mut pages, mut next) = (0, 0, Value::Null);
    loop {
        let page = list(listed.clone(), &next).await;
        (rows, pages, next) = (rows + page.0, pages + 1, page.1);
        if next.is_null() {
            break;
        }
    }
    assert_eq!((rows, pages), (10_001, 101));
}
