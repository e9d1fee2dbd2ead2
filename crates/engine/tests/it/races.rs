//! Several people decide at once: there is one winner, one effect and one line of history.
//!
//! Ten rounds on each database, or a thousand with `SOAK=1`. Prints the counts.

use std::{
    collections::{BTreeMap, HashMap},
    pin::pin,
    sync::Arc,
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::{sync::Barrier, time::timeout};
use toolcrib_engine::ApproveRequest;
use toolcrib_model::{Clock as _, Id, Role};
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace, soak};

use crate::{
    people::{outbox, rows},
    things::app,
};

fn rounds() -> usize {
    soak(10, 1_000)
}

/// The decision that one person tries.
#[derive(Clone, Copy)]
enum Try {
    Approve,
    Deny,
}

/// The final statuses, and how many rounds ended with each.
type Counts = BTreeMap<String, usize>;

/// Whether the engine accepted the decision of one person.
async fn decide(app: &App, id: Id, what: Try, role: Role) -> bool {
    let person = app.as_role(role);
    let decided = match what {
        Try::Approve => person.approve_once(id, ApproveRequest::default()).await.map(drop),
        Try::Deny => person.deny(id, "no").await.map(drop),
    };
    if let Err(error) = &decided {
        let code = error.code.as_str();
        assert!(matches!(code, "already_decided" | "expired"), "{code}: {error:?}");
    }
    decided.is_ok()
}

/// Everybody decides at once. Returns how many decisions were accepted. With `ends`, the confirmation expires
/// after that time.
async fn all_at_once(app: &Arc<App>, id: Id, tries: &[Try], ends: Option<Duration>) -> usize {
    let begin = Arc::new(Barrier::new(tries.len() + 1));
    let tasks = tries.iter().enumerate().map(|(n, what)| {
        let (app, begin, what) = (app.clone(), begin.clone(), *what);
        tokio::spawn(async move {
            let role = if n % 2 == 0 { Role::Owner } else { Role::Admin };
            begin.wait().await;
            decide(&app, id, what, role).await
        })
    });
    let mut deciding = pin!(join_all(tasks.collect::<Vec<_>>()));
    begin.wait().await;
    let mut won = None;
    if let Some(ends) = ends {
        // After this time the confirmation expires for everybody.
        won = timeout(ends, &mut deciding).await.ok();
        app.clock.advance(901);
        app.engine.expire_overdue().await.map(drop).unwrap();
    }
    let won = match won {
        Some(won) => won,
        None => deciding.await,
    };
    won.into_iter().filter(|won| *won.as_ref().unwrap()).count()
}

/// Checks what must hold for every confirmation, however many people decided. Returns its status.
async fn check(app: &App, id: Id, name: &str, won: usize) -> String {
    let view = app.owner().confirmation(id).await.unwrap();
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

/// Checks that each confirmation has one event of each step that counts, and none of another.
async fn check_events(app: &App, ended: &HashMap<Id, String>) {
    let mut told: HashMap<Id, Vec<String>> = HashMap::new();
    for event in outbox(app).await.into_iter().filter(|event| event.kind == "permission") {
        let data: Value = serde_json::from_str(&event.data).unwrap();
        let id = data["confirmation_id"].as_str().unwrap().parse().unwrap();
        told.entry(id).or_default().push(event.name);
    }
    for (id, status) in ended {
        let end: &[&str] = match status.as_str() {
            "executed" => &["permission_granted", "tool_use"],
            "denied" => &["permission_denied"],
            _ => &["permission_expired"],
        };
        assert_eq!(told[id], [&["awaiting_permission"][..], end].concat(), "{status}");
    }
}

async fn race(db: TestDb, what: &str, tries: &[Try], ends: bool) {
    let app = Arc::new(app(db).await);
    change_workspace(&app.db, app.a.workspace, |row| row.settings.read_per_minute = 1_000_000).await;
    let (mut counts, mut ended) = (Counts::new(), HashMap::new());
    for round in 0..rounds() {
        let name = format!("t{round}");
        let id = app.owner().pending("create_thing", json!({ "name": name, "dangerous": true })).await;
        // At another moment each round.
        let moment = Duration::from_micros(u64::try_from(round * 617 % 8_000).unwrap());
        let won = all_at_once(&app, id, tries, ends.then_some(moment)).await;
        let status = check(&app, id, &name, won).await;
        *counts.entry(status.clone()).or_default() += 1;
        ended.insert(id, status);
    }
    check_events(&app, &ended).await;
    let (kind, now) = (app.db.kind(), app.clock.now());
    println!("{what}, one process on {kind}: {} rounds, {counts:?} (until {now})", rounds());
    assert_eq!(counts.values().sum::<usize>(), rounds());
}

fn everybody() -> Vec<Try> {
    [Try::Approve, Try::Deny, Try::Approve].into_iter().cycle().take(31).collect()
}

#[both_databases]
async fn thirty_two_approve_soak(db: TestDb) {
    race(db, "32 approve", &[Try::Approve; 32], false).await;
}

#[both_databases]
async fn approve_deny_and_time_soak(db: TestDb) {
    race(db, "approve, deny, expire", &everybody(), true).await;
}

/// The action of every approval fails. So its transaction starts again, which on PostgreSQL gives the lock
/// of the record back before the record is changed.
#[both_databases]
async fn sixteen_approve_what_fails_soak(db: TestDb) {
    let app = Arc::new(app(db).await);
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1_000_000).await;
    for round in 0..rounds() {
        let name = format!("t{round}");
        app.owner().done("insert_thing", json!({ "name": name })).await;
        let id = app.owner().pending("insert_thing", json!({ "name": name, "dangerous": true })).await;
        assert_eq!(all_at_once(&app, id, &[Try::Approve; 16], None).await, 1, "one winner");
        let view = app.owner().confirmation(id).await.unwrap();
        let steps: Vec<&str> = view.history.iter().map(|step| step.status.as_str()).collect();
        assert_eq!(steps, ["pending", "failed"], "the history is one line");
        let calls = rows(&app, "call", Some(id)).await;
        assert_eq!(calls.iter().filter(|row| row.outcome == "failed").count(), 1, "one call is recorded");
    }
    println!("16 approve what fails, on {}: {} rounds", app.db.kind(), rounds());
}
