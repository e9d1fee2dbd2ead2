//! What a new agent meets in its workspace.

use sqlx::FromRow;
use toolcrib_model::Id;

use crate::{StoreError, Tx, batch};

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

/// What a write is going to ask first. PostgreSQL is asked in the round trip that begins the transaction.
#[derive(Clone, Debug)]
pub struct Ahead {
    key: String,
}

/// The SELECT with a bound workspace and name, after `$before`.
macro_rules! bound {
    ($before:literal) => {
        concat!(
            $before,
            "SELECT w.default_model, b.name AS blueprint, b.rules, \
             (SELECT i.id FROM marketplace_items i WHERE i.kind = 'agent' AND i.name_key = $2 \
                AND i.status = 'approved' LIMIT 1) AS template, \
             EXISTS (SELECT 1 FROM agents a WHERE a.workspace_id = w.id AND a.name_key = $2) AS taken, $2 AS key \
             FROM workspaces w LEFT JOIN blueprints b ON b.workspace_id = w.id AND b.default_slot = 1 \
             WHERE w.id = $1 AND w.deleted_at IS NULL"
        )
    };
}

/// For each new connection to PostgreSQL.
pub(crate) const PREPARE: &str = bound!("PREPARE ground(uuid, text) AS ");

/// No name that may be stored is longer, in bytes.
const LONGEST: usize = 1_000;

/// To be told at the start of a write what an agent of this name would meet; `None` for what can't be a name.
pub fn ahead(name: &str) -> Option<Ahead> {
    (name.len() <= LONGEST && !name.contains('\0')).then(|| Ahead { key: name.to_lowercase() })
}

impl Ahead {
    /// What was prepared, with its values written in.
    pub(crate) fn execute(&self, workspace: Id) -> Result<String, StoreError> {
        let mut sql = String::new();
        let values = [batch::Cell::Id(Some(workspace)), batch::Cell::Text(Some(self.key.clone()))];
        batch::execute("ground", &values, &mut sql)?;
        Ok(sql)
    }
}

/// Whether an agent has this name. On PostgreSQL what a new one of this name would meet is read with it, and [`ground`]
/// tells that in this transaction.
pub async fn is_taken(tx: &mut Tx, name: &str) -> Result<bool, StoreError> {
    const TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE workspace_id = $1 AND name_key = $2)";
    let workspace = tx.workspace;
    let key = name.to_lowercase();
    if let Some(ground) = tx.ground.as_ref().filter(|ground| ground.key == key) {
        return Ok(ground.taken);
    }
    on_each!(tx,
        sqlite c => return Ok(sqlx::query_scalar(TAKEN).bind(workspace).bind(&key).fetch_one(c).await?),
        pg _c => {},
    );
    tx.ground = read(tx, key).await?;
    Ok(tx.ground.as_ref().is_some_and(|ground| ground.taken))
}

/// What an agent of this name would meet, in one round trip; `None` where the workspace is gone.
pub async fn ground(tx: &mut Tx, name: &str) -> Result<Option<Ground>, StoreError> {
    let key = name.to_lowercase();
    match tx.ground.take().filter(|ground| ground.key == key) {
        Some(ground) => Ok(Some(ground)),
        None => read(tx, key).await,
    }
}

async fn read(tx: &mut Tx, key: String) -> Result<Option<Ground>, StoreError> {
    const SQL: &str = bound!("");
    let workspace = tx.workspace;
    Ok(on!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)?)
}
