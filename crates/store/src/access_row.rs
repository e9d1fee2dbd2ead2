//! Where a principal stands in a workspace: one SELECT, run at the start of every call.

use std::sync::LazyLock;

use sqlx::{FromRow, SqliteConnection};
use toolcrib_model::Id;

use crate::{
    StoreError, Tx,
    bulk_insert::{self, RowsFirst, SqlValue},
    minters,
};

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

/// One for each: planned once, and no longer than what it is about.
fn name(of_key: bool) -> &'static str {
    if of_key { "access_row_key" } else { "access_row_user" }
}

/// For each new connection to PostgreSQL.
pub static PREPARE: LazyLock<String> = LazyLock::new(|| {
    let prepare = |of_key| {
        let (name, select) = (name(of_key), select(minters::PG_ID, of_key));
        format!("PREPARE {name} (UUID, UUID, UUID, UUID) AS {select}")
    };
    [false, true].map(prepare).join("; ")
});

/// For SQLite, which runs all statements of one text: the SELECT behind what begins.
pub struct Texts {
    pub begin: String,
    pub end_begin: String,
    pub first_savepoint: String,
    pub next_savepoint: String,
    /// The same behind the rows of the job before, whose savepoint it releases.
    pub rows_next_savepoint: String,
}

const NEXT_SAVEPOINT: &str = "RELEASE SAVEPOINT call_start; SAVEPOINT call_start; ";

/// Of a user and of a key.
static TEXTS: LazyLock<[Texts; 2]> = LazyLock::new(|| [false, true].map(texts));

fn texts(of_key: bool) -> Texts {
    let behind = |before: &str| before.to_owned() + &select(minters::SQLITE_ID, of_key);
    Texts {
        begin: behind("BEGIN; "),
        end_begin: behind("COMMIT; BEGIN; "),
        first_savepoint: behind("BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_start; "),
        next_savepoint: behind(NEXT_SAVEPOINT),
        rows_next_savepoint: behind(&(RowsFirst::sql() + NEXT_SAVEPOINT)),
    }
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

/// Runs one of the [`Texts`], in one message to the connection's thread; `rows` where the text begins with them.
pub async fn sqlite(
    conn: &mut SqliteConnection,
    text: fn(&'static Texts) -> &'static str,
    workspace: Id,
    actor: ActorIds,
    rows: Option<RowsFirst<'_>>,
) -> Result<Option<AccessRow>, sqlx::Error> {
    let texts: &'static [Texts; 2] = &TEXTS;
    let sql = text(&texts[usize::from(actor.has_key())]);
    let mut query =
        sqlx::query(sql).bind(workspace).bind(actor.user_id).bind(actor.agent_id).bind(actor.key_id);
    if let Some(rows) = rows {
        query = rows.bind(query);
    }
    query.fetch_optional(conn).await?.as_ref().map(AccessRow::from_row).transpose()
}

/// What was prepared, with its values written in: PostgreSQL runs it in the round trip that begins.
pub fn execute(workspace: Id, actor: ActorIds) -> Result<String, StoreError> {
    let mut sql = String::with_capacity(192);
    let values = [Some(workspace), actor.user_id, actor.agent_id, actor.key_id].map(SqlValue::Id);
    bulk_insert::execute(name(actor.has_key()), &values, &mut sql)?;
    Ok(sql)
}
