//! Where a principal stands in a workspace: one SELECT, run at the start of every call.

use sqlx::FromRow;
use toolcrib_model::Id;

use crate::{StoreError, Tx};

/// Whose standing is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Who {
    /// The member that acts or for whom somebody acts.
    pub user_id: Option<Id>,
    /// The agent that acts.
    pub agent_id: Option<Id>,
}

/// The workspace's policy, the member's role and the agent's state, as stored now.
#[derive(Clone, Debug, FromRow)]
pub struct Standing {
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
}

/// The SELECT with bound ids, after `$before`.
macro_rules! bound {
    ($before:literal) => {
        concat!(
            $before,
            "SELECT w.approval_mode, w.four_eyes, w.agents_inherit_admin, w.approve_url_template, \
             w.write_per_minute, w.read_per_minute, w.external_per_minute, w.access_version, w.promotions, \
             m.role, m.active, a.slug AS agent_slug, a.status AS agent_status FROM workspaces w \
             LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = $2 \
             LEFT JOIN agents a ON a.workspace_id = w.id AND a.id = $3 \
             WHERE w.id = $1 AND w.deleted_at IS NULL"
        )
    };
}

const BOUND: &str = bound!("");

impl Standing {
    // For SQLite, which runs all statements of one text.
    pub(crate) const BEGIN_AND_READ: &str = bound!("BEGIN; ");
    pub(crate) const END_BEGIN_AND_READ: &str = bound!("COMMIT; BEGIN; ");
    pub(crate) const AT_FIRST_SAVEPOINT: &str =
        bound!("BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_start; ");
    pub(crate) const AT_NEXT_SAVEPOINT: &str = bound!("RELEASE SAVEPOINT call_start; SAVEPOINT call_start; ");

    /// Reads it inside an open transaction; `None` where the workspace does not exist.
    pub async fn read(tx: &mut Tx, who: Who) -> Result<Option<Self>, StoreError> {
        Self::read_with(tx, BOUND, who).await
    }

    /// The same with one of the texts above.
    pub(crate) async fn read_with(
        tx: &mut Tx,
        sql: &'static str,
        who: Who,
    ) -> Result<Option<Self>, StoreError> {
        let workspace = tx.workspace;
        let row = on!(tx, c => sqlx::query_as::<_, Self>(sql)
            .bind(workspace).bind(who.user_id).bind(who.agent_id).fetch_optional(c).await)?;
        Ok(row)
    }

    /// For each new connection to PostgreSQL, which then plans the SELECT once.
    pub(crate) const PREPARE: &str = bound!("PREPARE standing(uuid, uuid, uuid) AS ");

    /// What was prepared, with the ids written in: PostgreSQL runs it in the round trip that begins.
    pub(crate) fn execute(workspace: Id, who: Who) -> String {
        let text = |id: Option<Id>| id.map_or_else(|| "NULL".to_owned(), |id| format!("'{id}'"));
        format!("EXECUTE standing('{workspace}', {}, {})", text(who.user_id), text(who.agent_id))
    }
}
