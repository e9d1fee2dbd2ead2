//! Tests of SQLite's own restrictions, and of the limits of a query.

use std::{
    sync::Mutex,
    time::{Duration, Instant},
};

use super::*;

/// Without the check, SQLite itself refuses the queries that the check refuses.
#[test]
fn sqlite_itself_refuses_what_the_check_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    let ask = |sql: &str| ask(&path, sql, 10, || true);
    assert_eq!(ask("SELECT a FROM t").unwrap().rows, [[Value::from(1)]]);
    for sql in [
        "SELECT * FROM sqlite_master",
        "SELECT * FROM pragma_table_info('t')",
        "SELECT * FROM json_each('[1]')",
        "SELECT * FROM dbstat",
        "SELECT load_extension('x')",
        "SELECT randomblob(9)",
        "SELECT sqlite_version()",
        "SELECT printf('%d', 1)",
        "INSERT INTO t VALUES (2) RETURNING a",
        "DELETE FROM t RETURNING a",
        "DROP TABLE t",
        "ATTACH DATABASE ':memory:' AS x",
        "PRAGMA query_only = OFF",
        "CREATE TEMP TABLE x AS SELECT 1",
        "VACUUM",
        "BEGIN IMMEDIATE",
        "SELECT ?1",
    ] {
        assert!(ask(sql).is_err(), "{sql}");
    }
    let long = "WITH RECURSIVE n(i, t) AS (SELECT 1, 'x' UNION ALL SELECT i + 1, t || t \
        FROM n WHERE i < 40) SELECT MAX(LENGTH(t)) FROM n";
    assert!(matches!(ask(long), Err(DatasourceError::Query(_))), "no text grows beyond its limit");
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
    assert!(matches!(super::ask(&path, endless, 1, || false), Err(DatasourceError::Timeout)));
}

fn shop() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1)").unwrap();
    (folder, path)
}

/// A text `t` of 128 KiB: `a` and one `b` at its end.
const BIG: &str = "WITH RECURSIVE \
    s(i, x) AS (SELECT 1, 'aaaaaaaa' UNION ALL SELECT i + 1, x || x FROM s WHERE i < 15), \
    big(t, h) AS (SELECT x || 'b', substr(x, 1, 65000) FROM s WHERE i = 15)";

/// Runs a query for at most `most`. Returns the longest time between two checks of the timeout.
fn longest_step(path: &Path, sql: &str, most: Duration) -> (Result<Table, DatasourceError>, Duration) {
    let (began, longest) = (Instant::now(), Arc::new(Mutex::new((Instant::now(), Duration::ZERO))));
    let seen = Arc::clone(&longest);
    let answer = ask(path, sql, 10, move || {
        let mut seen = seen.lock().unwrap();
        *seen = (Instant::now(), seen.1.max(seen.0.elapsed()));
        began.elapsed() < most
    });
    let seen = longest.lock().unwrap();
    (answer, seen.1.max(seen.0.elapsed()))
}

#[test]
fn no_function_computes_for_long_without_a_look_at_the_clock() {
    let (_folder, path) = shop();
    let calls = [
        "trim(replace(t, 'a', 'b'), replace(h, 'a', 'c') || 'b')",
        "trim(t, h)",
        "ltrim(t, h || 'b')",
        "rtrim(h, t)",
        "instr(t, h || 'bb')",
        "instr(t, h || 'c')",
        "replace(t, h || 'c', 'x')",
        "replace(t, 'a', 'aa')",
        "replace(t, 'a', h)",
        "upper(t)",
        "lower(t)",
        "length(t)",
        "t LIKE '%a%a%a%a%c%'",
        "t LIKE '%' || substr(t, 1, 990) || 'c'",
        "t LIKE '%_a' || substr(t, 1, 900) || 'c%'",
        "t GLOB '*[ab]*[ab]*[ab]c'",
        "t GLOB '*[' || substr(t, 1, 900) || ']c'",
        "t LIKE '%' || h",
        "concat(t, 'c')",
        "concat_ws(t, 'c', 'd')",
        "unicode(t)",
        "substr(t, -9)",
        "coalesce(NULL, t)",
        "typeof(t)",
        "json_array_length('[' || replace(h, 'a', '1,') || '1]')",
        "json_valid(t)",
        "json_array(t)",
        "json_object(t, 1)",
        "json_extract('[' || replace(h, 'a', '1,') || '1]', '$[#-1]', '$[#-2]', '$[#-3]', '$[#-4]')",
        "json_type('[' || replace(h, 'a', '[],') || '1]', '$[#-1]')",
        "json_extract(replace(h, 'a', '['), '$')",
        "date(t)",
        "datetime('now', t)",
        "julianday(replace(h, 'a', '1'))",
        "unixepoch(t)",
        "timediff(t, t)",
        "strftime('%J%J%J%f%W', 'now')",
        "abs(replace(h, 'a', '1'))",
        "round(replace(h, 'a', '1'), 9)",
        "h < t",
        "t || 'c'",
        "CAST(replace(h, 'a', '1') AS INTEGER)",
        "t IN (t, h)",
        "max(t, h)",
        "min(t, h)",
    ];
    for call in calls {
        let sql = format!("{BIG} SELECT {} FROM big", vec![format!("typeof({call})"); 40].join(", "));
        let (answer, longest) = longest_step(&path, &sql, Duration::from_secs(2));
        assert!(longest < Duration::from_secs(2), "{call}: {longest:?}");
        let fits = matches!(answer, Ok(_) | Err(DatasourceError::Timeout | DatasourceError::Query(_)));
        assert!(fits, "{call}: {answer:?}");
    }
}

