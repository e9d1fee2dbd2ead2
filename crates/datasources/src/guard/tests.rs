//! Tests of the time that a check takes.

use std::time::{Duration, Instant};

use super::*;

const BOTH: [DatasourceKind; 2] = [DatasourceKind::Postgres, DatasourceKind::Sqlite];

/// Forms with an expression inside: the text before it and the text after it.
const FORMS: [(&str, &str); 34] = [
    ("position(", ")"),
    ("position('a' IN ", ")"),
    ("position(1 IN position(2)+", ")"),
    ("substring(", ")"),
    ("substring(1 FROM ", ")"),
    ("substr(1,", ")"),
    ("overlay(", ")"),
    ("overlay(1 PLACING 2 FROM ", ")"),
    ("trim(", ")"),
    ("trim(BOTH 'a' FROM ", ")"),
    ("trim('a',", ")"),
    ("extract(day FROM ", ")"),
    ("extract(", ")"),
    ("ceil(", ")"),
    ("floor(", ")"),
    ("cast(", " AS INT)"),
    ("cast(1 AS ", ")"),
    ("convert(", ")"),
    ("interval (", ")"),
    ("interval ", ""),
    ("date ", ""),
    ("CASE WHEN ", " THEN 1 END"),
    ("CASE ", " WHEN 1 THEN 1 END"),
    ("(", ")"),
    ("(1,", ")"),
    ("(SELECT ", ")"),
    ("EXISTS (SELECT ", ")"),
    ("1 IN (", ")"),
    ("NOT (", ")"),
    ("if(", ")"),
    ("array[", "]"),
    ("sum(", ") OVER (ORDER BY 1)"),
    ("current_time(", ")"),
    ("f(a => ", ")"),
];

/// Forms after FROM.
const TABLES: [(&str, &str); 5] = [
    ("(", ")"),
    ("(a JOIN ", ")"),
    ("(SELECT * FROM ", ") t"),
    ("(VALUES (1), (", "))"),
    ("LATERAL (SELECT * FROM ", ") t"),
];

fn filled(start: &str, before: &str, behind: &str, depth: usize, inner: &str) -> String {
    let one = format!("{}{inner}{}", before.repeat(depth), behind.repeat(depth));
    let times = ((9_900 - start.len()) / (one.len() + 2)).max(1);
    format!("{start} {}", vec![one; times].join(", "))
}

#[test]
fn no_query_is_read_for_long_however_it_is_nested() {
    let job = || {
        for kind in BOTH {
            let expressions = FORMS.iter().map(|form| ("SELECT", form, ["1", "case"]));
            let tables = TABLES.iter().map(|form| ("SELECT * FROM", form, ["a", "1 1"]));
            for (start, (before, behind), inner) in expressions.chain(tables) {
                for (depth, inner) in [6, 12, 20].iter().flat_map(|n| inner.map(|i| (*n, i))) {
                    let text = filled(start, before, behind, depth, inner);
                    let (counted, began) = (dialect(kind), Instant::now());
                    let _ = read_in(kind, &counted, &text);
                    let (took, begun) = (began.elapsed(), counted.begun());
                    assert!(
                        took < Duration::from_secs(2),
                        "{kind:?}: {took:?}, {begun} begun: {}",
                        &text[..99]
                    );
                }
            }
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(job).unwrap().join().unwrap();
}

#[test]
fn what_would_be_read_again_and_again_is_refused() {
    let job = || {
        for kind in BOTH {
            let text = format!("SELECT {}1{}", "position(".repeat(18), ")".repeat(18));
            let why = read(kind, &text).unwrap_err().to_string();
            assert_eq!(why, "the query is nested too deeply");
            let long = format!("SELECT a{}", " + a".repeat(1_900));
            assert!(read(kind, &long).is_ok(), "a long query is not a deep one");
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(job).unwrap().join().unwrap();
}

#[test]
fn a_form_of_time_is_written_out() {
    let read = |sql| read(DatasourceKind::Sqlite, sql);
    assert!(read("SELECT strftime('%Y', day) FROM t").is_ok());
    let why = read("SELECT strftime(form, day) FROM t").unwrap_err().to_string();
    assert!(why.contains("strftime takes a written text"), "{why}");
}
