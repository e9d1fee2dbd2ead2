//! The table `media_tracking`: what calls added.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx, WriteTx, filtered, with_backend};

use crate::settings::Kind;

/// The table, for the pack's schema.
pub const TABLE: &str = "media_tracking";

pub struct NewAddition<'a> {
    pub id: Id,
    pub call_id: Id,
    pub user_id: Option<Id>,
    pub agent_id: Option<Id>,
    pub kind: Kind,
    pub title: &'a str,
    pub year: Option<i64>,
    pub foreign_id: String,
    pub library_id: Option<i64>,
    pub library: Option<&'a str>,
    pub created_at: Ts,
}

/// A film or a series that was added.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct Addition {
    /// ID of the addition.
    pub id: Id,
    /// `movie` or `series`.
    #[serde(rename = "type")]
    #[sqlx(try_from = "String")]
    pub kind: Kind,
    /// Title.
    #[schemars(extend("x-untrusted" = "texts of media services"))]
    pub title: String,
    /// Year; null if unknown.
    pub year: Option<i64>,
    /// ID at TMDB of a film, at `TheTVDB` of a series.
    #[schemars(extend("x-ours" = true))]
    pub foreign_id: String,
    /// ID in the library of the server; null if unknown.
    pub library_id: Option<i64>,
    /// Library of the settings into which it went; null without libraries.
    #[schemars(extend("x-untrusted" = "texts of media services"))]
    pub library: Option<String>,
    /// ID of the member who added it; null if an application did for nobody.
    pub user_id: Option<Id>,
    /// Name of that member; null if unknown.
    #[schemars(extend("x-untrusted" = "names of members"))]
    pub user_name: Option<String>,
    /// Name of the agent that added it for the member; null if none did.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// ID of the call that added it.
    pub call_id: Id,
    /// Time.
    #[sqlx(try_from = "i64")]
    pub added_at: Ts,
}

/// Whose additions are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    Everybody,
    Member(Id),
    /// Of keys that act for nobody: a row does not say which key it was.
    Nobody,
}

/// Which additions are wanted.
#[derive(Clone, Copy)]
pub struct Filter {
    pub whose: Whose,
    pub kind: Option<Kind>,
    pub since: Option<Ts>,
}

impl Filter {
    const fn user_id(self) -> Option<Id> {
        match self.whose {
            Whose::Member(user_id) => Some(user_id),
            Whose::Everybody | Whose::Nobody => None,
        }
    }

    fn of_nobody(self) -> Option<()> {
        (self.whose == Whose::Nobody).then_some(())
    }
}

pub async fn insert(tx: &mut WriteTx, new: &NewAddition<'_>) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO media_tracking (workspace_id, id, call_id, user_id, agent_id, kind, title, year, foreign_id, \
        library_id, library, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(new.id).bind(new.call_id)
        .bind(new.user_id).bind(new.agent_id).bind(new.kind.as_str()).bind(new.title).bind(new.year)
        .bind(&new.foreign_id).bind(new.library_id).bind(new.library).bind(new.created_at.as_micros())
        .execute(c).await.map(drop))
}

/// Lists at most `limit` additions after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: Filter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<Addition>, StoreError> {
    let sql = filtered!(
        "SELECT t.id, t.kind, t.title, t.year, t.foreign_id, t.library_id, t.library, t.user_id, \
        coalesce(m.display_name, u.display_name) AS user_name, a.name AS agent_name, t.call_id, t.created_at AS added_at \
        FROM media_tracking t \
        LEFT JOIN members m ON m.workspace_id = t.workspace_id AND m.user_id = t.user_id \
        LEFT JOIN users u ON u.id = m.user_id \
        LEFT JOIN agents a ON a.workspace_id = t.workspace_id AND a.id = t.agent_id \
        WHERE t.workspace_id = $1 AND ",
        [filter.user_id() => "t.user_id = $2" or "$2 IS NULL", filter.kind => "t.kind = $3" or "$3 IS NULL", filter.of_nobody() => "t.user_id IS NULL" or "TRUE"],
        " AND t.created_at >= $4 AND (t.created_at, t.id) < ($5, $6) ORDER BY t.created_at DESC, t.id DESC LIMIT $7"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(filter.user_id())
        .bind(filter.kind.map(Kind::as_str)).bind(filter.since.map_or(0, Ts::as_micros))
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Counts additions by kind: all of the filter, and those since a time.
pub async fn count(tx: &mut Tx, filter: Filter, recent: Ts) -> Result<Vec<(String, i64, i64)>, StoreError> {
    let sql = filtered!(
        "SELECT kind, CAST(COUNT(*) AS BIGINT), \
        CAST(SUM(CASE WHEN created_at >= $5 THEN 1 ELSE 0 END) AS BIGINT) FROM media_tracking \
        WHERE workspace_id = $1 AND ",
        [filter.user_id() => "user_id = $2" or "$2 IS NULL", filter.kind => "kind = $3" or "$3 IS NULL", filter.of_nobody() => "user_id IS NULL" or "TRUE"],
        " AND created_at >= $4 GROUP BY kind"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(filter.user_id())
        .bind(filter.kind.map(Kind::as_str)).bind(filter.since.map_or(0, Ts::as_micros))
        .bind(recent.as_micros()).fetch_all(c).await)
}
