//! The column `workspaces.promotions`: the actions that a workspace promotes for caller types and agents, as
//! JSON text.

use toolcrib_model::Ts;

use crate::backend::{Select, StoreError, Tx, WriteTx};

/// Returns the stored text of the transaction's workspace.
pub async fn get(tx: &mut Tx) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT promotions FROM workspaces WHERE id = $1 AND deleted_at IS NULL";
    let row: Option<(Option<String>,)> = tx.fetch(Select::optional(SQL, [])).await?;
    Ok(row.and_then(|(text,)| text))
}

/// Stores the text for the transaction's workspace.
pub async fn set(tx: &mut WriteTx, text: Option<&str>, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET promotions = $2, updated_at = $3 WHERE id = $1";
    let workspace = tx.workspace;
    execute!(tx, SQL; workspace, text, at);
    Ok(())
}
