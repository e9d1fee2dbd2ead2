//! Tests of endless and short queries that share one slot.

use std::time::Duration;

use rusqlite::Connection;
use toolcrib_testkit::eventually;

use super::*;

const ENDLESS: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
const LONG: Duration = Duration::from_mins(1);

fn file(folder: &std::path::Path) -> DatasourceUrl {
    let path = folder.join("shop.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    DatasourceUrl::Sqlite(path)
}

#[tokio::test(flavor = "multi_thread")]
async fn another_workspaces_question_is_answered_beside_eight_that_never_end() {
    let folder = tempfile::tempdir().unwrap();
    let (source, scheduler) = (file(folder.path()), Arc::new(QueryScheduler::with_slots(1)));
    let bounds = QueryLimits { rows: 10, within: LONG };
    let short = "SELECT a FROM t";
    let hogs: Vec<_> = (0..8)
        .map(|_| {
            let (scheduler, source) = (Arc::clone(&scheduler), source.clone());
            tokio::spawn(async move { scheduler.query(Id::from_u128(1), &source, ENDLESS, bounds).await })
        })
        .collect();
    // One computes, three more of the four that may be under way wait for it, and four for those.
    eventually("all wait", async || {
        scheduler.all.available_permits() == MAX_CONCURRENT - MAX_PER_WORKSPACE
            && scheduler.slots.available_permits() == 0
    })
    .await;
    for n in 2..12 {
        let query = scheduler.query(Id::from_u128(n), &source, short, bounds);
        let answered = tokio::time::timeout(LONG, query).await.expect("it has its turn").unwrap();
        assert_eq!(answered.rows.len(), 1);
    }
    assert!(hogs.iter().all(|hog| !hog.is_finished()));
    hogs.iter().for_each(tokio::task::JoinHandle::abort);
    // Nobody wants them any more: they end, and nothing of them is kept.
    eventually("they end", async || {
        scheduler.all.available_permits() == MAX_CONCURRENT && scheduler.slots.available_permits() == 1
    })
    .await;
    let last = scheduler.query(Id::from_u128(1), &source, short, bounds).await.unwrap();
    assert_eq!(last.rows.len(), 1);
    assert!(scheduler.per_workspace.lock().len() <= 1);
}

/// Four queries with one function for which SQLite's own code takes half a minute, and four that are too
/// large for the check.
#[tokio::test(flavor = "multi_thread")]
async fn a_neighbour_is_answered_beside_work_that_grows_with_the_square() {
    let folder = tempfile::tempdir().unwrap();
    let (source, scheduler) = (file(folder.path()), Arc::new(QueryScheduler::with_slots(1)));
    let square = "WITH RECURSIVE s(i, t) AS (SELECT 1, 'aaaaaaaaaaaaaa' \
        UNION ALL SELECT i + 1, t || t FROM s \
        WHERE i < 15), big(t) AS (SELECT t FROM s WHERE i = 15) SELECT length(trim( \
        replace(substr(t, 1, 250000), 'a', 'b'), substr(t, 1, 80000) || 'c')) FROM big, s a, s b, s c, s d";
    let position = format!("({})", "position(".repeat(18) + "1" + &")".repeat(18));
    let deep = format!("SELECT {}", vec![position; 40].join(", "));
    let hogs: Vec<_> = [square, &deep]
        .repeat(4)
        .into_iter()
        .map(|text| {
            let (scheduler, source, text) = (Arc::clone(&scheduler), source.clone(), text.to_owned());
            let bounds = QueryLimits { rows: 10, within: LONG };
            tokio::spawn(async move { scheduler.query(Id::from_u128(1), &source, &text, bounds).await })
        })
        .collect();
    eventually("one computes", async || scheduler.slots.available_permits() == 0).await;
    for n in 2..6 {
        let query = scheduler.query(Id::from_u128(n), &source, "SELECT a FROM t", QueryLimits::rows(10));
        let answered = tokio::time::timeout(crate::STATEMENT, query).await.expect("it has its turn");
        assert_eq!(answered.unwrap().rows.len(), 1);
    }
    hogs.iter().for_each(tokio::task::JoinHandle::abort);
}
