//! Audit rows into SQLite, bound value by value.

use std::sync::LazyLock;

use sqlx::SqliteConnection;

use super::cells;
use crate::{AuditRow, StoreError};

/// Begins what [`Place::Begun`] ends.
pub const BEGIN: &str = "BEGIN IMMEDIATE; SAVEPOINT call_group";

/// Where rows are written and committed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a transaction of their own.
    Alone,
    /// In the one that [`BEGIN`] began.
    Begun,
}

const COMMIT: &str = "RELEASE SAVEPOINT call_group; COMMIT";

/// At most this many rows are one statement.
pub const MOST: usize = 64;
/// Rows for which a statement is kept. One with room for more is told fewer: what is not bound is NULL.
const ROOMS: [usize; 3] = [4, 16, MOST];

/// The texts for one of [`ROOMS`].
struct Insert {
    rows: String,
    /// With the end of the transaction that [`BEGIN`] began.
    begun: String,
    /// In a transaction of their own.
    alone: String,
}

static INSERTS: LazyLock<[Insert; 3]> = LazyLock::new(|| {
    ROOMS.map(|rows| {
        let row = format!("({})", ["?"; cells::AUDIT.len() + 1].join(", "));
        let values = vec![row; rows].join(", ");
        let columns = cells::AUDIT.join(", ");
        let rows = format!(
            "INSERT INTO action_log (workspace_id, {columns}) SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"
        );
        Insert { begun: format!("{rows}; {COMMIT}"), alone: format!("BEGIN IMMEDIATE; {rows}; COMMIT"), rows }
    })
});

/// Writes at most [`MOST`] rows and, where `ends` is said, commits.
pub async fn insert(
    conn: &mut SqliteConnection,
    rows: Vec<AuditRow>,
    ends: Option<Place>,
) -> Result<(), StoreError> {
    let inserts: &'static [Insert; 3] = &INSERTS;
    let room = ROOMS.iter().position(|room| rows.len() <= *room).unwrap_or(ROOMS.len() - 1);
    let sql = match (&inserts[room], ends) {
        (_, Some(Place::Begun)) if rows.is_empty() => COMMIT,
        (insert, Some(Place::Begun)) => &insert.begun,
        (insert, Some(Place::Alone)) => &insert.alone,
        (insert, None) => &insert.rows,
    };
    rows.into_iter()
        .flat_map(cells::audit)
        .fold(sqlx::query(sql), |query, cell| cell.bind(query))
        .execute(conn)
        .await?;
    Ok(())
}
