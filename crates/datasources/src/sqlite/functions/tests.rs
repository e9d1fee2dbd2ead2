//! Compares SQLite's own functions with ours.

use rusqlite::types::Value;

use super::*;

const VALUES: [&str; 34] = [
    "NULL",
    "''",
    "0",
    "-7",
    "3.0",
    "-0.0",
    "0.1",
    "1e15",
    "1e14",
    "123456789012345.6",
    "1.5e-5",
    "0.00012",
    "1e300",
    "-2.5e-10",
    "9e999",
    "1e16/3",
    "1.0/3",
    "'a'",
    "'A'",
    "'abcabc'",
    "'äöÄ€'",
    "'%'",
    "'_b%'",
    "'a\\%c'",
    "'[a-c]'",
    "'[^a]*'",
    "'*c'",
    "'[]-]?'",
    "'[a'",
    "'aXbXc'",
    "x'6162'",
    "'b'",
    "'  a '",
    "'a%b_c%'",
];

fn answer(conn: &Connection, sql: &str) -> std::result::Result<Value, String> {
    conn.query_row(sql, [], |row| row.get(0)).map_err(|error| match error {
        Error::SqliteFailure(_, Some(message)) => message,
        other => other.to_string(),
    })
}

fn both() -> [Connection; 2] {
    let [own, ours] = [(); 2].map(|()| Connection::open_in_memory().unwrap());
    register(&ours, &Watch::new(|| true)).unwrap();
    [own, ours]
}

#[test]
fn ours_answer_what_sqlites_do() {
    let [own, ours] = both();
    let (mut asked, mut wrong) = (0, Vec::new());
    for a in VALUES {
        for b in VALUES {
            let mut calls =
                ["trim", "ltrim", "rtrim", "instr"].map(|name| format!("{name}({a}, {b})")).to_vec();
            calls.extend([format!("{a} LIKE {b}"), format!("{a} GLOB {b}"), format!("{a} NOT LIKE {b}")]);
            calls.extend(
                ["'%'", "'\\'", "'_'", "'ab'", "''", "NULL"].map(|c| format!("{a} LIKE {b} ESCAPE {c}")),
            );
            calls.extend(["''", "'xyz'", "NULL", "3.5"].map(|c| format!("replace({a}, {b}, {c})")));
            for call in calls {
                let sql = format!("SELECT {call}");
                let [theirs, ours] = [&own, &ours].map(|conn| answer(conn, &sql));
                asked += 1;
                if theirs != ours {
                    wrong.push(format!("{call}: {theirs:?}, ours {ours:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {asked}: {}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
fn numbers_are_turned_into_the_texts_of_sqlite() {
    let [own, _] = both();
    let mut bits: u64 = 0x9E37_79B9_7F4A_7C15;
    for n in 0..2_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let cents = f64::from(u32::try_from(bits >> 40).unwrap()) / 100.0;
        let value = if n % 2 == 0 { cents } else { cents / 7.0 };
        let theirs: String = own.query_row("SELECT CAST(?1 AS TEXT)", [value], |row| row.get(0)).unwrap();
        assert_eq!(real(value), theirs);
    }
}
