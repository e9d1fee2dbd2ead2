//! Values as fields of rows, compared with what PostgreSQL reads.

use sqlx::{AssertSqlSafe, ConnectOptions as _, PgConnection, Row as _, postgres::PgConnectOptions};

use super::*;
use crate::backend::bulk_insert::{BulkRow, pg_array};

/// Returns what the server reads from a row with one field of the SQL type `of`.
async fn read<T>(conn: &mut PgConnection, value: &SqlValue, of: &str) -> T
where
    T: for<'a> sqlx::Decode<'a, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
{
    let row = BulkRow { workspace: Id::nil(), values: vec![value.clone()] };
    let made = format!("DROP TYPE IF EXISTS one_row; CREATE TYPE one_row AS (workspace_id UUID, a {of})");
    sqlx::raw_sql(AssertSqlSafe(made)).execute(&mut *conn).await.unwrap();
    let sql = "SELECT a FROM unnest(CAST(CAST($1 AS TEXT) AS one_row[]))";
    let text = pg_array(&[row]).unwrap();
    sqlx::query(sql).persistent(false).bind(text).fetch_one(conn).await.unwrap().get(0)
}

async fn connected() -> (toolcrib_testkit::TestDb, PgConnection) {
    let db = toolcrib_testkit::postgres().await;
    let options: PgConnectOptions = db.url().parse().unwrap();
    (db, options.connect().await.unwrap())
}

#[tokio::test]
async fn numbers_flags_ids_and_nothing_are_read_as_themselves() {
    let (_db, mut conn) = connected().await;
    for number in [i64::MIN, i64::MIN + 1, -5, -1, 0, 1, 1 << 53, i64::MAX] {
        let value = SqlValue::Number(Some(number));
        assert_eq!(read::<i64>(&mut conn, &value, "BIGINT").await, number);
        let text: String = read(&mut conn, &value, "TEXT").await;
        assert_eq!(text, number.to_string());
    }
    for flag in [true, false] {
        assert_eq!(read::<bool>(&mut conn, &SqlValue::Flag(Some(flag)), "BOOLEAN").await, flag);
    }
    for id in [Id::nil(), Id::max(), Id::from_u128(0x0123_4567_89ab_cdef)] {
        assert_eq!(read::<Id>(&mut conn, &SqlValue::Id(Some(id)), "UUID").await, id);
    }
    for value in [SqlValue::Id(None), SqlValue::Text(None), SqlValue::Number(None)] {
        assert_eq!(read::<Option<String>>(&mut conn, &value, "TEXT").await, None);
    }
}

/// Returns what the server reads from rows of two texts in an array.
async fn read_rows(conn: &mut PgConnection, rows: &[[Option<&str>; 2]]) -> Vec<[Option<String>; 2]> {
    let bulk = |values: &[Option<&str>; 2]| BulkRow {
        workspace: Id::nil(),
        values: values.map(|text| SqlValue::Text(text.map(str::to_owned))).into(),
    };
    let text = pg_array(&rows.iter().map(bulk).collect::<Vec<_>>()).unwrap();
    let sql = "SELECT a, b FROM unnest(CAST(CAST($1 AS TEXT) AS pair_row[]))";
    let found = sqlx::query(sql).bind(text).fetch_all(conn).await.unwrap();
    found.iter().map(|row| [row.get(0), row.get(1)]).collect()
}

#[tokio::test]
async fn fields_of_rows_are_read_as_themselves() {
    let (_db, mut conn) = connected().await;
    sqlx::query("CREATE TYPE pair_row AS (workspace_id UUID, a TEXT, b TEXT)")
        .execute(&mut conn)
        .await
        .unwrap();
    let all: Vec<char> = ('\u{1}'..=char::MAX).collect();
    for part in all.chunks(1 << 16) {
        let text: String = part.iter().collect();
        let read = read_rows(&mut conn, &[[None, Some(&text)]]).await;
        assert_eq!(read, [[None, Some(text)]]);
    }
    let parts = ["", "\"", "\\", "'", ",", "(", ")", "{", "}", "NULL", "\n", " ", "a"];
    let texts: Vec<String> = parts
        .iter()
        .flat_map(|first| {
            parts.iter().flat_map(move |second| parts.map(|third| format!("{first}{second}{third}")))
        })
        .collect();
    let rows: Vec<_> = texts.iter().map(|text| [Some(text.as_str()), None]).collect();
    let expected: Vec<_> = texts.iter().map(|text| [Some(text.clone()), None]).collect();
    assert_eq!(read_rows(&mut conn, &rows).await, expected);
}

#[test]
fn a_nul_is_refused() {
    let refused = SqlValue::Text(Some("not\0fine".to_owned())).write_in_row(&mut String::new());
    assert!(matches!(refused, Err(StoreError::Inconsistent(_))), "{refused:?}");
}
