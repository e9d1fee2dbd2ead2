//! Queries to registered databases: a real PostgreSQL, with a superuser's login, which the server itself
//! refuses nothing, and a SQLite file.
#![expect(clippy::unwrap_used, reason = "tests")]

mod queries;
mod tricks;

use std::{path::Path, time::Duration};

use serde_json::{Value, json};
use toolcrib_datasources::{
    AllowedTargets, CheckedSelect, DatasourceError, DatasourceKind, DatasourceUrl, QueryLimits,
    QueryScheduler, Table, make_file,
};
use toolcrib_model::Id;
use toolcrib_testkit::TestDb;

/// Three customers and eight orders.
const SHOP: &str = "
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, country TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL, day DATE NOT NULL,
  amount NUMERIC(10, 2), status TEXT NOT NULL, \"Mixed Case\" TEXT);
INSERT INTO customers VALUES (1, 'Anchor Café', 'Hamburg', 'DE'), (2, 'Quay Restaurant', 'Copenhagen', 'DK'),
  (3, 'Mill Bakery', NULL, 'NL');
INSERT INTO orders VALUES
  (1, 1, '2026-01-03', 10.50, 'paid', 'a'), (2, 1, '2026-01-17', 20.00, 'paid', 'b'),
  (3, 1, '2026-02-02', 5.25, 'open', 'c'), (4, 2, '2026-01-09', 99.90, 'paid', 'd'),
  (5, 2, '2026-02-11', 1.10, 'returned', 'e'), (6, 2, '2026-02-12', 12.00, 'paid', 'it''s'),
  (7, 3, '2026-01-31', 7.75, 'open', NULL), (8, 3, '2026-02-28', 30.00, 'paid', 'h');";

/// The same shop in both kinds of database.
struct Shops {
    postgres: DatasourceUrl,
    sqlite: DatasourceUrl,
    db: TestDb,
    _folder: tempfile::TempDir,
}

impl Shops {
    async fn open() -> Self {
        let db = toolcrib_testkit::postgres().await;
        db.raw_sql(SHOP).await;
        let folder = tempfile::tempdir().unwrap();
        make_file(&folder.path().join("shop.db"), SHOP.into()).await.unwrap();
        let allowed = allowed(folder.path());
        let postgres = DatasourceUrl::parse(&db.url(), &allowed, Id::nil()).unwrap();
        let sqlite = DatasourceUrl::parse("sqlite:shop.db", &allowed, Id::nil()).unwrap();
        Self { postgres, sqlite, db, _folder: folder }
    }

    fn source(&self, kind: DatasourceKind) -> &DatasourceUrl {
        match kind {
            DatasourceKind::Postgres => &self.postgres,
            DatasourceKind::Sqlite => &self.sqlite,
        }
    }

    async fn query(
        &self,
        kind: DatasourceKind,
        sql: &str,
        bounds: QueryLimits,
    ) -> Result<Table, DatasourceError> {
        QueryScheduler::default().query(Id::nil(), self.source(kind), sql, bounds).await
    }

    /// The rows of a query, or the error as text.
    async fn rows(&self, kind: DatasourceKind, sql: &str) -> Value {
        match self.query(kind, sql, QueryLimits::rows(100)).await {
            Ok(table) => json!(table.rows),
            Err(why) => json!(format!("{why:?}")),
        }
    }
}

fn allowed(folder: &Path) -> AllowedTargets {
    AllowedTargets {
        hosts: vec!["127.0.0.1".into(), "localhost".into()],
        folder: Some(folder.into()),
        own: None,
    }
}

