//! Open calls: of concurrent changes one succeeds, raw arguments are removed at the end, and each query finds
//! exactly its rows.

use futures_util::future::join_all;
use sqlx::AssertSqlSafe;
use toolcrib_model::{Cursor, ExecutorKind, Id, OpenCallState, OpenCallState::*, Ts};
use toolcrib_store::{
    Db, StoreError,
    confirmations::Requester,
    open_calls::{self, CallEnd, DueCall, OpenCallQuery, OpenCallRow, OpenCallScope},
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named, sqlite, write};

use crate::{help::raw_sqlite, sql_lint::texts};

const ARGUMENTS: &str = r#"{"draft_id":"d-17 'Ärmel'"}"#;

fn after(seconds: i64) -> Ts {
    NOW.plus_seconds(seconds)
}

/// A call of an agent for a user, which can be claimed for two minutes.
fn call(number: u128) -> OpenCallRow {
    OpenCallRow {
        call_id: Id::from_u128(number),
        executor: ExecutorKind::Client,
        action: "desk__delete_draft".into(),
        definition: "sha256:9f2c".into(),
        principal_kind: "agent".into(),
        principal_id: Id::from_u128(100),
        user_id: Some(Id::from_u128(200)),
        session: Some("session".into()),
        requester: "{}".into(),
        arguments: Some(ARGUMENTS.into()),
        arguments_digest: "sha256:aa".into(),
        state: Ready,
        created_at: NOW,
        claim_by: Some(after(120).as_micros()),
        end_by: None,
        claimed_at: None,
        ended_at: None,
        confirmation_id: Some(Id::from_u128(300)),
        tool_call_id: Some("call_1".into()),
        tool_format: Some("openai_chat".into()),
        idempotency_key: Some("key".into()),
        result: None,
        report_digest: None,
    }
}

/// A call of an upstream, which runs.
fn upstream(number: u128) -> OpenCallRow {
    let end_by = Some(after(70).as_micros());
    OpenCallRow { executor: ExecutorKind::Http, state: Running, claim_by: None, end_by, ..call(number) }
}

async fn insert(db: &Db, workspace: Id, row: OpenCallRow) {
    write(db, workspace, async |tx| open_calls::insert(tx, &row).await).await.unwrap();
}

async fn stored(db: &Db, workspace: Id, call_id: Id) -> Option<OpenCallRow> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = open_calls::get(&mut tx, call_id).await.unwrap();
    tx.end().await.unwrap();
    found
}

async fn claim(db: &Db, workspace: Id, call_id: Id, now: Ts) -> bool {
    let end_by = now.plus_seconds(600);
    write(db, workspace, async |tx| open_calls::claim(tx, call_id, now, end_by).await).await.unwrap()
}

async fn end(db: &Db, workspace: Id, call_id: Id, end: CallEnd<'_>) -> bool {
    write(db, workspace, async |tx| open_calls::finish(tx, call_id, &end).await).await.unwrap()
}

