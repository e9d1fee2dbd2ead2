//! Of any number of claims of one call, one wins.
//!
//! Three rounds on each database, or three hundred with `SOAK=1`. Prints the counts.

use futures_util::future::join_all;
use toolcrib_model::{ErrorCode, Role};
use toolcrib_testkit::{TestDb, both_databases, soak};

use super::{Runner, done, task, to_run, with_orion};
use crate::harness::App;

fn rounds() -> usize {
    soak(3, 300)
}

#[both_databases]
async fn of_many_claims_one_wins_soak(db: TestDb) {
    let app = App::new(db).await;
    with_orion(&app).await;
    let member = app.as_role(Role::Member);
    let runner = Runner(&app, member.clone());
    for _ in 0..rounds() {
        let id = member.pending("orion__create_task", task()).await;
        let call = to_run(member.approve(id).await.unwrap()).call_id;
        let claims = join_all((0..32).map(|_| runner.claim(call))).await;
        let (won, lost): (Vec<_>, Vec<_>) = claims.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1);
        assert!(lost.iter().all(|claim| claim.as_ref().unwrap_err().code == ErrorCode::Conflict));
        runner.report(call, done(serde_json::json!({}))).await.unwrap();
    }
    println!("32 claim at once, {}: {} rounds, one winner each", app.db.kind(), rounds());
}
