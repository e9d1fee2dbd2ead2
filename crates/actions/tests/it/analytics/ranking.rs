//! The ranking of agents.

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases};

use super::{Log, agent, fields, noise, rows, run};
use crate::harness::App;

#[both_databases]
async fn agents_are_ranked_by_each_metric_and_none_below_five(db: TestDb) {
    let app = App::new(db).await;
    noise(&app).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let ada = agent(&owner, "Ada", "coder").await;
    let bob = agent(&owner, "Bob", "coder").await;
    let cy = agent(&owner, "Cy", "coder").await;
    let dee = agent(&owner, "Dee", "coder").await;
    agent(&owner, "Idle", "coder").await;
    let took = |seconds: i64, status| run("01-15T08:00:00", &format!("01-15T08:00:{seconds:02}"), status);
    // Ada: 4 of 5. Bob: 5 of 6, of 50 s each. Dee: 5 of 5, of 10, 20, 30, 40 and 50 s. Cy: 4, and one that
    // ended before the 30 days, which begin at 2025-12-16T10:00Z. Cancelled executions do not count.
    log.runs([10, 20, 30, 40].map(|s| took(s, "completed").by(&ada))).await;
    log.runs([took(5, "failed").by(&ada), took(5, "cancelled").by(&cy), took(5, "failed").by(&bob)]).await;
    log.runs([50; 5].map(|s| took(s, "completed").by(&bob))).await;
    log.runs([1; 4].map(|s| took(s, "completed").by(&cy))).await;
    log.runs([run("2025-12-16T09:00:00", "2025-12-16T09:59:59.999999", "completed").by(&cy)]).await;
    log.runs([10, 20, 30, 40, 50].map(|s| took(s, "completed").by(&dee))).await;
    let names = ["rank", "name", "agent_id", "value", "samples"];
    let counts = ["metric", "min_samples", "compared", "below_min_samples"];
    let best = owner.done("get_agent_ranking", json!({})).await;
    assert_eq!(
        rows(&best["items"], &names),
        json!([[1, "Dee", dee, 100.0, 5], [2, "Bob", bob, 83.3, 6], [3, "Ada", ada, 80.0, 5]])
    );
    assert_eq!(fields(&best, &counts), json!(["success_rate", 5, 3, 1]));
    // Ada completed only four. The median of Dee's five is 30 s, and faster is better.
    let fast = owner.done("get_agent_ranking", json!({"metric": "median_time"})).await;
    assert_eq!(rows(&fast["items"], &names), json!([[1, "Dee", dee, 30.0, 5], [2, "Bob", bob, 50.0, 5]]));
    assert_eq!(fields(&fast, &counts), json!(["median_time", 5, 2, 2]));
    // Bob and Dee have five each, so they share the first rank, and the next rank is the third.
    let most = owner.done("get_agent_ranking", json!({"metric": "completed"})).await;
    assert_eq!(
        rows(&most["items"], &names),
        json!([[1, "Bob", bob, 5.0, 6], [1, "Dee", dee, 5.0, 5], [3, "Ada", ada, 4.0, 5]])
    );
    let one = owner.done("get_agent_ranking", json!({"limit": 1})).await;
    assert_eq!((rows(&one["items"], &["name"]), &one["compared"]), (json!([["Dee"]]), &json!(3)));
    // An execution at the first moment of the 30 days is Cy's fifth.
    log.runs([run("2025-12-16T09:00:00", "2025-12-16T10:00:00", "completed").by(&cy)]).await;
    let five = owner.done("get_agent_ranking", json!({})).await;
    assert_eq!(
        rows(&five["items"], &["rank", "name"]),
        json!([[1, "Cy"], [1, "Dee"], [3, "Bob"], [4, "Ada"]])
    );
    owner.confirmed("delete_agent", json!({"agent": "Cy"})).await;
    assert_eq!(owner.done("get_agent_ranking", json!({})).await["compared"], json!(3));
}
