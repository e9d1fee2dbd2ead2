//! A search of messages finds the same on both databases, and only messages of chats that the caller may see.

use toolcrib_model::{Id, IdGen};
use toolcrib_store::{
    StoreError,
    messages::{self, ChatScope, MessageRow},
    text,
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, postgres, sqlite, write};

use crate::full_text::shares;

const TEXTS: &str = include_str!("corpus/texts.txt");
const QUERIES: &str = include_str!("corpus/queries.txt");

const MINE: Id = Id::from_u128(0xa);
const THEIRS: Id = Id::from_u128(0xb);
const ANN: Id = Id::from_u128(0xa1);

/// Message number `at`, in one of eight chats by turns. Ann sent the first message of every second chat.
fn message(ids: &TestIds, text: &str, at: i64) -> MessageRow {
    let occurred_at = NOW.plus_seconds(at);
    let chat = at % 8;
    MessageRow {
        id: ids.new_id(occurred_at),
        occurred_at,
        chat_id: format!("chat {chat}"),
        user_id: (at < 8 && chat % 2 == 0).then_some(ANN),
        agent_id: None,
        role: "user".into(),
        text: text.into(),
        tokens: text::tokens(text),
    }
}

async fn add(db: &TestDb, workspace: Id, rows: Vec<MessageRow>) {
    write::<_, StoreError>(db, workspace, async |tx| {
        for row in &rows {
            assert!(messages::insert(tx, row).await?);
            assert!(!messages::insert(tx, row).await?, "twice is once");
        }
        Ok(())
    })
    .await
    .unwrap();
}

async fn with_corpus(db: &TestDb) -> Vec<MessageRow> {
    let ids = TestIds::default();
    let rows = |ids| TEXTS.lines().zip(0..).map(|(line, at)| message(ids, line, at)).collect::<Vec<_>>();
    let mine = rows(&ids);
    add(db, MINE, mine.clone()).await;
    // Another workspace has chats with the same names and texts, twice. They must change neither hits nor
    // scores.
    for _ in 0..2 {
        add(db, THEIRS, rows(&ids)).await;
    }
    mine
}

