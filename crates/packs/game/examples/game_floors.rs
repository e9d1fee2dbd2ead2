//! What the reads of a graph and a new dependency cost in the largest project, through the whole engine.
//!
//! Prints median and maximum in milliseconds, on SQLite and on the PostgreSQL of `TEST_PG_URL`:
//! `scripts/services cargo run --profile bench-fast -p toolcrib-game --example game_floors`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

use std::{fmt::Write as _, time::Instant};

use serde_json::{Value, json};
use toolcrib_engine::{Catalog, Outcome};
use toolcrib_store::{StoreError, packs};
use toolcrib_testkit::{App, NOW, Person, TestDb, postgres, sqlite, write};

const SYSTEMS: usize = 2_000;
const TIMES: usize = 50;
/// How far behind a system those are that it requires.
const REQUIRED: [usize; 5] = [1, 7, 50, 333, 1_000];

async fn app(db: TestDb) -> App {
    let pack = toolcrib_game::pack();
    db.migrate_packs(&[pack.schema.clone().unwrap()]).await.unwrap();
    let catalog = Catalog::with_packs(vec![], &[pack], None).unwrap_or_else(|defects| panic!("{defects:?}"));
    let app = App::with_catalog(db, catalog).await;
    let on = write(&app.db, app.a.workspace, async |tx| {
        packs::set_enabled(tx, "game:1", NOW).await?;
        Ok::<_, StoreError>(())
    });
    on.await.unwrap();
    app
}

/// The targets of a system, all of them before it: five, or the first ones of all systems.
fn targets(at: usize) -> Vec<usize> {
    let mut targets: Vec<usize> = REQUIRED.iter().filter_map(|back| at.checked_sub(*back)).collect();
    targets
        .extend((0..at).filter(|other| !targets.contains(other)).take(5 - targets.len()).collect::<Vec<_>>());
    targets
}

async fn fill(owner: &Person<'_>) {
    owner.done("game_create_project", json!({ "name": "Quest" })).await;
    for batch in 0..SYSTEMS / 50 {
        let mut markdown = String::new();
        for at in batch * 50..(batch + 1) * 50 {
            write!(markdown, "# System {at}\n\n## System ID\n\ns{at}\n\n## Purpose\n\nText\n\n").unwrap();
            let lines: Vec<String> = targets(at).iter().map(|target| format!("- s{target}\n")).collect();
            if !lines.is_empty() {
                write!(markdown, "## Dependencies\n\n{}\n", lines.concat()).unwrap();
            }
        }
        let arguments = json!({ "project": "Quest", "markdown": markdown });
        owner.done("game_import_system_from_markdown", arguments).await;
    }
}

/// Makes a call many times, each followed by `undo`. Returns the median and the maximum, in milliseconds.
async fn times(owner: &Person<'_>, action: &str, arguments: &Value, undo: Option<&str>) -> (f64, f64) {
    let mut taken = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let begun = Instant::now();
        let answer = owner.call(action, arguments.clone()).await;
        taken.push(begun.elapsed().as_secs_f64() * 1e3);
        assert!(matches!(answer.outcome, Outcome::Completed(_)), "{action}: {:?}", answer.outcome);
        if let Some(undo) = undo {
            owner.done(undo, arguments.clone()).await;
        }
    }
    taken.sort_unstable_by(f64::total_cmp);
    (taken[TIMES / 2], taken[TIMES - 1])
}

async fn measure(name: &str, db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    fill(&owner).await;
    let project = owner.done("game_get_project", json!({ "project": "Quest" })).await;
    println!("{name}: {}", project["counts"]);
    let all: Vec<String> = (0..SYSTEMS).map(|at| format!("s{at}")).collect();
    let of = |mut arguments: Value| {
        arguments["project"] = "Quest".into();
        arguments
    };
    let last = format!("s{}", SYSTEMS - 1);
    let calls = [
        ("game_get_dependency_graph", "whole", of(json!({})), None),
        ("game_get_dependency_graph", "depth 5", of(json!({ "system": "s1000", "depth": 5 })), None),
        ("game_get_impact_analysis", "of the lowest system", of(json!({ "system": "s0" })), None),
        ("game_get_impact_analysis", "of the highest system", of(json!({ "system": last })), None),
        ("game_validate_version_scope", "one system", of(json!({ "systems": [last] })), None),
        ("game_validate_version_scope", "all systems", of(json!({ "systems": all })), None),
        (
            "game_add_dependency",
            "no cycle",
            of(json!({ "source": last, "target": "s3" })),
            Some("game_remove_dependency"),
        ),
    ];
    for (action, which, arguments, undo) in calls {
        let (median, most) = times(&owner, action, &arguments, undo).await;
        println!("  {action}, {which}: {median:.1} ms, at most {most:.1} ms");
    }
}

#[tokio::main]
async fn main() {
    measure("SQLite", sqlite().await).await;
    measure("PostgreSQL", postgres().await).await;
}
