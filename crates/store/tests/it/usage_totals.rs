//! Statistics on model calls, which are read from totals, are those of the calls.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Db, StoreError,
    analytics::{self, Span},
    llm_usage::{self, UsageRow, UsageTotals},
};
use toolcrib_testkit::{TestDb, TestIds, both_databases, clock, seed, seed_named, write};

const QUARTER: i64 = 900_000_000;
const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 86_400_000_000;
/// Midnight in UTC.
const BEGIN: i64 = 20_000 * DAY;

/// A number below `below`, spread by the multiplication.
fn spread(number: i64, below: i64) -> i64 {
    number.wrapping_mul(0x5851_F42D_4C95_7F2D).rotate_left(23).rem_euclid(below)
}

fn id(number: i64) -> Id {
    Id::from_u128(u128::try_from(number).unwrap())
}

/// Calls of three days by three agents and nobody, some at the bounds of a quarter of an hour and of a day.
fn calls(count: i64) -> Vec<UsageRow> {
    let at = |number| match number % 20 {
        0 => BEGIN + spread(number, 4) * DAY,
        1 => BEGIN + spread(number, 288) * QUARTER - 1,
        2 => BEGIN + spread(number, 288) * QUARTER,
        _ => BEGIN + spread(number, 3 * DAY),
    };
    (0..count)
        .map(|number| UsageRow {
            id: id(number + 1),
            occurred_at: Ts::from_micros(at(number)),
            agent_id: (spread(number, 4) > 0).then(|| id(spread(number, 4))),
            execution_id: None,
            mission_id: None,
            model: format!("model-{}", spread(number, 3)),
            provider: format!("provider-{}", number % 2),
            input_tokens: number,
            output_tokens: 2 * number,
            cost_microusd: spread(number, 1_000),
        })
        .collect()
}

async fn add(db: &Db, workspace: Id, rows: Vec<UsageRow>) -> Result<usize, StoreError> {
    write(db, workspace, async |tx| llm_usage::insert(tx, &rows).await).await.map(|new: Vec<Id>| new.len())
}

fn totals<'r>(rows: impl IntoIterator<Item = &'r UsageRow>) -> UsageTotals {
    rows.into_iter().fold(UsageTotals::default(), |sum, row| UsageTotals {
        samples: sum.samples + 1,
        cost_microusd: sum.cost_microusd + row.cost_microusd,
        input_tokens: sum.input_tokens + row.input_tokens,
        output_tokens: sum.output_tokens + row.output_tokens,
    })
}

/// The totals of each group.
fn groups<K: Ord>(rows: &[UsageRow], key: impl Fn(&UsageRow) -> K) -> BTreeMap<K, UsageTotals> {
    let mut groups: BTreeMap<K, Vec<&UsageRow>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    groups.into_iter().map(|(key, rows)| (key, totals(rows))).collect()
}

/// Spans of any length, some with bounds that are those of a quarter of an hour or of a day.
fn spans() -> impl Iterator<Item = Span> {
    let bounds = |number| [1, QUARTER, DAY].map(|unit| BEGIN + spread(number, 4 * DAY) / unit * unit);
    let pairs = (0..20).flat_map(move |number| {
        bounds(number).into_iter().flat_map(move |one| bounds(number + 100).map(|other| (one, other)))
    });
    pairs.map(|(one, other)| Span { from: one.min(other), until: one.max(other) })
}

/// Calls of one workspace, some of which were reported twice, and some of another.
async fn reported(db: &Db) -> (Id, Vec<UsageRow>) {
    let ids = TestIds::default();
    let workspace = seed(db, &clock(), &ids).await.workspace;
    let other = seed_named(db, &clock(), &ids, "other-").await.workspace;
    let all = calls(400);
    assert_eq!(add(db, workspace, all[..200].to_vec()).await.unwrap(), 200);
    assert_eq!(add(db, workspace, all[150..].to_vec()).await.unwrap(), 200);
    assert_eq!(add(db, other, all[..9].to_vec()).await.unwrap(), 9);
    (workspace, all)
}