/// The ids found, with their scores as text, so that a comparison is exact.
async fn found(db: &TestDb, workspace: Id, query: &str, from: i64, scope: ChatScope) -> Vec<(Id, String)> {
    let words = text::query(query);
    let mut tx = db.read(workspace).await.unwrap();
    let rows = messages::candidates(&mut tx, &words, NOW.plus_seconds(from), scope).await.unwrap();
    tx.end().await.unwrap();
    text::rank(&words, rows, 20).into_iter().map(|(row, score)| (row.id, score.to_string())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn both_databases_find_what_a_plain_scan_finds() {
    let (on_sqlite, on_pg) = (sqlite().await, postgres().await);
    let rows = with_corpus(&on_sqlite).await;
    with_corpus(&on_pg).await;
    let mut hits = 0;
    for query in QUERIES.lines() {
        for (from, scope) in [
            (0, ChatScope::All),
            (0, ChatScope::Of(ANN)),
            (20, ChatScope::All),
            (0, ChatScope::Of(Id::nil())),
        ] {
            let words = text::query(query);
            let hers =
                |row: &&MessageRow| ["chat 0", "chat 2", "chat 4", "chat 6"].contains(&row.chat_id.as_str());
            let seen = |row: &&MessageRow| match scope {
                ChatScope::All => row.occurred_at >= NOW.plus_seconds(from),
                ChatScope::Of(user) => user == ANN && hers(row),
            };
            let scanned =
                rows.iter().filter(|row| shares(&row.tokens, &words)).filter(seen).cloned().collect();
            let expected: Vec<(Id, String)> = text::rank(&words, scanned, 20)
                .into_iter()
                .map(|(row, score)| (row.id, score.to_string()))
                .collect();
            assert_eq!(
                found(&on_sqlite, MINE, query, from, scope).await,
                expected,
                "SQLite: `{query}` {scope:?}"
            );
            assert_eq!(
                found(&on_pg, MINE, query, from, scope).await,
                expected,
                "PostgreSQL: `{query}` {scope:?}"
            );
            hits += expected.len();
        }
    }
    assert!(hits > 150, "the queries find too little to compare: {hits}");
}

/// The words of the message with this number: `apple` is in all but each third one, and `pear` in few.
fn fruit(number: i64) -> &'static str {
    match number % 3 {
        0 if number % 300 == 0 => "an old pear",
        0 => "a plum, no pineapple",
        1 => "apple pie",
        _ => "an apple, an Apple",
    }
}

/// SQLite looks for a word of more than 2,000 messages among the newest 5,000, and for other words in the
/// full-text index. Either way, only the newest 500 matches by their time are ranked.
#[both_databases]
async fn a_frequent_word_is_found_in_the_newest_messages(db: TestDb) {
    let ids = TestIds::default();
    // Every tenth message is reported late.
    let late = |number| if number % 10 == 0 { number - 2_000 } else { number };
    let rows: Vec<MessageRow> = (0..3_600).map(|at| message(&ids, fruit(at), late(at))).collect();
    add(&db, MINE, rows.clone()).await;
    add(&db, THEIRS, (0..2_100).map(|at| message(&ids, "a pear", at)).collect()).await;
    for (query, from) in [
        ("apple", -2_000),
        ("apple", 3_500),
        ("pear apple", 0),
        ("plum", -2_000),
        ("pear", -2_000),
        ("kiwi", 0),
    ] {
        let words = text::query(query);
        let mut expected: Vec<&MessageRow> = rows
            .iter()
            .filter(|row| shares(&row.tokens, &words))
            .filter(|row| row.occurred_at >= NOW.plus_seconds(from))
            .collect();
        expected.sort_by_key(|row| std::cmp::Reverse((row.occurred_at, row.id)));
        expected.truncate(500);
        let mut tx = db.read(MINE).await.unwrap();
        let from = NOW.plus_seconds(from);
        let found = messages::candidates(&mut tx, &words, from, ChatScope::All).await.unwrap();
        tx.end().await.unwrap();
        let ids = |row: &MessageRow| row.id;
        assert_eq!(
            found.iter().map(ids).collect::<Vec<_>>(),
            expected.into_iter().map(ids).collect::<Vec<_>>(),
            "`{query}` since {from}"
        );
    }
}

#[both_databases]
async fn a_chat_is_listed_with_its_last_message(db: TestDb) {
    let ids = TestIds::default();
    add(&db, MINE, (0..20).map(|at| message(&ids, &format!("said {at}"), at)).collect()).await;
    add(&db, THEIRS, (0..40).map(|at| message(&ids, "canary", at)).collect()).await;
    let look = async |from, scope, limit| {
        let mut tx = db.read(MINE).await.unwrap();
        let from = NOW.plus_seconds(from);
        let chats = messages::chats(&mut tx, from, scope, limit).await.unwrap();
        let counts = messages::chat_counts(&mut tx, from, scope, 15).await.unwrap();
        tx.end().await.unwrap();
        (chats.into_iter().map(|chat| chat.text).collect::<Vec<_>>(), (counts.chats, counts.counted))
    };
    // At most 15 messages are counted. The last messages of the eight chats are 19 to 12. The chats with even
    // numbers are Ann's.
    let (all, count) = look(0, ChatScope::All, 3).await;
    assert_eq!((all, count), (vec!["said 19".to_owned(), "said 18".into(), "said 17".into()], (8, 15)));
    let (hers, count) = look(0, ChatScope::Of(ANN), 9).await;
    assert_eq!(
        (hers, count),
        (vec!["said 18".to_owned(), "said 16".into(), "said 14".into(), "said 12".into()], (4, 10))
    );
    let (late, count) = look(18, ChatScope::All, 9).await;
    assert_eq!((late, count), (vec!["said 19".to_owned(), "said 18".into()], (2, 2)));
}
