//! Calls take as much work in a large workspace as in a small one. Work is counted, not time: the steps of
//! SQLite's virtual machine, and the rows that PostgreSQL reads. `scripts/scale` measures the time of the
//! same reads.

mod filters;
mod look_ups;
mod meter;

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use toolcrib_engine::{
    Outcome,
    chain::{AuditKey, Sealer, TrustedKeys, VerifyRequest, verify},
};
use toolcrib_model::{Clock as _, Id};
use toolcrib_testkit::{TestDb, postgres, sqlite};

use self::meter::Meter;
use crate::{
    walkthrough::{Saved, steps},
    world::{World, packs, world},
};

/// The sizes that are compared: 1,200 agents and 6,000 audit rows, and four times as many. In the smaller
/// one a search finds as many texts as it looks at already.
const SIZES: [u64; 2] = [3, 12];
/// How much more work a page, a row or a search may be in the large workspace, in percent, and what is
/// never too much.
const MAX_PERCENT: u64 = 150;
const FEW_STEPS: u64 = 1_000;
const FEW_ROWS: u64 = 250;

/// Reads that count rows, and the most steps that each of them takes for a size of 1: 400 agents, 270 tasks,
/// 400 model calls, 200 executions and 2,000 audit rows, of which the activity feed shows 220.
const STATISTICS: [(&str, u64); 21] = [
    ("board_summary", 5_500),
    ("get_activity_feed", 16_000),
    ("get_agent_ranking", 12_500),
    ("get_bottlenecks", 4_800),
    ("get_completion_time", 6_600),
    ("get_cost_breakdown", 15_700),
    ("get_cost_per_execution", 5_700),
    ("get_efficiency_score", 4_500),
    ("get_error_rates", 5_500),
    ("get_llm_usage", 15_000),
    ("get_memory_stats", 7_500),
    ("get_peak_hours", 29_000),
    ("get_predictive_alerts", 8_000),
    ("get_queue_depth", 3_000),
    ("get_sla_compliance", 8_500),
    ("get_success_rate", 2_300),
    ("get_workspace_info", 3_000),
    ("list_blueprints", 6_200),
    ("list_datasources", 800),
    ("list_workspace_models", 1_050),
    ("workspace_stats", 17_000),
];
/// What the fills of packs added, by the names of the walkthrough: the steps behind it go on there, where the
/// rows are.
const FILLED: [(&str, &str); 2] =
    [("QUEST", "00000000-0000-001e-0000-000000000001"), ("BOSSES", "00000000-0000-0023-0000-000000000001")];
/// Calls that count the rows of a project or read its whole graph, both of which the pack `game` limits, and
/// the most steps for a size of 1: 100 systems, 200 threads and 300 changes.
const WHOLE_PROJECTS: [(&str, u64); 15] = [
    ("game_add_dependency", 1_400),
    ("game_create_brainstorm", 1_900),
    ("game_create_game_system", 1_900),
    ("game_create_idea_thread", 1_900),
    ("game_create_version_plan", 4_600),
    ("game_finalize_threads_to_brainstorm", 4_100),
    ("game_finalize_version_plan", 4_300),
    ("game_generate_export", 8_200),
    ("game_get_dependency_graph", 1_400),
    ("game_get_impact_analysis", 1_400),
    ("game_get_project", 1_900),
    ("game_get_version_plan", 1_400),
    ("game_import_system_from_markdown", 3_300),
    ("game_list_game_systems", 1_900),
    ("game_validate_version_scope", 1_400),
];
/// PostgreSQL reads a table of some thousand tasks as a whole, and one of 27,000 by the index of time.
const WHOLE: &str = "list_tasks";

/// The fill of each pack. Fails for a pack without one.
fn fills_of_packs() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let fill = |slug: &str| {
        let mut folders =
            ["crates/packs", "examples/packs"].map(|folder| root.join(folder).join(slug)).into_iter();
        folders.find_map(|folder| fs::read_to_string(folder.join("tests/data/fill.sql")).ok())
    };
    let slugs = packs().into_iter().map(|pack| pack.info.slug);
    slugs.map(|slug| fill(slug).unwrap_or_else(|| panic!("`{slug}` has no `tests/data/fill.sql`"))).collect()
}

/// Fails for a table of a pack that the fills left as it was.
async fn assert_packs_grew(world: &World, size: u64) {
    for schema in packs().into_iter().filter_map(|pack| pack.schema) {
        for table in schema.tables() {
            let rows = world.db.number(&format!("SELECT COUNT(*) FROM {table}")).await;
            assert!(
                rows >= i64::try_from(10 * size).unwrap(),
                "{rows} rows of `{table}`: add some to its fill"
            );
        }
    }
}