const BOTH: [DatasourceKind; 2] = [DatasourceKind::Postgres, DatasourceKind::Sqlite];

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_queries_are_answered_by_both() {
    let shops = Shops::open().await;
    let (mut asked, mut wrong) = (0, Vec::new());
    for (kind, own) in
        [(DatasourceKind::Postgres, queries::POSTGRES), (DatasourceKind::Sqlite, queries::SQLITE)]
    {
        for (sql, wanted) in queries::BOTH.iter().chain(own) {
            let wanted: Value = serde_json::from_str(wanted).unwrap();
            let rows = shops.rows(kind, sql).await;
            if rows != wanted {
                wrong.push(format!("{kind:?}: {sql}: {rows}, not {wanted}"));
            }
            asked += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("query_data: {asked} ordinary queries answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn tricks_are_refused_with_a_reason() {
    let (mut refused, mut wrong) = (0, Vec::new());
    for (kind, own) in
        [(DatasourceKind::Postgres, tricks::POSTGRES), (DatasourceKind::Sqlite, tricks::SQLITE)]
    {
        for (sql, reason) in tricks::BOTH.iter().chain(own) {
            let why = match CheckedSelect::check(kind, sql).await {
                Ok(select) => format!("it would run {}", select.sql()),
                Err(why) => why.to_string(),
            };
            let told = why.contains(reason) && why.len() > 10 && !why.ends_with('.') && !why.contains('\n');
            if !told || why.starts_with("it would run") {
                wrong.push(format!("{kind:?}: {sql}: `{why}` does not say `{reason}`"));
            }
            refused += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let texts = tricks::BOTH.len() + tricks::POSTGRES.len() + tricks::SQLITE.len();
    println!("query_data: {texts} tricks refused, {refused} times");
    assert!(texts >= 60);
}

/// The query that runs is written anew from what was checked, so comments, quotes and escapes hide nothing.
#[tokio::test(flavor = "multi_thread")]
async fn exactly_the_checked_query_runs() {
    for kind in BOTH {
        let select = CheckedSelect::check(
            kind,
            "select /* FROM x */ name -- ;\n from customers where name <> 'it''s ''' ;",
        )
        .await;
        assert_eq!(select.unwrap().sql(), "select name from customers where name <> 'it''s '''");
        let quoted = CheckedSelect::check(kind, "SELECT \"a\"\"b\" FROM \"t\"").await.unwrap();
        assert_eq!(quoted.sql(), "SELECT \"a\"\"b\" FROM \"t\"");
        let slash = CheckedSelect::check(kind, r"SELECT '\', name FROM customers -- '").await.unwrap();
        assert_eq!(slash.sql(), r"SELECT '\' , name FROM customers");
    }
    let bracket = CheckedSelect::check(DatasourceKind::Sqlite, "SELECT [a b], `c` FROM [t]").await.unwrap();
    assert_eq!(bracket.sql(), r#"SELECT "a b" , "c" FROM "t""#);
    let shops = Shops::open().await;
    let sql = r"SELECT '\''|| ''''";
    for kind in BOTH {
        assert!(CheckedSelect::check(kind, sql).await.is_err() || shops.rows(kind, sql).await.is_array());
        assert_eq!(
            shops.rows(kind, r"SELECT '\' || '''; DROP TABLE orders; --'").await,
            json!([[r"\'; DROP TABLE orders; --"]])
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nested_and_endless_queries_are_read_in_no_time() {
    for kind in BOTH {
        let deep = |n: usize| format!("SELECT {}1{}", "(".repeat(n), ")".repeat(n));
        let from = |n: usize| format!("SELECT * FROM {}customers{}", "(".repeat(n), ")".repeat(n));
        let select = |n: usize| format!("{}SELECT 1{}", "SELECT (".repeat(n), ")".repeat(n));
        let case = |n: usize| format!("SELECT {}1{}", "CASE WHEN 1 = 1 THEN ".repeat(n), " END".repeat(n));
        let long = format!("SELECT 1{}", " + 1".repeat(1_900));
        let not = format!("SELECT {} TRUE", "NOT ".repeat(3_000));
        let texts = [
            deep(19),
            deep(500),
            from(19),
            from(500),
            select(19),
            select(400),
            case(12),
            case(300),
            long,
            not,
        ];
        for text in texts {
            let checked =
                tokio::time::timeout(Duration::from_secs(5), CheckedSelect::check(kind, &text)).await;
            drop(checked.unwrap_or_else(|_| panic!("{kind:?} thinks too long about {}", &text[..60])));
        }
        assert!(CheckedSelect::check(kind, &deep(10)).await.is_ok());
        assert!(
            CheckedSelect::check(kind, &deep(21))
                .await
                .unwrap_err()
                .to_string()
                .contains("nested too deeply")
        );
        assert!(CheckedSelect::check(kind, &format!("SELECT 1{}", ", 1".repeat(4_000))).await.is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_end_with_rows_bytes_and_time() {
    let shops = Shops::open().await;
    for kind in BOTH {
        let all = "SELECT id FROM orders ORDER BY id DESC";
        let some = shops.query(kind, all, QueryLimits::rows(3)).await.unwrap();
        assert_eq!((json!(some.rows), some.truncated), (json!([[8], [7], [6]]), true));
        let whole = shops.query(kind, all, QueryLimits::rows(8)).await.unwrap();
        assert_eq!((whole.rows.len(), whole.truncated), (8, false));
        let none = shops
            .query(kind, "SELECT id, name FROM customers WHERE id > 99", QueryLimits::rows(5))
            .await
            .unwrap();
        assert_eq!((none.rows.len(), none.truncated, none.columns.len()), (0, false, 2));

        let big = "WITH RECURSIVE n(i, t) AS (SELECT 1, CAST('x' AS TEXT) UNION ALL \
            SELECT i + 1, t || t FROM n WHERE i < 18) SELECT t FROM n ORDER BY i DESC";
        let big = shops.query(kind, big, QueryLimits::rows(100)).await.unwrap();
        assert!(big.truncated);
        assert_eq!(big.rows[0][0].as_str().unwrap().len(), 65_536);
        let a = "a".repeat(100);
        let [b, c, d] = ["b", "c", "d"].map(|letter| letter.repeat(108));
        let many = format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) \
             SELECT i, '{a}' || \
             name || city || country || name || city || country || name || city || country AS t, \
             name AS a, name AS b, '{b}' || '{c}' || '{d}' AS c \
             FROM n CROSS JOIN customers WHERE id < 3"
        );
        let many = shops.query(kind, &many, QueryLimits::rows(4_000)).await.unwrap();
        assert!(many.truncated && many.rows.len() > 1_000 && many.rows.len() < 4_000, "{}", many.rows.len());

        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
        let soon = QueryLimits { within: Duration::from_millis(300), ..QueryLimits::rows(5) };
        assert!(matches!(shops.query(kind, endless, soon).await, Err(DatasourceError::Timeout)), "{kind:?}");
    }
    assert_eq!(QueryLimits::rows(1).within, Duration::from_secs(15));
}

#[tokio::test(flavor = "multi_thread")]
async fn database_errors_are_passed_on_without_the_address() {
    let shops = Shops::open().await;
    for kind in BOTH {
        for (sql, said) in [
            ("SELECT nothing FROM customers", "nothing"),
            ("SELECT * FROM nowhere", "nowhere"),
            ("SELECT SUM(name, name, name) FROM customers", "sum"),
        ] {
            match shops.query(kind, sql, QueryLimits::rows(5)).await {
                Err(DatasourceError::Query(text)) => {
                    assert!(text.to_lowercase().contains(said), "{kind:?}: {sql}: {text}");
                    assert!(!text.contains("127.0.0.1") && !text.contains("shop.db"), "{text}");
                }
                other => panic!("{kind:?}: {sql}: {other:?}"),
            }
        }
    }
    let url = shops.db.url();
    let (front, rest) = url.split_once('@').unwrap();
    let allowed = allowed(Path::new("/nowhere"));
    let nobody = DatasourceUrl::parse(
        &format!("{}nobody:geheim@{rest}", &front[..=front.rfind('/').unwrap()]),
        &allowed,
        Id::nil(),
    )
    .unwrap();
    let other = DatasourceUrl::parse(
        &format!("{front}@{}/no_such_database", rest.split_once('/').unwrap().0),
        &allowed,
        Id::nil(),
    )
    .unwrap();
    let closed = DatasourceUrl::parse("postgres://u:geheim@127.0.0.1:1/x", &allowed, Id::nil()).unwrap();
    for source in [nobody, other, closed] {
        let error = QueryScheduler::default()
            .query(Id::nil(), &source, "SELECT 1", QueryLimits::rows(1))
            .await
            .unwrap_err();
        assert!(matches!(error, DatasourceError::Login | DatasourceError::Unreachable(_)), "{error:?}");
        let text = format!("{error} {error:?}");
        assert!(!text.contains("geheim"), "{text}");
        assert!(!error.to_string().contains("nobody") && !error.to_string().contains("127.0.0.1"), "{error}");
    }
}

/// A file that is not a database gives an error without its content, and the query creates no other file.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_database_gives_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text.db"), "geheim ".repeat(500)).unwrap();
    let source = DatasourceUrl::parse("sqlite:text.db", &allowed(folder.path()), Id::nil()).unwrap();
    let error = QueryScheduler::default()
        .query(Id::nil(), &source, "SELECT 1 FROM t", QueryLimits::rows(1))
        .await
        .unwrap_err();
    assert!(matches!(error, DatasourceError::Unreachable(_)), "{error:?}");
    assert!(!error.to_string().contains("geheim") && !error.to_string().contains("text.db"));
    let names: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["text.db"], "a question leaves nothing behind");
}
