//! Deciders at once: one winner, one effect, a history in one line.
//!
//! Twenty rounds on each database; `SOAK=1` makes it a thousand. Prints what it counted.
#![expect(clippy::disallowed_methods, reason = "the number of rounds comes from the environment")]

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use serde_json::json;
use toolcrib_engine::ApproveRequest;
use toolcrib_model::{Clock as _, Id, Role};
use toolcrib_testkit::{App, TestDb, change_workspace};

use crate::{people::rows, things::app};

fn rounds() -> usize {
    if std::env::var("SOAK").is_ok() { 1_000 } else { 20 }
}

/// What one decider tries.
#[derive(Clone, Copy)]
enum Try {
    Approve,
    Deny,
    Expire,
}

/// Who wins: the status, and how many were told that they did.
type Counts = BTreeMap<String, usize>;

/// Everybody tries at once; how many were told that their decision counts. Time runs out at another moment
/// each round.
async fn all_at_once(app: &Arc<App>, id: Id, tries: &[Try], round: usize) -> usize {
    let begin = Arc::new(tokio::sync::Barrier::new(tries.len()));
    let stamp = Duration::from_micros(u64::try_from(round * 617 % 8_000).unwrap());
    let tasks = tries.iter().enumerate().map(|(n, what)| {
        let (app, begin, what) = (app.clone(), begin.clone(), *what);
        tokio::spawn(async move {
            let role = if n % 2 == 0 { Role::Owner } else { Role::Admin };
            begin.wait().await;
            let person = app.as_role(role);
            match what {
                Try::Approve => person.approve_once(id, ApproveRequest::default()).await.map(drop),
                Try::Deny => person.deny(id, "no").await.map(drop),
                Try::Expire => {
                    tokio::time::sleep(stamp).await;
                    // Its time is over from here on, for everybody.
                    app.clock.advance(901);
                    app.engine.expire_overdue().await.map(drop).unwrap();
                    return 0;
                }
            }
            .map_or_else(
                |error| {
                    let code = error.code.as_str();
                    assert!(matches!(code, "already_decided" | "expired"), "{code}: {error:?}");
                    0
                },
                |()| 1,
            )
        })
    });
    let mut won = 0;
    for task in tasks.collect::<Vec<_>>() {
        won += task.await.unwrap();
    }
    won
}

/// What must hold of every record, however many tried.
async fn check(app: &App, id: Id, name: &str, won: usize) -> String {
    let view = app.owner().look(id).await.unwrap();
    let status = view.status.as_str();
    assert_eq!(won, usize::from(status != "expired"), "{status}: one winner, and none where time ran out");
    let steps: Vec<&str> = view.history.iter().map(|step| step.status.as_str()).collect();
    assert_eq!(steps, ["pending", status], "the history is one line");
    assert!(view.history.is_sorted_by_key(|step| step.at));
    let executed = status == "executed";
    let there = app.owner().call("get_thing", json!({ "name": name })).await.status();
    assert_eq!(there, if executed { 200 } else { 404 }, "{status}");
    let calls = rows(app, "call", Some(id)).await;
    let ran = calls.iter().filter(|row| row.outcome == "succeeded").count();
    assert_eq!(ran, usize::from(executed), "one effect");
    let decisions = rows(app, "confirmation", Some(id)).await;
    let counted =
        decisions.iter().filter(|row| row.outcome == "succeeded" || row.decision == "expired").count();
    assert_eq!(counted, 1, "one decision is written down as the one that counts");
    status.to_owned()
}

async fn race(db: TestDb, what: &str, tries: &[Try]) {
    let app = Arc::new(app(db).await);
    change_workspace(&app.db, app.a.workspace, |row| row.read_per_minute = 1_000_000).await;
    let mut counts = Counts::new();
    for round in 0..rounds() {
        let name = format!("t{round}");
        let id = app.owner().asked("create_thing", json!({ "name": name, "dangerous": true })).await;
        let won = all_at_once(&app, id, tries, round).await;
        *counts.entry(check(&app, id, &name, won).await).or_default() += 1;
    }
    let (kind, now) = (app.db.kind(), app.clock.now());
    println!("{what}, one process on {kind}: {} rounds, {counts:?} (until {now})", rounds());
    assert_eq!(counts.values().sum::<usize>(), rounds());
}

/// Eight of each, in turn.
fn everybody() -> Vec<Try> {
    [Try::Approve, Try::Deny, Try::Approve].into_iter().cycle().take(31).chain([Try::Expire]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_two_approve_on_sqlite_soak() {
    race(toolcrib_testkit::sqlite().await, "32 approve", &[Try::Approve; 32]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thirty_two_approve_on_postgres_soak() {
    race(toolcrib_testkit::postgres().await, "32 approve", &[Try::Approve; 32]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn approve_deny_and_time_on_sqlite_soak() {
    race(toolcrib_testkit::sqlite().await, "approve, deny, expire", &everybody()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn approve_deny_and_time_on_postgres_soak() {
    race(toolcrib_testkit::postgres().await, "approve, deny, expire", &everybody()).await;
}
