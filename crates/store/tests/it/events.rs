//! Readers of the outbox miss no event, in whatever order transactions commit.

use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use toolcrib_model::{Id, IdGen};
use toolcrib_store::{Db, EventRow, StoreError, events};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, postgres, write};

use crate::help::raw_pg;

const MINE: Id = Id::from_u128(0xa);
const THEIRS: Id = Id::from_u128(0xb);

fn event(ids: &TestIds, workspace: Id, name: &str) -> EventRow {
    EventRow {
        workspace_id: workspace,
        id: ids.new_id(NOW),
        name: name.into(),
        kind: if name == "asked" { "permission" } else { "domain" },
        session: Some("it's".into()),
        user_id: Some(Id::from_u128(7)),
        permission: Some("agents:read".into()),
        data: serde_json::json!({"it's": "\\ \" é"}),
        occurred_at: NOW,
    }
}

async fn add(db: &Db, ids: &TestIds, workspace: Id, names: &[&str]) {
    let rows: Vec<_> = names.iter().map(|name| event(ids, workspace, name)).collect();
    write::<_, StoreError>(db, workspace, async |tx| {
        for row in rows {
            tx.event(row);
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// Names of the workspace's events after an offset, and the offset of the last one.
async fn after(db: &Db, workspace: Id, place: i64) -> (Vec<String>, i64) {
    events::assign_offsets(db).await.unwrap();
    let mut tx = db.read(workspace).await.unwrap();
    let found = events::after(&mut tx, place, 1_000).await.unwrap();
    assert_eq!(events::last(&mut tx).await.unwrap(), found.last().map_or(place, |row| row.offset));
    tx.end().await.unwrap();
    let last = found.last().map_or(place, |row| row.offset);
    (found.into_iter().map(|row| row.name).collect(), last)
}

/// Inserts an event in a transaction that stays open.
async fn uncommitted(db: &TestDb, name: &str) -> PgConnection {
    let mut raw = PgConnection::connect(&db.url()).await.unwrap();
    let insert = format!(
        "BEGIN; INSERT INTO events (workspace_id, id, name, kind, data, occurred_at) \
         VALUES ('{MINE}', gen_random_uuid(), '{name}', 'domain', '{{}}', 0)"
    );
    raw.execute(AssertSqlSafe(insert)).await.unwrap();
    raw
}

#[both_databases]
async fn events_are_read_in_order_and_by_workspace(db: TestDb) {
    let ids = TestIds::default();
    add(&db, &ids, MINE, &["a", "b"]).await;
    add(&db, &ids, THEIRS, &["canary"]).await;
    add(&db, &ids, MINE, &["asked"]).await;
    let (names, last) = after(&db, MINE, 0).await;
    assert_eq!(names, ["a", "b", "asked"]);
    assert_eq!(after(&db, MINE, last).await, (vec![], last));
    add(&db, &ids, MINE, &["c"]).await;
    let (names, later) = after(&db, MINE, last).await;
    assert!(names == ["c"] && later > last);

    let mut tx = db.read(MINE).await.unwrap();
    let first = events::after(&mut tx, 0, 1).await.unwrap().remove(0);
    assert_eq!(events::offset_of(&mut tx, first.id).await.unwrap(), Some(first.offset));
    assert_eq!(first.data, r#"{"it's":"\\ \" é"}"#);
    assert_eq!((first.session.as_deref(), first.user_id), (Some("it's"), Some(Id::from_u128(7))));
    assert_eq!((first.permission.as_deref(), first.occurred_at), (Some("agents:read"), NOW));
    tx.end().await.unwrap();
    let mut tx = db.read(THEIRS).await.unwrap();
    assert_eq!(events::offset_of(&mut tx, first.id).await.unwrap(), None);
    tx.end().await.unwrap();

    let everywhere = events::after_everywhere(&db, 0, 10).await.unwrap();
    assert_eq!(everywhere.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a", "b", "canary", "c"]);
    let touched = events::workspaces_after(&db, 0, 3).await.unwrap();
    assert_eq!(touched.iter().map(|(_, workspace)| *workspace).collect::<Vec<_>>(), [MINE, MINE, THEIRS]);
    assert_eq!(events::last_everywhere(&db).await.unwrap(), later);
}

/// A transaction that took a lower number commits after a reader has read further.
#[tokio::test(flavor = "multi_thread")]
async fn events_that_commit_late_are_not_skipped() {
    let (db, ids) = (postgres().await, TestIds::default());
    let (mut early, mut lost) = (uncommitted(&db, "early").await, uncommitted(&db, "lost").await);
    add(&db, &ids, MINE, &["late"]).await;
    let (names, last) = after(&db, MINE, 0).await;
    assert_eq!(names, ["late"]);
    early.execute("COMMIT").await.unwrap();
    lost.execute("ROLLBACK").await.unwrap();
    let (names, end) = after(&db, MINE, last).await;
    assert_eq!(names, ["early"], "its number is lower than that of `late`");
    assert_eq!(after(&db, MINE, 0).await, (vec!["late".to_owned(), "early".to_owned()], end));
}

/// Several processes write and read at once. Each reader gets every event once, all in the same order.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_and_readers_agree() {
    const WRITERS: usize = 4;
    const EACH: usize = 60;
    let db = postgres().await;
    let mut writers = Vec::new();
    for writer in 0..WRITERS {
        let process = Db::open_pg(&db.url(), 4).await.unwrap();
        writers.push(tokio::spawn(async move {
            for n in 0..EACH {
                let name = format!("{writer}-{n}");
                let row = EventRow {
                    id: Id::from_u128((writer * EACH + n + 1) as u128),
                    ..event(&TestIds::default(), MINE, &name)
                };
                write::<_, StoreError>(&process, MINE, async |tx| {
                    tx.event(row);
                    Ok(())
                })
                .await
                .unwrap();
            }
        }));
    }
    let mut readers = Vec::new();
    for _ in 0..3 {
        let process = Db::open_pg(&db.url(), 4).await.unwrap();
        readers.push(tokio::spawn(async move {
            let (mut seen, mut place) = (Vec::new(), 0);
            while seen.len() < WRITERS * EACH {
                events::assign_offsets(&process).await.unwrap();
                let mut tx = process.read(MINE).await.unwrap();
                let found = events::after(&mut tx, place, 50).await.unwrap();
                tx.end().await.unwrap();
                place = found.last().map_or(place, |row| row.offset);
                seen.extend(found.into_iter().map(|row| row.name));
            }
            seen
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
    let mut all = Vec::new();
    for reader in readers {
        all.push(reader.await.unwrap());
    }
    assert!(all.iter().all(|seen| *seen == all[0]), "readers saw another order");
    let mut once = all.remove(0);
    once.sort();
    once.dedup();
    assert_eq!(once.len(), WRITERS * EACH);
}

/// The role of requests may neither assign offsets nor change events. The role of workers may assign offsets
/// and change nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_never_changed() {
    let (db, ids) = (postgres().await, TestIds::default());
    add(&db, &ids, MINE, &["a"]).await;
    let mut raw = raw_pg(&db).await;
    for (role, column) in
        [("app", "place = 9"), ("app", "data = '{}'"), ("worker", "data = '{}'"), ("worker", "seq = DEFAULT")]
    {
        raw.execute(AssertSqlSafe(format!("SET ROLE toolcrib_{role}"))).await.unwrap();
        let refused = raw.execute(AssertSqlSafe(format!("UPDATE events SET {column}"))).await.unwrap_err();
        assert!(refused.to_string().contains("permission denied"), "{role} {column}: {refused}");
        raw.execute("RESET ROLE").await.unwrap();
    }
}
