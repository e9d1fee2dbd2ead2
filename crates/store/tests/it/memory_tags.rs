//! Memories by tag, whose rows triggers keep.

use toolcrib_model::{Cursor, Id};
use toolcrib_store::memories::{self, MemoryRow};
use toolcrib_testkit::{TestDb, TestIds, both_databases, write};

use crate::{
    full_text::{MINE, THEIRS, add, memory},
    help::{raw_pg, raw_sqlite},
};

fn tagged(ids: &TestIds, content: &str, at: i64, tags: &str) -> MemoryRow {
    MemoryRow { tags: serde_json::from_str(tags).unwrap(), ..memory(ids, content, at) }
}

/// The contents with a tag, newest first, read in pages of two.
async fn with_tag(db: &TestDb, workspace: Id, tag: &str, agent: Option<Id>) -> Vec<String> {
    let (mut cursor, mut all) = (Cursor::START, Vec::new());
    let mut tx = db.read(workspace).await.unwrap();
    loop {
        let page = memories::list(&mut tx, agent, Some(tag), cursor, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        cursor = Cursor { at: last.created_at, id: last.id };
        all.extend(page.into_iter().map(|row| row.content));
    }
    tx.end().await.unwrap();
    all
}

const ROWS: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM memory_tags";

#[both_databases]
async fn pages_of_a_tag_have_each_of_its_memories_once(db: TestDb) {
    let ids = TestIds::default();
    let rows: Vec<_> = (0..9)
        .map(|n| {
            tagged(&ids, &format!("{n}"), n / 2, if n % 2 == 0 { r#"["even","n","n"]"# } else { r#"["n"]"# })
        })
        .collect();
    let (fourth, sixth) = (rows[4].id, rows[6].id);
    add(&db, MINE, rows).await;
    add(&db, THEIRS, vec![tagged(&ids, "theirs", 1, r#"["even"]"#), memory(&ids, "untagged", 2)]).await;
    assert_eq!(with_tag(&db, MINE, "even", None).await, ["8", "6", "4", "2", "0"]);
    assert_eq!(with_tag(&db, MINE, "n", None).await, ["8", "7", "6", "5", "4", "3", "2", "1", "0"]);
    assert_eq!(with_tag(&db, MINE, "even", Some(Id::from_u128(0xc))).await, ["6", "0"]);
    assert_eq!(with_tag(&db, THEIRS, "even", None).await, ["theirs"]);
    assert!(with_tag(&db, MINE, "odd", None).await.is_empty());

    for id in [fourth, sixth] {
        write(&db, MINE, async |tx| memories::delete(tx, id).await).await.unwrap();
    }
    assert_eq!(with_tag(&db, MINE, "even", None).await, ["8", "2", "0"]);
    let left: i64 = if db.kind() == "sqlite" {
        sqlx::query_scalar(ROWS).fetch_one(&mut raw_sqlite(&db).await).await.unwrap()
    } else {
        sqlx::query_scalar(ROWS).fetch_one(&mut raw_pg(&db).await).await.unwrap()
    };
    assert_eq!(left, 3 + 7 + 1);
}
