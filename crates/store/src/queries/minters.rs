//! The minters of keys: the users to whom a secret of a key was shown.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::{AssertSqlSafe, FromRow};
use toolcrib_model::{Cursor, Id, Ts};

use crate::{
    backend::{StoreError, Tx, WriteTx},
    tables::keys::KeyRow,
};

/// The expressions that convert the id of a minter to text.
pub(crate) const SQLITE_ID: &str = "hex(km.user_id)";
pub(crate) const PG_ID: &str = "CAST(km.user_id AS TEXT)";

/// Builds the expression that selects the current minters of the key `key` in the workspace `workspace`, in
/// the format that [`read`] parses.
pub(crate) fn current(id_text: &str, workspace: &str, key: &str) -> String {
    format!(
        "(SELECT string_agg({id_text} || ' ' || CASE WHEN mm.active THEN mm.role ELSE '' END, ',') \
         FROM key_minters km LEFT JOIN members mm \
         ON mm.workspace_id = km.workspace_id AND mm.user_id = km.user_id \
         WHERE km.workspace_id = {workspace} AND km.key_id = {key} AND km.is_current)"
    )
}

/// Parses the value of [`current`]: id and role of each minter, ordered by id. The role of an inactive or
/// former member is empty.
pub(crate) fn read(text: Option<&str>) -> Result<Vec<(Id, &str)>, StoreError> {
    let unreadable = || StoreError::Inconsistent("the minters of a key can't be read".into());
    let minters = text.into_iter().flat_map(|text| text.split(',')).map(|entry| {
        let (id, role) = entry.split_once(' ').ok_or_else(unreadable)?;
        Ok((Id::try_parse(id).map_err(|_| unreadable())?, role))
    });
    let mut minters = minters.collect::<Result<Vec<_>, StoreError>>()?;
    minters.sort_unstable();
    Ok(minters)
}

/// A key with the roles that decide its current permissions.
#[derive(Clone, Debug, FromRow)]
pub struct KeyAccess {
    #[sqlx(flatten)]
    pub key: KeyRow,
    /// The role of the member for whom the agent runs; absent if the membership is not active.
    pub subject_role: Option<String>,
    minters: Option<String>,
}

impl KeyAccess {
    /// Returns the minters, each with its current role, which is empty for an inactive or former member.
    pub fn minters(&self) -> Result<Vec<(Id, &str)>, StoreError> {
        read(self.minters.as_deref())
    }
}

fn select(tx: &Tx, filter: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "SELECT {}, CASE WHEN sm.active THEN sm.role END AS subject_role, {} AS minters FROM keys k \
         LEFT JOIN members sm ON sm.workspace_id = k.workspace_id AND sm.user_id = k.runs_as \
         WHERE k.workspace_id = $1 AND {filter}",
        columns!(keys "k."),
        current(tx.sql(SQLITE_ID, PG_ID), "k.workspace_id", "k.id")
    ))
}

/// Lists at most `limit` keys after `cursor`, newest first.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<KeyAccess>, StoreError> {
    let sql = select(tx, "(k.created_at, k.id) < ($2, $3) ORDER BY k.created_at DESC, k.id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<KeyAccess>, StoreError> {
    let sql = select(tx, "k.id = $2");
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(id).fetch_optional(c).await)?,
    )
}

/// Returns the keys that are valid at `now` and depend on a user: those that the user minted, and those of
/// agents that run for the user.
pub async fn depending_on(tx: &mut Tx, user_id: Id, now: Ts) -> Result<Vec<KeyAccess>, StoreError> {
    let filter = "(k.runs_as = $2 OR k.id IN (SELECT d.key_id FROM key_minters d \
            WHERE d.workspace_id = $1 AND d.user_id = $2 AND d.is_current)) \
            AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $3) ORDER BY k.created_at, k.id";
    let sql = select(tx, filter);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(user_id).bind(now.as_micros())
        .fetch_all(c).await)?,
    )
}

/// An object that keeps working without the member who created it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct StandingWork {
    /// `webhook`, `connection`, `datasource`, `schedule`, `heartbeat`, `playbook` or `mission`.
    pub kind: String,
    /// ID.
    pub id: Id,
    /// Name, URL or description.
    pub name: String,
}

