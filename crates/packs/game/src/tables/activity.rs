//! What happened in a project, read from the times of its rows.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx, with_backend};

/// Something that happened in a project.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ActivityRow {
    /// Time.
    #[sqlx(try_from = "i64")]
    pub at: Ts,
    /// What happened, such as `system_updated` or `plan_finalized`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// ID of the system, brainstorm, plan, thread or export.
    pub subject: Id,
    /// Its name or title, as it was.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub title: Option<String>,
    /// ID of the user, agent or key that did it.
    pub by: Id,
    #[serde(skip)]
    pub id: Id,
}

/// One part of the union: the last rows of a table before the cursor, by its index.
macro_rules! part {
    ($columns:literal, $table:literal, $at:literal, $more:literal) => {
        concat!(
            "SELECT * FROM (SELECT ",
            $at,
            " AS at, id, ",
            $columns,
            " FROM ",
            $table,
            " WHERE workspace_id = $1 AND project_id = $2 AND (",
            $at,
            ", id) < ($3, $4)",
            $more,
            " ORDER BY ",
            $at,
            " DESC, id DESC LIMIT $5) AS part"
        )
    };
    ($columns:literal, $table:literal) => {
        part!($columns, $table, "created_at", "")
    };
}

/// Returns at most `limit` things that happened before `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    project: Id,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ActivityRow>, StoreError> {
    const SQL: &str = concat!(
        "SELECT at, id, kind, subject, title, by FROM (",
        part!(
            "CASE WHEN kind LIKE 'dependency%' THEN kind ELSE 'system_' || kind END AS kind, system_id AS subject, \
             system_name AS title, changed_by AS by",
            "game_system_changes",
            "changed_at",
            ""
        ),
        " UNION ALL ",
        part!("'brainstorm_created', id, title, created_by", "game_brainstorms"),
        " UNION ALL ",
        part!("'plan_created', id, version_label, created_by", "game_plans"),
        " UNION ALL ",
        part!(
            "'plan_finalized', id, version_label, finalized_by",
            "game_plans",
            "finalized_at",
            " AND finalized_at IS NOT NULL"
        ),
        " UNION ALL ",
        part!("'thread_created', id, title, created_by", "game_threads"),
        " UNION ALL ",
        part!("'export_created', id, title, created_by", "game_exports"),
        ") AS activity ORDER BY at DESC, id DESC LIMIT $5"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}
