//! The column `workspaces.promotions`: the actions that a workspace promotes for caller types and agents, as
//! JSON text.

use toolcrib_model::Ts;

use crate::backend::{StoreError, Tx, WriteTx};

/// Returns the stored text of the transaction's workspace.
pub async fn get(tx: &mut Tx) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT promotions FROM workspaces WHERE id = $1 AND deleted_at IS NULL";
    let row: Option<(Option<String>,)> = with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace)
        .fetch_optional(c).await)?;
    Ok(row.and_then(|(text,)| text))
}

/// Stores the text for the transaction's workspace.
pub async fn set(tx: &mut WriteTx, text: Option<&str>, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET promotions = $2, updated_at = $3 WHERE id = $1";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(text).bind(at.as_micros())
        .execute(c).await.map(|_| ()))?)
}
