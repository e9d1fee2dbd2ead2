//! Where a principal stands in a workspace: one SELECT, run at the start of every call.

use std::{sync::LazyLock, time::Duration};

use futures_util::FutureExt as _;
use sqlx::FromRow;
use toolcrib_model::Id;

use super::minters;
use crate::backend::{Db, JobFuture, Opening, OpeningRow, OpeningSelect, StoreError, Tx, WriteTx};

/// Whose access is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActorIds {
    /// The member that acts or for whom somebody acts.
    pub user_id: Option<Id>,
    /// The agent that acts.
    pub agent_id: Option<Id>,
    /// The key that was used.
    pub key_id: Option<Id>,
}

impl ActorIds {
    /// Whether a key acts, and not a person with a token.
    fn has_key(&self) -> bool {
        self.agent_id.is_some() || self.key_id.is_some()
    }

    /// One of [`openings`] with these ids.
    fn opening(self) -> Opening {
        Opening { select: usize::from(self.has_key()), ids: [self.user_id, self.agent_id, self.key_id] }
    }
}

/// The workspace's policy, the member's role and the agent's state, as stored now.
#[derive(Clone, Debug, FromRow)]
pub struct AccessRow {
    /// `standard`, `confirm_writes` or `read_only`.
    pub approval_mode: String,
    /// The approver must be another person.
    pub four_eyes: bool,
    /// Agents of admins are not capped.
    pub agents_inherit_admin: bool,
    /// Where a confirmation's page is.
    pub approve_url_template: Option<String>,
    /// Writes a minute.
    pub write_per_minute: i64,
    /// Reads a minute.
    pub read_per_minute: i64,
    /// External calls a minute.
    pub external_per_minute: i64,
    /// How many of a hundred writes one person may spend while another is active.
    pub write_share_percent: i64,
    /// Confirmations that may be open in the workspace.
    pub open_confirmations: i64,
    /// The same of one caller.
    pub open_confirmations_per_caller: i64,
    /// Moves with every change of access.
    pub access_version: i64,
    /// What is promoted for whom instead of the usual, as JSON; absent where nobody said.
    pub promotions: Option<String>,
    /// The member's role; absent for nobody.
    pub role: Option<String>,
    /// The membership counts.
    pub active: Option<bool>,
    /// The agent's slug; absent where there is no such agent.
    pub agent_slug: Option<String>,
    /// `active` or `inactive`.
    pub agent_status: Option<String>,
    /// Whether the key that was used is revoked by now; absent for a token and for an operator's key.
    pub key_revoked: Option<bool>,
    /// Those who minted the key, as [`AccessRow::minters`] reads them: id and role of each. Absent where nobody did.
    minters: Option<String>,
}

/// The SELECT: `$1` is the workspace, `$2` the member, `$3` the agent and `$4` the key where it is about one.
fn select(id_text: &str, of_key: bool) -> String {
    let (key, its_join) = if of_key {
        (
            format!(
                "a.slug AS agent_slug, a.status AS agent_status, {} AS minters, \
                 (SELECT k.revoked_at IS NOT NULL FROM keys k WHERE k.workspace_id = w.id AND k.id = $4) AS key_revoked",
                minters::current(id_text, "w.id", "$4")
            ),
            "LEFT JOIN agents a ON a.workspace_id = w.id AND a.id = $3",
        )
    } else {
        let none =
            ["agent_slug", "agent_status", "minters"].map(|name| format!("CAST(NULL AS TEXT) AS {name}"));
        (none.join(", ") + ", CAST(NULL AS BOOLEAN) AS key_revoked", "")
    };
    format!(
        "SELECT w.approval_mode, w.four_eyes, w.agents_inherit_admin, w.approve_url_template, \
         w.write_per_minute, w.read_per_minute, w.external_per_minute, w.write_share_percent, w.open_confirmations, \
         w.open_confirmations_per_caller, w.access_version, w.promotions, \
         m.role, m.active, {key} FROM workspaces w \
         LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = $2 {its_join} \
         WHERE w.id = $1 AND w.deleted_at IS NULL"
    )
}

