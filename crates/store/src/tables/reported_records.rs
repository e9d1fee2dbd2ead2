//! The table `record_ids`: the ids of reported records that change rows of other tables, so that a record
//! that is reported again is ignored.

use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// Stores the id of a record of one kind. Returns `false` if it was stored before.
pub async fn insert(tx: &mut WriteTx, kind: &str, id: Id, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO record_ids (workspace_id, kind, id, recorded_at) VALUES ($1, $2, $3, $4) \
        ON CONFLICT (workspace_id, kind, id) DO NOTHING";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(kind).bind(id).bind(at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?
            == 1,
    )
}

pub async fn is_known(tx: &mut Tx, kind: &str, id: Id) -> Result<bool, StoreError> {
    const SQL: &str =
        "SELECT CAST(COUNT(*) AS BIGINT) FROM record_ids WHERE workspace_id = $1 AND kind = $2 AND id = $3";
    let noted: i64 = with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(kind)
        .bind(id).fetch_one(c).await)?;
    Ok(noted > 0)
}
