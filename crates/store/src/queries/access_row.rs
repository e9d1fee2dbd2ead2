//! The access row: a principal's role and status and the workspace's policy, read by one SELECT at the start
//! of every call.

use std::sync::LazyLock;

use sqlx::FromRow;
use toolcrib_model::Id;

use super::minters;
use crate::{
    backend::{AccessQuery, AccessSelect, Db, RawAccessRow, StoreError, Tx, WriteTx},
    tables::workspaces::Settings,
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ActorIds {
    /// The member that acts or for whom an agent or key acts.
    pub user_id: Option<Id>,
    pub agent_id: Option<Id>,
    /// The key that was used.
    pub key_id: Option<Id>,
}

impl ActorIds {
    /// Whether the caller uses a key, and not a user's token.
    fn has_key(&self) -> bool {
        self.agent_id.is_some() || self.key_id.is_some()
    }

    /// Returns the SELECT of [`selects`] for these ids.
    fn query(self) -> AccessQuery {
        AccessQuery { select: usize::from(self.has_key()), ids: [self.user_id, self.agent_id, self.key_id] }
    }
}

/// The current policy of the workspace, role of the member and status of the agent and key.
#[derive(Clone, Debug, FromRow)]
pub struct AccessRow {
    #[sqlx(flatten)]
    pub settings: Settings,
    /// Incremented by every change of access: of memberships, keys or settings.
    pub access_version: i64,
    /// Incremented by every change of the workspace's toolsets.
    pub toolset_version: i64,
    /// The packs that are on, as `access::EnabledPacks` stores them.
    pub packs: String,
    /// The workspace's own promotions, as JSON; absent if the defaults apply.
    pub promotions: Option<String>,
    /// The member's role; absent if the user is no member.
    pub role: Option<String>,
    pub active: Option<bool>,
    /// The agent's slug; absent if there is no such agent.
    pub agent_slug: Option<String>,
    /// `active` or `inactive`.
    pub agent_status: Option<String>,
    /// Whether the key was revoked; absent for a token and for an operator's key.
    pub key_revoked: Option<bool>,
    /// The minters of the key with their roles, in the format that [`AccessRow::minters`] parses; absent if
    /// there are none.
    minters: Option<String>,
}

/// Builds the SELECT: `$1` is the workspace, `$2` the member, and with `of_key` `$3` is the agent and `$4`
/// the key.
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
        "SELECT w.approval_mode, w.four_eyes, w.agents_inherit_admin, w.runner, w.approve_url_template, \
         w.write_per_minute, w.read_per_minute, w.external_per_minute, w.client_per_minute, w.write_share_percent, \
         w.open_confirmations, w.open_confirmations_per_caller, w.access_version, w.toolset_version, w.packs, w.promotions, \
         m.role, m.active, {key} FROM workspaces w \
         LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = $2 {its_join} \
         WHERE w.id = $1 AND w.deleted_at IS NULL"
    )
}

/// Returns the SELECTs of access rows, one for users and one for keys. Each is prepared once, and the one for
/// users omits what concerns agents and keys.
pub fn selects() -> Vec<AccessSelect> {
    let of = |name, of_key| AccessSelect {
        name,
        sqlite: select(minters::SQLITE_ID, of_key),
        pg: select(minters::PG_ID, of_key),
    };
    vec![of("access_row_user", false), of("access_row_key", true)]
}

static SQLITE_READ: LazyLock<String> = LazyLock::new(|| select(minters::SQLITE_ID, true));
static PG_READ: LazyLock<String> = LazyLock::new(|| select(minters::PG_ID, true));

impl AccessRow {
    /// Reads the access row in an open transaction. Returns `None` if the workspace does not exist.
    pub async fn read(tx: &mut Tx, actor: ActorIds) -> Result<Option<Self>, StoreError> {
        let sql = tx.sql(SQLITE_READ.as_str(), PG_READ.as_str());
        with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(actor.user_id)
            .bind(actor.agent_id).bind(actor.key_id).fetch_optional(c).await)
    }

    /// Returns the minters of the key, ordered by id, each with its current role, which is empty for an
    /// inactive or former member. The list is empty for a token and for an operator's key.
    pub fn minters(&self) -> Result<Vec<(Id, &str)>, StoreError> {
        minters::read(self.minters.as_deref())
    }
}

fn decode(row: Option<RawAccessRow>) -> Result<Option<AccessRow>, StoreError> {
    let decoded = row.map(RawAccessRow::decode).transpose();
    decoded.map_err(|error| StoreError::AccessRowUnreadable(error.to_string()))
}

impl Db {
    /// Reads the access row of `actor` without a further transaction. Returns `None` if the workspace does
    /// not exist.
    pub async fn access_row(&self, workspace: Id, actor: ActorIds) -> Result<Option<AccessRow>, StoreError> {
        decode(self.read_access(workspace, actor.query()).await?)
    }

    /// Begins a read and reads the access row of `actor`, which is `None` if the workspace does not exist.
    pub async fn begin_read_as(
        &self,
        workspace: Id,
        actor: ActorIds,
    ) -> Result<(Tx, Option<AccessRow>), StoreError> {
        let (tx, row) = self.begin_read(workspace, Some(actor.query())).await?;
        Ok((tx, decode(row)?))
    }

    /// Begins a write and reads the access row of `actor`, which is `None` if the workspace does not exist.
    pub async fn begin_write_as(
        &self,
        workspace: Id,
        actor: ActorIds,
    ) -> Result<(WriteTx, Option<AccessRow>), StoreError> {
        let (tx, row) = self.begin_write_with(workspace, Some(actor.query())).await?;
        Ok((tx, decode(row)?))
    }
}
