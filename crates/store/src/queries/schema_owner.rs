//! Statements of the schema's owner. The roles of requests lack the privileges for them.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use toolcrib_model::Id;

use super::STATEMENTS;
use crate::{
    backend::{BulkRow, Db, PgSession, StoreError},
    tables::{
        audit::AuditRow,
        keys::{OperatorKeyRow, insert_operator},
    },
};

/// Inserts an operator key and its audit row in one commit. On PostgreSQL uses a separate connection as the
/// schema's owner.
pub async fn add_operator_key(db: &Db, row: OperatorKeyRow, audit: AuditRow) -> Result<(), StoreError> {
    let Some(pools) = db.pg() else {
        let mut tx = db.begin_write(Id::nil()).await?;
        tx.audit(audit);
        insert_operator(&mut tx, &row).await?;
        return tx.commit().await;
    };
    let Some(owner) = &pools.owner else {
        return Err(StoreError::Setup(
            "only the owner's login adds operator keys: name it with `--owner-database`".into(),
        ));
    };
    let mut conn = PgConnection::connect_with(&owner.connect_options()).await?;
    let mut tx = conn.begin().await?;
    let tenant = format!("SET LOCAL app.workspace_id = '{}'", Id::nil());
    (&mut *tx).execute(AssertSqlSafe(tenant)).await?;
    sqlx::query(
        "INSERT INTO operator_keys (id, name, secret_hash, scopes, created_at, expires_at) \
        VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(row.id)
    .bind(&row.name)
    .bind(&row.secret_hash)
    .bind(&row.scopes)
    .bind(row.created_at.as_micros())
    .bind(row.expires_at)
    .execute(&mut *tx)
    .await?;
    STATEMENTS.inserts.insert_pg(&mut PgSession::named(&mut tx), &[&BulkRow::from(audit)], &[]).await?;
    tx.commit().await?;
    Ok(())
}
