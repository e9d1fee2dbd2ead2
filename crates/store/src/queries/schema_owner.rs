//! Statements of the schema's owner. The roles of requests lack the privileges for them.

use sqlx::{Connection as _, postgres::PgConnectOptions};
use toolcrib_model::Id;

use crate::{
    backend::{Db, StoreError, WriteTx, connect},
    tables::{
        audit::AuditRow,
        keys::{OperatorKeyRow, insert_operator},
    },
};

impl Db {
    /// Begins a write that belongs to no workspace as the schema's owner. Fails on PostgreSQL if the database was
    /// opened with other logins than the owner's.
    pub async fn begin_write_as_owner(&self) -> Result<WriteTx, StoreError> {
        if !self.is_sqlite() && !self.may_become_owner() {
            return Err(StoreError::Setup(
                "only the owner's login may do this: name it with `--owner-database`".into(),
            ));
        }
        let mut tx = self.begin_write(Id::nil()).await?;
        per_backend!(tx,
            sqlite _c => Ok::<_, sqlx::Error>(()),
            pg c => sqlx::query("SET LOCAL ROLE NONE").execute(c).await.map(|_| ()),
        )?;
        Ok(tx)
    }
}

/// Inserts an operator key and its audit row in one commit.
pub async fn add_operator_key(db: &Db, row: OperatorKeyRow, audit: AuditRow) -> Result<(), StoreError> {
    let mut tx = db.begin_write_as_owner().await?;
    tx.audit(audit);
    let inserted = insert_operator(&mut tx, &row).await;
    tx.end(inserted).await
}

/// Counts the sessions of clients on this database of PostgreSQL.
pub async fn sessions(owner: &str) -> Result<i64, StoreError> {
    // The server's own workers have no user. What kind a session is only superusers see of all sessions.
    const SQL: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
        AND usename IS NOT NULL AND pid <> pg_backend_pid()";
    let options: PgConnectOptions = owner.parse()?;
    let mut conn = connect(&options).await?;
    let found = sqlx::query_scalar(SQL).fetch_one(&mut conn).await?;
    conn.close().await?;
    Ok(found)
}