/// The SELECT of a user and that of a key: each is planned once, and no longer than what it is about.
pub fn openings() -> Vec<OpeningSelect> {
    let opening = |name, of_key| OpeningSelect {
        name,
        sqlite: select(minters::SQLITE_ID, of_key),
        pg: select(minters::PG_ID, of_key),
    };
    vec![opening("access_row_user", false), opening("access_row_key", true)]
}

static SQLITE_READ: LazyLock<String> = LazyLock::new(|| select(minters::SQLITE_ID, true));
static PG_READ: LazyLock<String> = LazyLock::new(|| select(minters::PG_ID, true));

impl AccessRow {
    /// Reads it inside an open transaction; `None` where the workspace does not exist.
    pub async fn read(tx: &mut Tx, actor: ActorIds) -> Result<Option<Self>, StoreError> {
        let workspace = tx.workspace;
        Ok(per_backend!(tx,
            sqlite c => sqlx::query_as(SQLITE_READ.as_str())
                .bind(workspace).bind(actor.user_id).bind(actor.agent_id).bind(actor.key_id).fetch_optional(c).await,
            pg c => sqlx::query_as(PG_READ.as_str())
                .bind(workspace).bind(actor.user_id).bind(actor.agent_id).bind(actor.key_id).fetch_optional(c).await,
        )?)
    }

    /// The minters of the key that was used, in the order of their ids, each with their role now; empty text where they
    /// are no active member. Nobody for a token, and for a key of the operator's.
    pub fn minters(&self) -> Result<Vec<(Id, &str)>, StoreError> {
        minters::read(self.minters.as_deref())
    }
}

/// Decodes what an opening SELECT returned.
fn decode(row: Option<OpeningRow>) -> Result<Option<AccessRow>, StoreError> {
    let decoded = match row {
        None => return Ok(None),
        Some(OpeningRow::Sqlite(row)) => AccessRow::from_row(&row),
        Some(OpeningRow::Pg(row)) => AccessRow::from_row(&row),
    };
    decoded.map(Some).map_err(|error| StoreError::AccessRowUnreadable(error.to_string()))
}

/// Names a closure as a job of [`Db::write_with_access`], so that the compiler knows what it borrows.
pub fn write_job<T, E, F>(run: F) -> F
where
    F: for<'t> FnOnce(&'t mut WriteTx, Option<AccessRow>) -> JobFuture<'t, T, E>,
{
    run
}

impl Db {
    /// Reads the access row of `actor` by itself; `None` where there is no such workspace.
    pub async fn access_row(&self, workspace: Id, actor: ActorIds) -> Result<Option<AccessRow>, StoreError> {
        decode(self.ask(workspace, actor.opening()).await?)
    }

    /// Begins a read and reads the access row of `actor`; `None` where there is no such workspace.
    pub async fn read_with_access(
        &self,
        workspace: Id,
        actor: ActorIds,
    ) -> Result<(Tx, Option<AccessRow>), StoreError> {
        let (tx, row) = self.read_opening(workspace, actor.opening()).await?;
        Ok((tx, decode(row)?))
    }

    /// Runs `job` in a write transaction, after reading the access row of `actor` in that same transaction. `Ok` commits
    /// with the job's audit and outbox rows; `Err`, a panic or more than `limit` takes everything back.
    pub async fn write_with_access<T, E, F>(
        &self,
        workspace: Id,
        actor: ActorIds,
        limit: Duration,
        job: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx, Option<AccessRow>) -> JobFuture<'t, T, E> + Send + 'static,
    {
        self.write_opening(workspace, actor.opening(), limit, |tx, row| match decode(row) {
            Ok(access) => job(tx, access),
            Err(error) => async move { Err(error.into()) }.boxed(),
        })
        .await
    }
}