#[test]
fn linear_functions_of_long_texts_are_answered() {
    let (_folder, path) = shop();
    for (call, wanted) in [
        ("length(trim(replace(t, 'a', 'b'), h || 'b'))", 0),
        ("instr(t, h || 'b')", 131_073 - 65_000),
        ("length(replace(t, h || 'b', ''))", 131_073 - 65_001),
        ("t LIKE '%aaaaaaaaaaaaaaaa%b'", 1),
        ("t GLOB '*[a-b]a[^a]'", 1),
    ] {
        let table =
            ask(&path, &format!("{BIG} SELECT {call} FROM big WHERE length(t) > 1"), 10, || true).unwrap();
        assert_eq!(table.rows[0][0], wanted, "{call}");
    }
}

#[test]
fn a_query_writes_only_so_much_to_temporary_files() {
    let (_folder, path) = shop();
    let n = "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)";
    for sql in [
        format!("{BIG}, {n} SELECT length(x) FROM (SELECT i || t AS x FROM n, big ORDER BY x LIMIT 100000)"),
        format!("{BIG}, {n} SELECT COUNT(*) FROM (SELECT DISTINCT i || t AS x FROM n, big)"),
        format!("{BIG}, {n} SELECT COUNT(*) FROM (SELECT i || h AS x FROM n, big GROUP BY 1)"),
        format!("{BIG}, {n} SELECT COUNT(*) FROM (SELECT i || t FROM n, big UNION SELECT 1)"),
        format!(
            "{BIG}, {n} SELECT SUM(r) FROM (SELECT row_number() OVER (ORDER BY i || t) AS r FROM n, big)"
        ),
        format!(
            "{BIG}, {n}, m AS MATERIALIZED (SELECT i || t AS x FROM n, big) SELECT COUNT(*) FROM m a, m b"
        ),
    ] {
        let before = watch::written().expect("Linux tells");
        let answer = ask(&path, &sql, 10, || true);
        let wrote = watch::written().unwrap() - before;
        let told = matches!(&answer, Err(DatasourceError::Query(why)) if why.contains("more than 64 MiB"));
        assert!(told, "{sql}: {answer:?}, {wrote} bytes");
        assert!(wrote < 2 * watch::MAX_WRITTEN_BYTES, "{sql}: {wrote} bytes");
    }
    let small = format!("{BIG}, {n} SELECT i FROM n ORDER BY i DESC");
    assert_eq!(ask(&path, &small, 10, || true).unwrap().rows[0][0], 20_000);
}

#[test]
fn a_value_that_is_too_long_is_named_and_the_others_are_read() {
    let (_folder, path) = shop();
    let fill = "CREATE TABLE d (id INTEGER PRIMARY KEY, text TEXT); \
        INSERT INTO d VALUES (1, replace(hex(zeroblob(100000)), '0', 'x')), \
        (2, replace(hex(zeroblob(200000)), '0', 'x'))";
    Connection::open(&path).unwrap().execute_batch(fill).unwrap();
    let ask = |sql: &str| ask(&path, sql, 10, || true);
    let read = ask("SELECT text FROM d WHERE id = 1").unwrap();
    assert_eq!((read.rows[0][0].as_str().unwrap().len(), read.truncated), (65_536, true));
    match ask("SELECT text FROM d") {
        Err(DatasourceError::Query(why)) => assert!(why.contains("longer than 262144 bytes"), "{why}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        ask("SELECT id, octet_length(text) FROM d WHERE id = 2").map(|t| t.rows).unwrap(),
        [[2, 400_000]]
    );
}