/// Returns the objects that a user created and that stay in effect without the user, ordered by kind and id;
/// at most 200.
pub async fn standing_work(tx: &mut Tx, user_id: Id) -> Result<Vec<StandingWork>, StoreError> {
    const SQL: &str = "SELECT 'webhook' AS kind, id, url AS name FROM webhooks WHERE workspace_id = $1 AND created_by = $2 \
        UNION ALL SELECT 'connection', id, name FROM connections WHERE workspace_id = $1 AND created_by = $2 \
        UNION ALL SELECT 'datasource', id, name FROM datasources WHERE workspace_id = $1 AND created_by = $2 \
        UNION ALL SELECT 'schedule', id, description FROM schedules WHERE workspace_id = $1 AND created_by = $2 \
        AND status IN ('active', 'paused') \
        UNION ALL SELECT 'heartbeat', h.agent_id, a.name FROM heartbeats h JOIN agents a ON a.workspace_id = h.workspace_id \
        AND a.id = h.agent_id WHERE h.workspace_id = $1 AND h.set_by = $2 AND h.enabled \
        UNION ALL SELECT 'playbook', id, name FROM playbooks WHERE workspace_id = $1 AND set_by = $2 \
        AND next_run_at IS NOT NULL \
        UNION ALL SELECT 'mission', id, SUBSTR(goal, 1, 100) FROM missions WHERE workspace_id = $1 AND created_by = $2 \
        AND state IN ('awaiting_approval', 'running') ORDER BY 1, 2 LIMIT 200";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(user_id)
        .fetch_all(c).await)
}

/// Records a user as a current minter of a key.
pub async fn insert(tx: &mut WriteTx, key_id: Id, user_id: Id) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO key_minters (workspace_id, key_id, user_id, is_current) VALUES ($1, $2, $3, TRUE) \
        ON CONFLICT (workspace_id, key_id, user_id) DO UPDATE SET is_current = TRUE, known_until = NULL";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(key_id).bind(user_id)
        .execute(c).await.map(|_| ()))
}

/// Records the people behind `parent` at `now` as former minters of a key that `parent` created: they may
/// know its secret.
pub async fn inherit(tx: &mut WriteTx, key_id: Id, parent: Id, now: Ts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO key_minters (workspace_id, key_id, user_id, is_current) \
        VALUES ($1, $2, $3, FALSE) ON CONFLICT (workspace_id, key_id, user_id) DO NOTHING";
    for person in people_behind(tx, parent, now).await? {
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(key_id).bind(person).execute(c)
            .await.map(|_| ()))?;
    }
    Ok(())
}

/// Makes a user the only current minter of a key. With a new secret, the former minters count until
/// `known_until`, in microseconds, when the old secret expires; otherwise for ever.
pub async fn replace(
    tx: &mut WriteTx,
    key_id: Id,
    user_id: Id,
    known_until: Option<i64>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE key_minters SET is_current = FALSE, known_until = CASE WHEN $4 IS NULL \
        OR known_until < $4 THEN known_until ELSE $4 END WHERE workspace_id = $1 AND key_id = $2 AND user_id <> $3";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(key_id).bind(user_id).bind(known_until)
        .execute(c).await.map(|_| ()))?;
    insert(tx, key_id, user_id).await
}

/// Returns the people behind a key at `now`: its minters, those of the key that created it, and former
/// minters who still know a secret of either.
pub async fn people_behind(tx: &mut Tx, key_id: Id, now: Ts) -> Result<Vec<Id>, StoreError> {
    const SQL: &str = "SELECT DISTINCT km.user_id FROM key_minters km JOIN keys k ON k.workspace_id = km.workspace_id \
        AND (km.key_id = k.id OR km.key_id = k.parent_id) WHERE k.workspace_id = $1 AND k.id = $2 \
        AND (km.is_current OR km.known_until IS NULL OR km.known_until > $3) ORDER BY km.user_id";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(key_id)
            .bind(now.as_micros()).fetch_all(c).await)
}