fn within(all: &[UsageRow], span: Span) -> Vec<UsageRow> {
    let within = |row: &&UsageRow| (span.from..span.until).contains(&row.occurred_at.as_micros());
    all.iter().filter(within).cloned().collect()
}

#[both_databases]
async fn sums_by_model_and_agent_are_those_of_the_calls(db: TestDb) {
    let (workspace, all) = reported(&db).await;
    for span in spans() {
        let rows = within(&all, span);
        let mut tx = db.read(workspace).await.unwrap();
        let used = analytics::used(&mut tx, span).await.unwrap();
        let models = analytics::used_by_model(&mut tx, span).await.unwrap();
        let agents = analytics::used_by_agent(&mut tx, span).await.unwrap();
        tx.end().await.unwrap();

        assert_eq!(used, totals(&rows), "{span:?}");
        let models: BTreeMap<_, _> =
            models.into_iter().map(|row| ((row.model, row.provider), row.spent)).collect();
        assert_eq!(models, groups(&rows, |row| (row.model.clone(), row.provider.clone())), "{span:?}");
        let agents: BTreeMap<_, _> = agents.into_iter().map(|row| (row.agent_id, row.spent)).collect();
        assert_eq!(agents, groups(&rows, |row| row.agent_id), "{span:?}");
    }
}

#[both_databases]
async fn days_hours_and_quarters_are_those_of_the_calls(db: TestDb) {
    let (workspace, all) = reported(&db).await;
    for span in spans() {
        let rows = within(&all, span);
        let mut tx = db.read(workspace).await.unwrap();
        let days = analytics::used_by_day(&mut tx, span).await.unwrap();
        let quarters = analytics::quarters(&mut tx, span).await.unwrap();
        let busiest = analytics::busiest_hour(&mut tx, span).await.unwrap();
        let with_calls = analytics::days_with_calls(&mut tx, span).await.unwrap();
        tx.end().await.unwrap();

        let by = |unit: i64| groups(&rows, move |row| row.occurred_at.as_micros() / unit);
        let numbers = |unit| by(unit).into_iter().map(|(unit, sum)| (unit, sum.samples));
        let days: Vec<_> = days.into_iter().map(|row| (row.day, row.spent)).collect();
        assert_eq!(days, by(DAY).into_iter().collect::<Vec<_>>(), "{span:?}");
        let quarters: BTreeMap<_, _> = quarters.into_iter().map(|row| (row.quarter, row.calls)).collect();
        assert_eq!(quarters, numbers(QUARTER).collect(), "{span:?}");
        let most = numbers(HOUR).max_by_key(|(hour, number)| (*number, -hour));
        assert_eq!(busiest.map(|row| (row.hour, row.calls)), most, "{span:?}");
        let periods: BTreeSet<_> =
            rows.iter().map(|row| (span.until - 1 - row.occurred_at.as_micros()) / DAY).collect();
        assert_eq!(usize::try_from(with_calls).unwrap(), periods.len(), "{span:?}");
    }
}

#[both_databases]
async fn batches_in_opposite_orders_do_not_deadlock(db: TestDb) {
    let workspace = seed(&db, &clock(), &TestIds::default()).await.workspace;
    for round in 0..10 {
        // Half of the calls of each batch are also those of the next.
        let batches = (0..8).map(|batch| {
            let mut rows = calls(60);
            for row in &mut rows {
                row.id = Id::from_u128(row.id.as_u128() + 1_000 * round + 30 * batch);
            }
            if batch % 2 == 1 {
                rows.reverse();
            }
            add(&db, workspace, rows)
        });
        let added: Result<Vec<usize>, StoreError> = join_all(batches).await.into_iter().collect();
        assert_eq!(added.unwrap().iter().sum::<usize>(), 270);
    }
    let mut tx = db.read(workspace).await.unwrap();
    let span = Span { from: BEGIN - DAY, until: BEGIN + 5 * DAY };
    let used = analytics::used(&mut tx, span).await.unwrap();
    tx.end().await.unwrap();
    assert_eq!(used.samples, 2_700);
}
