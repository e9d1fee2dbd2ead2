//! What a [`WriteTx`] adds to a [`super::Tx`]: statements that change rows, and the rows that its commit inserts.

use sqlx::SqliteConnection;
use toolcrib_model::Id;

use super::{Backend, Connection, WriteTx};
use crate::backend::{
    StoreError,
    bulk_insert::{BulkRow, BulkTable},
    pool::StatementForm,
    select::Selects,
    sql_literal::SqlValue,
};

impl WriteTx {
    /// The connection that statements run on. A function that gets a [`WriteTx`] may change rows, so that the rows read
    /// before are no longer cached.
    pub(crate) async fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        self.0.cache.clear();
        self.0.connection().await
    }

    /// Executes a statement whose result nobody looks at. On PostgreSQL it may be kept, and is then sent together with
    /// other statements: before the next statement of [`WriteTx::connection`], or with the rows and the commit.
    ///
    /// # Errors
    /// An error of a kept statement is that of the call which sends it; in the commit it is
    /// [`StoreError::NotCommitted`]. So a statement that may find a [`StoreError::Duplicate`] is executed by
    /// [`WriteTx::insert`].
    pub(crate) async fn execute(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<(), StoreError> {
        let tx = &mut self.0;
        tx.cache.clear();
        match &mut tx.backend {
            Backend::SqliteRead(_) => Err(read_only()),
            Backend::SqliteWrite(conn) => on_sqlite(conn, sql, values).await.map(|_| ()),
            Backend::Pg(pg) => pg.keep(sql, values).await,
        }
    }

    /// Lets `execute_one` and `insert` on PostgreSQL assume the usual outcome and keep their statement. If
    /// one of the assumptions is wrong, nothing is committed and the job ends with [`StoreError::WrongAssumption`],
    /// whatever it returned. The caller then runs it again, in a transaction without assumptions.
    pub fn assume_outcomes(&mut self) {
        if let Backend::Pg(pg) = &mut self.0.backend {
            pg.assumes = true;
        }
    }

    /// Executes a statement at once, after the kept ones, and returns the number of rows that it changed.
    pub(crate) async fn execute_count(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<u64, StoreError> {
        let tx = &mut self.0;
        tx.cache.clear();
        match &mut tx.backend {
            Backend::SqliteRead(_) => Err(read_only()),
            Backend::SqliteWrite(conn) => on_sqlite(conn, sql, values).await,
            Backend::Pg(pg) => pg.execute(sql, values).await,
        }
    }

    /// Executes a statement that changes one row, or none if another transaction was quicker, and returns whether it changed
    /// one. It may be kept as by [`WriteTx::execute`] if outcomes are assumed; then it changes one. Where none is an
    /// ordinary outcome, look first or use [`WriteTx::execute_count`].
    pub(crate) async fn execute_one(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<bool, StoreError> {
        if self.keep_assumed(StatementForm::ChangesRow, sql, values).await? {
            return Ok(true);
        }
        Ok(self.execute_count(sql, values).await? == 1)
    }

    /// Executes an INSERT that fails with [`StoreError::Duplicate`] if the row exists. It may be kept as by
    /// [`WriteTx::execute`] if outcomes are assumed; then the row does not exist.
    pub(crate) async fn insert(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<(), StoreError> {
        if !self.keep_assumed(StatementForm::Plain, sql, values).await? {
            self.execute_count(sql, values).await?;
        }
        Ok(())
    }

    /// Keeps a statement if outcomes are assumed, and returns whether it did.
    async fn keep_assumed(
        &mut self,
        form: StatementForm,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<bool, StoreError> {
        let tx = &mut self.0;
        tx.cache.clear();
        match &mut tx.backend {
            Backend::Pg(pg) if pg.assumes => pg.keep_assumed(form, sql, values).await.map(|()| true),
            Backend::Pg(_) | Backend::SqliteRead(_) | Backend::SqliteWrite(_) => Ok(false),
        }
    }

    /// Runs a statement that changes or locks rows and returns some, such as an UPDATE with RETURNING: as [`Tx::fetch`], in one
    /// message with the kept statements.
    pub(crate) async fn change<S: Selects>(&mut self, statements: S) -> Result<S::Output, StoreError> {
        self.0.cache.clear();
        self.0.fetch(statements).await
    }

    /// Makes other transactions on this workspace that take the lock `name` wait until this one ends. SQLite has one writer,
    /// so that nothing is locked.
    pub(crate) async fn lock(&mut self, name: &'static str) -> Result<(), StoreError> {
        const SQL: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0))";
        let workspace = self.workspace.to_string();
        match &mut self.0.backend {
            Backend::Pg(pg) => pg.keep(SQL, &[SqlValue::Word(Some(name)), workspace.into()]).await,
            Backend::SqliteRead(_) | Backend::SqliteWrite(_) => Ok(()),
        }
    }

    /// Rolls back the changes made so far and drops the collected outbox rows. The transaction can be used further, and
    /// later changes are committed.
    pub async fn rollback(&mut self) -> Result<(), StoreError> {
        let tx = &mut self.0;
        tx.rows.outbox.clear();
        tx.cache.clear();
        match &mut tx.backend {
            Backend::Pg(pg) => pg.begin_again(tx.origin_workspace).await?,
            Backend::SqliteWrite(conn) => {
                sqlx::query("ROLLBACK TO SAVEPOINT call_start").execute(&mut **conn).await?;
            }
            Backend::SqliteRead(_) => {}
        }
        tx.workspace = tx.origin_workspace;
        Ok(())
    }

    /// Binds the transaction to another workspace, which the same transaction creates. [`WriteTx::rollback`] returns to the
    /// first one.
    pub async fn switch_workspace(&mut self, workspace: Id) -> Result<(), StoreError> {
        if self.0.workspace == workspace {
            return Ok(());
        }
        per_backend!(self,
            sqlite _c => Ok::<_, sqlx::Error>(()),
            pg c => sqlx::query("SELECT set_config('app.workspace_id', $1, true)")
                .bind(workspace.to_string()).execute(c).await.map(|_| ()),
        )?;
        self.0.workspace = workspace;
        Ok(())
    }

    /// Inserts rows of a table with one statement.
    pub(crate) async fn insert_rows(
        &mut self,
        table: &BulkTable,
        rows: &[BulkRow],
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        per_backend!(self,
            sqlite c => table.insert_on_sqlite(c, rows).await,
            pg c => table.insert_on_pg(c, rows).await,
        )
    }

    /// Adds a row of the audit log, which the commit inserts.
    pub(crate) fn push_audit(&mut self, row: BulkRow) {
        self.0.rows.audit.push(row);
    }

    /// Adds a row of the outbox, which the commit inserts.
    pub(crate) fn push_outbox(&mut self, row: BulkRow) {
        self.0.rows.outbox.push(row);
    }
}

fn read_only() -> StoreError {
    StoreError::Inconsistent("a read may not change rows".into())
}

async fn on_sqlite(
    conn: &mut SqliteConnection,
    sql: &'static str,
    values: &[SqlValue],
) -> Result<u64, StoreError> {
    let query = SqlValue::bind_all(sqlx::query(sql), values);
    Ok(query.execute(conn).await?.rows_affected())
}