/// Adds rows of every kind to the first workspace.
async fn fill(world: &World, size: u64) {
    let id = |id: Id| format!("unhex('{}')", id.simple());
    let sql = include_str!("../../scripts/lib/bench/scale/fill.sql")
        .replace(
            "{audit}",
            &(include_str!("../../scripts/lib/bench/scale/audit.sql").to_owned() + &fills_of_packs()),
        )
        .replace("{numbers}", "fill_2000")
        .replace("{workspace}", &id(world.a.workspace))
        .replace("{user}", &id(world.a.owner))
        .replace("{now}", &world.clock.now().as_micros().to_string())
        .replace("{size}", &size.to_string());
    let (before, after) = if world.db.kind() == "sqlite" {
        ("", "")
    } else {
        (
            include_str!("../../scripts/lib/bench/scale/postgres.sql"),
            "DROP FUNCTION unhex; DROP FUNCTION printf;",
        )
    };
    world.db.raw_sql(&format!("BEGIN; {before} {sql} {after} COMMIT")).await;
    // The product analyses large tables too, and both databases plan otherwise then.
    world.db.raw_sql("ANALYZE").await;
    assert_packs_grew(world, size).await;
}

/// The most steps for a size of 1 of a call that counts rows; `None` for all others.
fn counting(action: &str) -> Option<u64> {
    let mut all = STATISTICS.iter().chain(&WHOLE_PROJECTS);
    all.find(|(name, _)| *name == action).map(|(_, steps)| *steps)
}

/// The work of each call of the walkthrough, with that of its approval.
async fn work(db: TestDb, size: u64) -> BTreeMap<String, u64> {
    let world = world(db).await;
    fill(&world, size).await;
    let mut meter = Meter::new(&world.db).await;
    let (mut saved, mut work) = (Saved::new(), BTreeMap::new());
    for step in steps() {
        meter.reset().await;
        let answer = step.run(&world.owner(), &mut saved).await;
        assert!(
            matches!(answer.outcome, Outcome::Completed(_)),
            "`{}`: {}",
            step.action,
            answer.outcome.to_value()
        );
        work.insert(step.action.clone(), meter.read().await);
        let filled = FILLED.iter().filter(|(name, _)| step.save.contains_key(*name));
        saved.extend(filled.map(|(name, id)| ((*name).to_owned(), (*id).into())));
    }
    assert!(FILLED.iter().all(|(name, id)| saved.get(*name).is_some_and(|saved| saved == id)), "{FILLED:?}");
    for pack in packs() {
        assert!(work.keys().any(|action| pack.info.bare(action).is_some()), "`{}`: no call", pack.info.slug);
    }
    work
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_take_as_many_steps_in_a_large_workspace() {
    let (small, large) = tokio::join!(work(sqlite().await, SIZES[0]), work(sqlite().await, SIZES[1]));
    println!("compared {} actions", small.len());
    assert!(small.len() > 85, "{}", small.len());
    let mut beyond = Vec::new();
    for (action, few) in &small {
        let many = large[action];
        let most = few * MAX_PERCENT / 100 + FEW_STEPS;
        println!("{action}: {few}, {many}");
        if many > counting(action).map_or(most, |steps| steps * SIZES[1]) {
            beyond.push(format!("`{action}`: {few} steps, and {many} with four times the rows"));
        }
    }
    assert_eq!(beyond, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_read_as_many_rows_in_a_large_workspace() {
    let (small, large) = tokio::join!(work(postgres().await, SIZES[0]), work(postgres().await, SIZES[1]));
    assert!(small.len() > 85, "{}", small.len());
    let mut beyond = Vec::new();
    for (action, few) in &small {
        let many = large[action];
        let grows = action == WHOLE || counting(action).is_some();
        let percent = if grows { 100 * SIZES[1] / SIZES[0] } else { MAX_PERCENT };
        println!("{action}: {few}, {many} rows");
        if many > few * percent / 100 + FEW_ROWS {
            beyond.push(format!("`{action}`: {few} rows, and {many} with four times as many"));
        }
    }
    assert_eq!(beyond, Vec::<String>::new());
}

/// The steps of a verification of the audit log, for each of its rows.
async fn verification_work(db: TestDb, size: u64) -> u64 {
    let world = world(db).await;
    fill(&world, size).await;
    let key = AuditKey::from_setting(&"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABA=".into()).unwrap();
    let trusted = TrustedKeys::new(&key, &[]).unwrap();
    let sealer = Sealer::new((*world.db).clone(), world.clock.clone(), Arc::new(key), trusted.clone());
    sealer.seal_all().await.unwrap();
    world.db.raw_sql("ANALYZE").await;
    let meter = Meter::new(&world.db).await;
    let mut tx = world.db.read(world.a.workspace).await.unwrap();
    let found = verify(&mut tx, &VerifyRequest::of(&trusted)).await.unwrap();
    tx.end().await.unwrap();
    assert!(found.ok && found.rows >= i64::try_from(2_000 * size).unwrap(), "{found:?}");
    meter.read().await / u64::try_from(found.rows).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_of_a_long_log_is_verified_with_as_much_work() {
    let (short, long) = tokio::join!(
        verification_work(sqlite().await, SIZES[0]),
        verification_work(sqlite().await, SIZES[1])
    );
    println!("verified with {short} and {long} steps a row");
    assert!(long * 100 <= short * 110, "{short} steps a row, and {long} with four times the rows");
}
