//! Where a principal stands in a workspace: one SELECT, run at the start of every call.

use std::sync::LazyLock;

use sqlx::{FromRow, Row, SqliteConnection};
use toolcrib_model::Id;

use crate::{
    StoreError, Tx,
    agents::{Ahead, Ground, ground},
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

/// The SELECT: `$1` is the workspace, `$2` the member, `$3` the agent and `$4` the key where it is about one, `$5` what
/// `ground` is about.
fn select(id_text: &str, of_key: bool, with_ground: bool) -> String {
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
    let (comma, met, met_join) =
        if with_ground { (", ", ground::columns("$5"), ground::JOIN) } else { ("", String::new(), "") };
    format!(
        "SELECT w.approval_mode, w.four_eyes, w.agents_inherit_admin, w.approve_url_template, \
         w.write_per_minute, w.read_per_minute, w.external_per_minute, w.write_share_percent, w.open_confirmations, \
         w.open_confirmations_per_caller, w.access_version, w.promotions, \
         m.role, m.active, {key}{comma}{met} FROM workspaces w \
         LEFT JOIN members m ON m.workspace_id = w.id AND m.user_id = $2 {its_join} {met_join} \
         WHERE w.id = $1 AND w.deleted_at IS NULL"
    )
}

/// One for each: planned once, and no longer than what it is about.
fn name(of_key: bool, with_ground: bool) -> &'static str {
    match (of_key, with_ground) {
        (false, false) => "access_row_user",
        (true, false) => "access_row_key",
        (false, true) => "access_row_user_ground",
        (true, true) => "access_row_key_ground",
    }
}

/// For each new connection to PostgreSQL.
pub static PREPARE: LazyLock<String> = LazyLock::new(|| {
    let all = [(false, false), (true, false), (false, true), (true, true)];
    let prepare = |(of_key, with_ground)| {
        let (name, select) = (name(of_key, with_ground), select(minters::PG_ID, of_key, with_ground));
        format!("PREPARE {name} (UUID, UUID, UUID, UUID, TEXT) AS {select}")
    };
    all.map(prepare).join("; ")
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

/// Of a user and of a key; each alone, and with what is asked ahead.
static TEXTS: LazyLock<[[Texts; 2]; 2]> =
    LazyLock::new(|| [false, true].map(|of_key| [false, true].map(|with_ground| texts(of_key, with_ground))));

fn texts(of_key: bool, with_ground: bool) -> Texts {
    let behind = |before: &str| before.to_owned() + &select(minters::SQLITE_ID, of_key, with_ground);
    Texts {
        begin: behind("BEGIN; "),
        end_begin: behind("COMMIT; BEGIN; "),
        first_savepoint: behind("BEGIN IMMEDIATE; SAVEPOINT call_group; SAVEPOINT call_start; "),
        next_savepoint: behind(NEXT_SAVEPOINT),
        rows_next_savepoint: behind(&(RowsFirst::sql() + NEXT_SAVEPOINT)),
    }
}
static SQLITE_READ: LazyLock<String> = LazyLock::new(|| select(minters::SQLITE_ID, true, false));
static PG_READ: LazyLock<String> = LazyLock::new(|| select(minters::PG_ID, true, false));

/// What is read where a call begins: the access row, and what was asked ahead.
pub type AccessAndGround = (Option<AccessRow>, Option<Ground>);

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
    ahead: Option<&Ahead>,
    rows: Option<RowsFirst<'_>>,
) -> Result<AccessAndGround, sqlx::Error> {
    let texts: &'static [[Texts; 2]; 2] = &TEXTS;
    let sql = text(&texts[usize::from(actor.has_key())][usize::from(ahead.is_some())]);
    let mut query =
        sqlx::query(sql).bind(workspace).bind(actor.user_id).bind(actor.agent_id).bind(actor.key_id);
    if ahead.is_some() || rows.is_some() {
        query = query.bind(ahead.map(|ahead| &ahead.key));
    }
    if let Some(rows) = rows {
        query = rows.bind(query);
    }
    from_row(query.fetch_optional(conn).await?.as_ref(), ahead)
}

/// The access row, and what was asked ahead, from one row of either database.
pub fn from_row<R: Row>(row: Option<&R>, ahead: Option<&Ahead>) -> Result<AccessAndGround, sqlx::Error>
where
    for<'r> AccessRow: FromRow<'r, R>,
    for<'r> Ground: FromRow<'r, R>,
{
    let Some(row) = row else { return Ok((None, None)) };
    let ground = ahead.map(|_| Ground::from_row(row)).transpose()?;
    Ok((Some(AccessRow::from_row(row)?), ground))
}

/// What was prepared, with its values written in: PostgreSQL runs it in the round trip that begins. What `ahead` asks
/// is in the same row.
pub fn execute(workspace: Id, actor: ActorIds, ahead: Option<&Ahead>) -> Result<String, StoreError> {
    let mut sql = String::with_capacity(192);
    let [workspace, user, agent, key] =
        [Some(workspace), actor.user_id, actor.agent_id, actor.key_id].map(SqlValue::Id);
    let asked = SqlValue::Text(ahead.map(|ahead| ahead.key.clone()));
    let cells = [workspace, user, agent, key, asked];
    bulk_insert::execute(name(actor.has_key(), ahead.is_some()), &cells, &mut sql)?;
    Ok(sql)
}
