//! Full-text search finds the same on both databases: the same hits in the same order with the same scores.

use sqlx::{AssertSqlSafe, Executor};
use toolcrib_model::{Id, IdGen};
use toolcrib_store::{
    StoreError,
    memories::{self, MemoryRow},
    text,
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, postgres, sqlite, write};

use crate::{
    help::{raw_pg, raw_sqlite},
    sql_lint::texts,
};

const TEXTS: &str = include_str!("corpus/texts.txt");
const QUERIES: &str = include_str!("corpus/queries.txt");

pub const MINE: Id = Id::from_u128(0xa);
pub const THEIRS: Id = Id::from_u128(0xb);

pub fn memory(ids: &TestIds, content: &str, at: i64) -> MemoryRow {
    let created_at = NOW.plus_seconds(at);
    let id = ids.new_id(created_at);
    MemoryRow {
        id,
        agent_id: (at % 3 == 0).then_some(Id::from_u128(0xc)),
        kind: "note".into(),
        content: content.into(),
        content_hash: id.to_string(),
        tokens: text::tokens(content),
        tags: Vec::new(),
        version: 1,
        created_by: None,
        created_at,
    }
}

/// Whether a text has one of the words.
pub fn shares(tokens: &str, words: &[String]) -> bool {
    tokens.split(' ').any(|word| words.iter().any(|wanted| wanted == word))
}