async fn finish(db: &Db, workspace: Id, call_id: Id, from: OpenCallState, to: OpenCallState) -> bool {
    let reported =
        CallEnd { from, to, at: after(30), result: Some(r#"{"ok":true}"#), report_digest: Some("d") };
    end(db, workspace, call_id, reported).await
}

async fn list(db: &Db, workspace: Id, scope: OpenCallScope, only_open: bool) -> Vec<u128> {
    let mut tx = db.read(workspace).await.unwrap();
    let query = OpenCallQuery { scope, only_open };
    let found = open_calls::list(&mut tx, &query, Cursor::START, 100).await.unwrap();
    tx.end().await.unwrap();
    found.iter().map(|row| row.call_id.as_u128()).collect()
}

/// The numbers of open calls: this principal's, and the workspace's.
async fn counts(db: &Db, workspace: Id, by: Requester) -> (i64, i64) {
    let mut tx = db.read(workspace).await.unwrap();
    let counts = open_calls::count_open(&mut tx, by).await.unwrap();
    tx.end().await.unwrap();
    counts
}

#[both_databases]
async fn a_call_is_read_as_written_until_its_end_removes_the_arguments(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    let row = call(1);
    insert(&db, place, row.clone()).await;
    assert_eq!(stored(&db, place, row.call_id).await, Some(row.clone()));

    assert!(claim(&db, place, row.call_id, after(10)).await);
    let running = OpenCallRow {
        state: Running,
        claimed_at: Some(after(10).as_micros()),
        end_by: Some(after(610).as_micros()),
        ..row.clone()
    };
    assert_eq!(stored(&db, place, row.call_id).await, Some(running.clone()));

    assert!(finish(&db, place, row.call_id, Running, Succeeded).await);
    let ended = OpenCallRow {
        state: Succeeded,
        arguments: None,
        ended_at: Some(after(30).as_micros()),
        result: Some(r#"{"ok":true}"#.into()),
        report_digest: Some("d".into()),
        ..running
    };
    assert_eq!(stored(&db, place, row.call_id).await, Some(ended));
}

#[both_databases]
async fn of_32_claims_at_once_one_wins(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    insert(&db, place, call(1)).await;
    let claims = (0..32).map(|second| {
        let db = (*db).clone();
        tokio::spawn(async move { claim(&db, place, Id::from_u128(1), after(second)).await })
    });
    let won: Vec<i64> = join_all(claims)
        .await
        .into_iter()
        .zip(0..)
        .filter_map(|(claimed, second)| claimed.unwrap().then_some(second))
        .collect();
    let [winner] = won[..] else { panic!("{won:?}") };
    let row = stored(&db, place, Id::from_u128(1)).await.unwrap();
    assert_eq!((row.state, row.claimed_at), (Running, Some(after(winner).as_micros())));
    assert_eq!(row.end_by, Some(after(winner + 600).as_micros()));
    assert_eq!(row.arguments.as_deref(), Some(ARGUMENTS));
}

#[both_databases]
async fn of_a_claim_and_an_end_at_once_one_wins(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    for number in 1..=8 {
        insert(&db, place, call(number)).await;
        let id = Id::from_u128(number);
        let (first, second) = ((*db).clone(), (*db).clone());
        let claimed = tokio::spawn(async move { claim(&first, place, id, after(1)).await });
        let ended = tokio::spawn(async move { finish(&second, place, id, Ready, NotRun).await });
        let (claimed, ended) = (claimed.await.unwrap(), ended.await.unwrap());
        assert_ne!(claimed, ended);
        let state = stored(&db, place, id).await.unwrap().state;
        assert_eq!(state, if claimed { Running } else { NotRun });
    }
}

#[both_databases]
async fn a_call_is_claimed_in_time_and_ended_once(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    for number in 1..=3 {
        insert(&db, place, call(number)).await;
    }
    insert(&db, place, upstream(4)).await;
    let [one, two, three, four] = [1, 2, 3, 4].map(Id::from_u128);
    assert!(!claim(&db, place, one, after(120)).await, "the time to claim is over");
    assert!(claim(&db, place, one, after(119)).await);
    assert!(!claim(&db, place, four, after(1)).await, "nobody claims the call of an upstream");
    assert!(!claim(&db, place, Id::from_u128(9), after(1)).await, "no such call");

    assert!(!finish(&db, place, two, Ready, Succeeded).await, "it was not claimed");
    assert!(!finish(&db, place, two, Running, Succeeded).await, "it does not run");
    assert!(!finish(&db, place, two, Ready, Running).await, "running is no end");
    assert!(finish(&db, place, two, Ready, NotRun).await);
    assert!(!claim(&db, place, two, after(1)).await, "it has ended");

    assert!(finish(&db, place, one, Running, Failed).await);
    assert!(!finish(&db, place, one, Running, Failed).await, "twice");
    assert!(!finish(&db, place, one, Failed, Succeeded).await, "an end stays");
    assert!(finish(&db, place, four, Running, Succeeded).await);
    assert_eq!(stored(&db, place, three).await, Some(call(3)));
}

#[both_databases]
async fn a_late_report_replaces_the_end_unknown(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    for (number, to) in [(1, Succeeded), (2, Failed)] {
        let id = Id::from_u128(number);
        insert(&db, place, upstream(number)).await;
        let lost = CallEnd { from: Running, to: Unknown, at: after(20), result: None, report_digest: None };
        assert!(end(&db, place, id, lost).await);
        let row = stored(&db, place, id).await.unwrap();
        let expected = (Unknown, None, Some(after(20).as_micros()), None);
        assert_eq!((row.state, row.arguments, row.ended_at, row.result), expected);

        assert!(!finish(&db, place, id, Unknown, NotRun).await, "it was begun");
        assert!(finish(&db, place, id, Unknown, to).await);
        assert!(!finish(&db, place, id, Unknown, to).await, "twice");
        let row = stored(&db, place, id).await.unwrap();
        let expected = (to, Some(after(30).as_micros()), Some("d".to_owned()));
        assert_eq!((row.state, row.ended_at, row.report_digest), expected);
    }
}

/// Every principal and user, ready and ended, over three seconds.
async fn several(db: &Db, place: Id) {
    let rows = [
        call(1),
        OpenCallRow { created_at: after(1), ..call(2) },
        // The same agent for another user, and the user's own call.
        OpenCallRow { user_id: Some(Id::from_u128(201)), created_at: after(1), ..call(3) },
        OpenCallRow { principal_id: Id::from_u128(200), created_at: after(2), ..call(4) },
        // A key that acts for nobody.
        OpenCallRow { principal_id: Id::from_u128(101), user_id: None, ..call(5) },
        OpenCallRow { created_at: after(2), ..upstream(6) },
    ];
    for row in rows {
        insert(db, place, row).await;
    }
    assert!(finish(db, place, Id::from_u128(2), Ready, NotRun).await);
}

#[both_databases]
async fn calls_are_listed_newest_first_for_each_scope(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    several(&db, place).await;
    let user = |number: u128| OpenCallScope::User(Id::from_u128(number));
    let principal = |id, user_id: Option<u128>| {
        OpenCallScope::Principal(Requester { id: Id::from_u128(id), user_id: user_id.map(Id::from_u128) })
    };
    let cases: [(OpenCallScope, &[u128], &[u128]); 7] = [
        (OpenCallScope::All, &[6, 4, 3, 2, 5, 1], &[6, 4, 3, 5, 1]),
        (user(200), &[6, 4, 2, 1], &[6, 4, 1]),
        (user(201), &[3], &[3]),
        (principal(100, Some(200)), &[6, 2, 1], &[6, 1]),
        (principal(100, Some(201)), &[3], &[3]),
        (principal(101, None), &[5], &[5]),
        (principal(100, None), &[], &[]),
    ];
    for (scope, all, open) in cases {
        assert_eq!(list(&db, place, scope, false).await, all, "{scope:?}");
        assert_eq!(list(&db, place, scope, true).await, open, "{scope:?}, open");
    }

    let mut tx = db.read(place).await.unwrap();
    let (mut cursor, mut found) = (Cursor::START, Vec::new());
    loop {
        let page = open_calls::list(&mut tx, &OpenCallQuery::default(), cursor, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        cursor = Cursor { at: last.created_at, id: last.call_id };
        found.extend(page.iter().map(|row| row.call_id.as_u128()));
    }
    tx.end().await.unwrap();
    assert_eq!(found, [6, 4, 3, 2, 5, 1]);
}

#[both_databases]
async fn open_calls_that_callers_run_are_counted(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    several(&db, place).await;
    let by =
        |id, user_id: Option<u128>| Requester { id: Id::from_u128(id), user_id: user_id.map(Id::from_u128) };
    // Neither the ended call 2 nor the upstream's call 6 is counted.
    assert_eq!(counts(&db, place, by(100, Some(200))).await, (1, 4));
    assert_eq!(counts(&db, place, by(101, None)).await, (1, 4));
    assert_eq!(counts(&db, place, by(100, None)).await, (0, 4));
    assert!(claim(&db, place, Id::from_u128(1), after(1)).await);
    assert_eq!(counts(&db, place, call(1).principal()).await, (1, 4));
    assert!(finish(&db, place, Id::from_u128(1), Running, Succeeded).await);
    assert_eq!(counts(&db, place, call(1).principal()).await, (0, 3));
}

/// Otherwise each call would read all calls that its caller made in the last month.
#[tokio::test]
async fn open_calls_are_counted_in_an_index_without_those_that_ended() {
    let db = sqlite().await;
    let counts = texts().into_iter().find(|sql| sql.contains("COUNT(*)") && sql.contains("FROM open_calls"));
    let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", counts.unwrap()));
    let plan: Vec<(i64, i64, i64, String)> =
        sqlx::query_as(explain).fetch_all(&mut raw_sqlite(&db).await).await.unwrap();
    let [(.., line)] = plan.as_slice() else { panic!("{plan:?}") };
    assert_eq!(line, "SEARCH open_calls USING COVERING INDEX open_calls_of_callers (workspace_id=?)");
}

#[both_databases]
async fn a_limit_that_is_checked_before_the_insert_holds(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    let inserts = (1..=8).map(|number| {
        let db = (*db).clone();
        tokio::spawn(async move {
            write::<_, StoreError>(&db, place, async |tx| {
                open_calls::lock_inserts(tx).await?;
                let free = open_calls::count_open(tx, call(number).principal()).await?.0 < 3;
                if free {
                    open_calls::insert(tx, &call(number)).await?;
                }
                Ok(free)
            })
            .await
            .unwrap()
        })
    });
    let inserted = join_all(inserts).await.into_iter().filter(|done| *done.as_ref().unwrap()).count();
    assert_eq!((inserted, counts(&db, place, call(1).principal()).await), (3, (3, 3)));
}

#[both_databases]
async fn a_worker_finds_calls_whose_time_is_over_in_all_workspaces(db: TestDb) {
    let ids = TestIds::default();
    let here = seed(&db, &clock(), &ids).await.workspace;
    let there = seed_named(&db, &clock(), &ids, "other-").await.workspace;
    for number in 1..=3 {
        insert(&db, here, call(number)).await;
    }
    insert(&db, there, upstream(4)).await;
    assert!(claim(&db, here, Id::from_u128(2), after(0)).await);
    assert!(finish(&db, here, Id::from_u128(3), Ready, NotRun).await);

    let due = async |seconds, limit| open_calls::due(&db, after(seconds), limit).await.unwrap();
    let found = |workspace_id, number, state| DueCall { workspace_id, call_id: Id::from_u128(number), state };
    let all = [found(there, 4, Running), found(here, 1, Ready), found(here, 2, Running)];
    assert_eq!(due(69, 10).await, []);
    assert_eq!(due(70, 10).await, all[..1]);
    assert_eq!(due(120, 10).await, all[..2]);
    assert_eq!(due(599, 10).await, all[..2]);
    assert_eq!(due(600, 10).await, all);
    assert_eq!(due(600, 1).await, all[..1]);
}

#[both_databases]
async fn a_worker_deletes_calls_that_ended_long_ago(db: TestDb) {
    let ids = TestIds::default();
    let here = seed(&db, &clock(), &ids).await.workspace;
    let there = seed_named(&db, &clock(), &ids, "other-").await.workspace;
    insert(&db, here, call(1)).await;
    insert(&db, here, call(2)).await;
    insert(&db, there, upstream(3)).await;
    assert!(finish(&db, here, Id::from_u128(1), Ready, NotRun).await);
    assert!(finish(&db, there, Id::from_u128(3), Running, Failed).await);
    let delete = async |before: Ts| {
        let mut tx = db.begin_write_as_worker().await.unwrap();
        let deleted = open_calls::delete_ended_before(&mut tx, before).await.unwrap();
        tx.commit().await.unwrap();
        deleted
    };
    assert_eq!(delete(after(30)).await, 0, "they ended at that time");
    assert_eq!(delete(after(31)).await, 2);
    assert_eq!(stored(&db, here, Id::from_u128(1)).await, None);
    assert_eq!(stored(&db, there, Id::from_u128(3)).await, None);
    assert_eq!(stored(&db, here, Id::from_u128(2)).await, Some(call(2)), "it is open, however old");
    assert_eq!(delete(after(1_000_000)).await, 0);
}

#[both_databases]
async fn another_workspaces_calls_are_not_there(db: TestDb) {
    let ids = TestIds::default();
    let here = seed(&db, &clock(), &ids).await.workspace;
    let there = seed_named(&db, &clock(), &ids, "other-").await.workspace;
    let id = Id::from_u128(1);
    insert(&db, here, call(1)).await;
    assert_eq!(stored(&db, there, id).await, None);
    for only_open in [false, true] {
        let by = [OpenCallScope::All, OpenCallScope::User(Id::from_u128(200))];
        for scope in by.into_iter().chain([OpenCallScope::Principal(call(1).principal())]) {
            assert_eq!(list(&db, there, scope, only_open).await, [], "{scope:?}");
        }
    }
    assert_eq!(counts(&db, there, call(1).principal()).await, (0, 0));
    assert!(!claim(&db, there, id, after(1)).await);
    assert!(!finish(&db, there, id, Ready, NotRun).await);
    assert_eq!(stored(&db, here, id).await, Some(call(1)));

    insert(&db, there, call(1)).await;
    assert!(claim(&db, there, id, after(1)).await);
    assert_eq!(stored(&db, here, id).await, Some(call(1)), "an id is one workspace's");
}
