//! What a new agent meets in its workspace.

use std::sync::LazyLock;

use sqlx::FromRow;
use toolcrib_model::{Id, name_key};

use crate::{StoreError, Tx};

/// What a new agent meets in its workspace.
#[derive(Clone, Debug, FromRow)]
pub struct Ground {
    /// The model of agents that name none.
    pub default_model: Option<String>,
    /// The name of the default blueprint, where there is one.
    pub blueprint: Option<String>,
    /// Its rules, as a JSON object.
    pub rules: Option<String>,
    /// The approved template that has the agent's name.
    pub template: Option<Id>,
    /// Whether an agent has that name.
    pub taken: bool,
    /// That name, in lower case.
    pub key: String,
}

/// What a write is going to ask first: it is read with what is asked where a call begins.
#[derive(Clone, Debug)]
pub struct Ahead {
    pub(crate) key: String,
    pub(crate) only: bool,
}

impl Ahead {
    /// Says that the write asks nothing else. On PostgreSQL it has no transaction before what it adds is committed, with what
    /// others add; should it ask after all it begins one then.
    #[must_use]
    pub fn only(self) -> Self {
        Self { only: true, ..self }
    }

    /// Says that it asks more.
    #[must_use]
    pub fn and_more(self) -> Self {
        Self { only: false, ..self }
    }
}

/// What is read of it, of the name in lower case that `key` stands for, beside a workspace `w` and behind [`JOIN`].
pub fn columns(key: &str) -> String {
    format!(
        "w.default_model, b.name AS blueprint, b.rules, \
         (SELECT i.id FROM marketplace_items i WHERE i.kind = 'agent' AND i.name_key = {key} \
            AND i.status = 'approved' LIMIT 1) AS template, \
         EXISTS (SELECT 1 FROM agents n WHERE n.workspace_id = w.id AND n.name_key = {key}) AS taken, {key} AS key"
    )
}

/// The workspace's default blueprint, where there is one.
pub const JOIN: &str = "LEFT JOIN blueprints b ON b.workspace_id = w.id AND b.default_slot = 1";

static READ: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT {} FROM workspaces w {JOIN} WHERE w.id = $1 AND w.deleted_at IS NULL", columns("$2"))
});

/// No name that may be stored is longer, in bytes.
const LONGEST: usize = 1_000;

/// To be told at the start of a write what an agent of this name would meet; `None` for what can't be a name.
pub fn ahead(name: &str) -> Option<Ahead> {
    (name.len() <= LONGEST && !name.contains('\0')).then(|| Ahead { key: name_key(name), only: false })
}

/// Whether an agent has this name. Where it was not asked ahead, PostgreSQL reads what a new one of this name would meet with
/// it, and [`ground`] tells that in this transaction.
pub async fn is_taken(tx: &mut Tx, name: &str) -> Result<bool, StoreError> {
    const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE workspace_id = $1 AND name_key = $2)";
    let workspace = tx.workspace;
    let key = name_key(name);
    if let Some(ground) = tx.ground.as_ref().filter(|ground| ground.key == key) {
        return Ok(ground.taken);
    }
    per_backend!(tx,
        sqlite c => return Ok(sqlx::query_scalar(TAKEN).bind(workspace).bind(&key).fetch_one(c).await?),
        pg _c => {},
    );
    tx.ground = read(tx, key).await?;
    Ok(tx.ground.as_ref().is_some_and(|ground| ground.taken))
}

/// What an agent of this name would meet, in one round trip; `None` where the workspace is gone.
pub async fn ground(tx: &mut Tx, name: &str) -> Result<Option<Ground>, StoreError> {
    let key = name_key(name);
    match tx.ground.take().filter(|ground| ground.key == key) {
        Some(ground) => Ok(Some(ground)),
        None => read(tx, key).await,
    }
}

async fn read(tx: &mut Tx, key: String) -> Result<Option<Ground>, StoreError> {
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(READ.as_str()).bind(workspace).bind(&key).fetch_optional(c).await)?,
    )
}