pub async fn add(db: &TestDb, workspace: Id, rows: Vec<MemoryRow>) {
    write::<_, StoreError>(db, workspace, async |tx| {
        for row in &rows {
            assert!(memories::insert(tx, row).await?);
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// The contents found, with their scores as text, so that a comparison is exact.
async fn found(db: &TestDb, workspace: Id, query: &str, agent: Option<Id>) -> Vec<(String, String)> {
    let words = text::query(query);
    let mut tx = db.read(workspace).await.unwrap();
    let rows = memories::candidates(&mut tx, &words, agent).await.unwrap();
    tx.end().await.unwrap();
    let hits = text::rank(&words, rows, 20);
    hits.into_iter().map(|(row, score)| (row.content, score.to_string())).collect()
}

async fn with_corpus(db: &TestDb) -> Vec<MemoryRow> {
    let ids = TestIds::default();
    let rows: Vec<MemoryRow> = TEXTS.lines().zip(0..).map(|(line, at)| memory(&ids, line, at)).collect();
    add(db, MINE, rows.clone()).await;
    // Another workspace has the same texts, twice. They must change neither hits nor scores.
    for _ in 0..2 {
        add(db, THEIRS, TEXTS.lines().zip(0..).map(|(line, at)| memory(&ids, line, at)).collect()).await;
    }
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_find_what_a_plain_scan_finds() {
    let (on_sqlite, on_pg) = (sqlite().await, postgres().await);
    let rows = with_corpus(&on_sqlite).await;
    with_corpus(&on_pg).await;
    let queries: Vec<&str> = QUERIES.lines().collect();
    assert!(rows.len() >= 60 && queries.len() >= 25, "{} texts, {} queries", rows.len(), queries.len());
    let mut hits = 0;
    for query in queries {
        for agent in [None, Some(Id::nil()), Some(Id::from_u128(0xc))] {
            let words = text::query(query);
            let scanned = rows
                .iter()
                .filter(|row| agent.is_none_or(|id| row.agent_id.unwrap_or_default() == id))
                .filter(|row| shares(&row.tokens, &words));
            let expected: Vec<(String, String)> = text::rank(&words, scanned.cloned().collect(), 20)
                .into_iter()
                .map(|(row, score)| (row.content, score.to_string()))
                .collect();
            assert_eq!(found(&on_sqlite, MINE, query, agent).await, expected, "SQLite: `{query}`");
            assert_eq!(found(&on_pg, MINE, query, agent).await, expected, "PostgreSQL: `{query}`");
            hits += expected.len();
        }
    }
    assert!(hits > 150, "the queries find too little to compare: {hits}");
}

#[both_databases]
async fn texts_are_found_by_similar_words(db: TestDb) {
    with_corpus(&db).await;
    let first = async |query: &str| {
        found(&db, MINE, query, None).await.first().map(|(text, _)| text.clone()).unwrap_or_default()
    };
    assert!(first("quarterly budget for marketing").await.contains("marketing budget"));
    assert!(first("MÜNCHEN").await.contains("Münchner Büro in Munchen"));
    assert!(first("rollback deployment").await.contains("roll back"));
    assert!(found(&db, MINE, "\"*' ()", None).await.is_empty());
    assert!(found(&db, MINE, "zzzunheardof", None).await.is_empty());
    assert!(found(&db, Id::from_u128(0xd), "budget", None).await.is_empty(), "an empty workspace");
}

#[both_databases]
async fn only_the_newest_500_matches_are_ranked(db: TestDb) {
    let ids = TestIds::default();
    let mut rows = vec![memory(&ids, "apple apple", 0), memory(&ids, "apple", 1)];
    rows.extend((2..502).map(|at| memory(&ids, &format!("apple number {at}"), at)));
    rows.push(memory(&ids, "no match, though it is the newest", 502));
    add(&db, MINE, rows).await;
    let words = text::query("apple");
    let mut tx = db.read(MINE).await.unwrap();
    let candidates = memories::candidates(&mut tx, &words, None).await.unwrap();
    tx.end().await.unwrap();
    assert_eq!(candidates.len(), 500);
    assert!(candidates.iter().all(|row| row.content.starts_with("apple number")));
    assert_eq!(text::rank(&words, candidates, 1)[0].0.content, "apple number 501");
}

#[both_databases]
async fn a_deleted_memory_is_found_no_more(db: TestDb) {
    let ids = TestIds::default();
    let row = memory(&ids, "ephemeral words", 0);
    let id = row.id;
    add(&db, MINE, vec![row]).await;
    let gone = write(&db, THEIRS, async |tx| memories::delete(tx, id).await).await;
    assert!(!gone.unwrap(), "another tenant's memory");
    assert_eq!(found(&db, MINE, "ephemeral", None).await.len(), 1);
    assert!(found(&db, THEIRS, "ephemeral", None).await.is_empty());
    let gone = write(&db, MINE, async |tx| memories::delete(tx, id).await).await;
    assert!(gone.unwrap());
    assert!(found(&db, MINE, "ephemeral", None).await.is_empty());
}

/// Each search starts with the full-text index, whatever the planner estimates.
#[tokio::test(flavor = "multi_thread")]
async fn sqlite_starts_with_the_word_index() {
    let db = sqlite().await;
    let mut raw = raw_sqlite(&db).await;
    let searches: Vec<_> = texts().into_iter().filter(|text| text.contains("_text MATCH")).collect();
    assert!(searches.len() >= 4, "{searches:?}");
    for search in searches {
        // The columns are a literal of their own.
        let columns = if search.starts_with("SELECT") { "" } else { "SELECT 1" };
        let sql = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {columns}{search}"));
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(sql).fetch_all(&mut raw).await.unwrap();
        assert!(plan[0].3.contains("VIRTUAL TABLE"), "`{search}`: {plan:?}");
    }
}

/// The policy keeps the planner from using the index, so the store searches through a function of the lookup
/// role, for which the planner may use it.
#[tokio::test(flavor = "multi_thread")]
async fn postgres_may_use_the_word_index() {
    let db = postgres().await;
    let mut raw = raw_pg(&db).await;
    let plan = async |raw: &mut sqlx::PgConnection, role: &str| {
        let set = format!("SET ROLE {role}; SET enable_seqscan = off; SET enable_indexscan = off");
        raw.execute(AssertSqlSafe(set)).await.unwrap();
        let sql = "EXPLAIN SELECT * FROM memories WHERE word_vector(tokens) @@ any_word('apple')";
        sqlx::query_scalar::<_, String>(sql).fetch_all(raw).await.unwrap().join("\n")
    };
    let through = plan(&mut raw, "toolcrib_lookup").await;
    assert!(through.contains("memories_by_word"), "{through}");
    raw.execute("RESET ROLE").await.unwrap();
    let walled = plan(&mut raw, "toolcrib_app").await;
    assert!(!walled.contains("memories_by_word"), "the policy no longer hides the index: {walled}");
}
