//! A transaction that is bound to one workspace.

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, SqliteConnection};
use toolcrib_model::Id;

use super::{
    StoreError,
    bulk_insert::{BulkRow, BulkRows, BulkTable},
    pool::StatementForm,
    postgres::PgTx,
    row_cache::RowCache,
    select::{Select, SelectRows, Selects, Statement},
    sql_literal::SqlValue,
    sqlite::SqliteTx,
};

/// The transaction's connection, by database; `with_backend!` matches on it.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(&'t mut PgConnection),
}

/// The database's own transaction.
pub(super) enum Backend {
    SqliteRead(SqliteTx),
    SqliteWrite(Box<SqliteConnection>),
    Pg(PgTx),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(super) backend: Backend,
    pub(crate) workspace: Id,
    /// The workspace in which the transaction began. It differs from `workspace` after [`WriteTx::switch_workspace`].
    pub(super) origin_workspace: Id,
    /// The rows that the commit inserts.
    pub(super) rows: BulkRows,
    cache: RowCache,
}

/// A transaction that may change rows. It derefs to a [`Tx`] for reads.
pub struct WriteTx(pub(super) Tx);

impl Tx {
    pub(super) fn new(backend: Backend, workspace: Id) -> Self {
        Self {
            backend,
            workspace,
            origin_workspace: workspace,
            rows: BulkRows::default(),
            cache: RowCache::default(),
        }
    }

    /// The workspace that the transaction is bound to.
    pub fn workspace(&self) -> Id {
        self.workspace
    }

    /// The text for the transaction's database, where the databases need different texts.
    pub(crate) const fn sql(&self, sqlite: &'static str, pg: &'static str) -> &'static str {
        match self.backend {
            Backend::SqliteRead(_) | Backend::SqliteWrite(_) => sqlite,
            Backend::Pg(_) => pg,
        }
    }

    /// The connection that statements run on, after the kept statements of [`WriteTx::execute`] were sent.
    pub(crate) async fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        Ok(match &mut self.backend {
            Backend::SqliteRead(tx) => Connection::Sqlite(tx.connection()),
            Backend::SqliteWrite(conn) => Connection::Sqlite(conn),
            Backend::Pg(tx) => Connection::Pg(tx.connection().await?),
        })
    }

    /// Runs one [`crate::Select`], or a tuple of them in one round trip to PostgreSQL, and returns what their rows become.
    pub async fn fetch<S: Selects>(&mut self, selects: S) -> Result<S::Output, StoreError> {
        let mut statements = Vec::new();
        selects.statements(&mut statements);
        let rows = self.select(&statements).await?;
        selects.decode(&mut rows.into_iter())
    }

    async fn select(&mut self, statements: &[&Statement]) -> Result<Vec<SelectRows>, StoreError> {
        let workspace = self.workspace;
        let conn = match &mut self.backend {
            Backend::SqliteRead(tx) => tx.connection(),
            Backend::SqliteWrite(conn) => conn,
            Backend::Pg(pg) => {
                return Ok(pg.select(workspace, statements).await?.into_iter().map(SelectRows::Pg).collect());
            }
        };
        let mut all = Vec::with_capacity(statements.len());
        for statement in statements {
            all.push(statement.on_sqlite(conn, workspace).await?);
        }
        Ok(all)
    }

    /// Returns the row of this type and key that [`Tx::cache`] added, unless something was changed since.
    pub(crate) fn cached<T: Clone + 'static>(&self, key: impl ToString) -> Option<T> {
        self.cache.get(&key)
    }

    /// Adds a row to the cache and returns it.
    pub(crate) fn cache<T, K>(&mut self, row: Option<T>, key: impl FnOnce(&T) -> K) -> Option<T>
    where
        T: Clone + Send + Sync + 'static,
        K: ToString,
    {
        if let Some(row) = &row {
            self.cache.insert(&key(row), row.clone());
        }
        row
    }

    /// Returns the cached row of this type and key, or fetches it and adds it to the cache.
    pub(crate) async fn fetch_cached<T>(
        &mut self,
        key: impl ToString,
        select: Select<Option<T>>,
    ) -> Result<Option<T>, StoreError>
    where
        T: Clone + Send + Sync + 'static,
    {
        let key = key.to_string();
        if let Some(row) = self.cached(&key) {
            return Ok(Some(row));
        }
        let row = self.fetch(select).await?;
        Ok(self.cache(row, |_| key))
    }

    /// Ends a read and returns its connection to the pool. Dropping the transaction closes the connection instead.
    pub async fn end(self) -> Result<(), StoreError> {
        match self.backend {
            Backend::SqliteRead(tx) => tx.end(),
            Backend::SqliteWrite(_) => {}
            Backend::Pg(tx) => tx.end_read().await?,
        }
        Ok(())
    }
}

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

    /// Executes a statement that changes one row or none, and returns whether it changed one. It may be kept as by
    /// [`WriteTx::execute`] if outcomes are assumed; then it changes one.
    pub(crate) async fn execute_one(
        &mut self,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<bool, StoreError> {
        self.execute_assumed(StatementForm::ChangesRow, sql, values).await
    }

    /// Executes an INSERT that fails with [`StoreError::Duplicate`] if the row exists. It may be kept as by
    /// [`WriteTx::execute`] if outcomes are assumed; then the row does not exist.
    pub(crate) async fn insert(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<(), StoreError> {
        self.execute_assumed(StatementForm::Plain, sql, values).await.map(|_| ())
    }

    async fn execute_assumed(
        &mut self,
        form: StatementForm,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<bool, StoreError> {
        let tx = &mut self.0;
        tx.cache.clear();
        let changed = match &mut tx.backend {
            Backend::SqliteRead(_) => return Err(read_only()),
            Backend::SqliteWrite(conn) => on_sqlite(conn, sql, values).await?,
            Backend::Pg(pg) if pg.assumes => {
                pg.keep_assumed(form, sql, values).await?;
                1
            }
            Backend::Pg(pg) => pg.execute(sql, values).await?,
        };
        Ok(changed == 1)
    }

    /// Runs a statement that changes rows and returns some, such as an UPDATE with RETURNING: as [`Tx::fetch`], in one message
    /// with the kept statements.
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
    let query = values.iter().fold(sqlx::query(sql), |query, value| value.bind(query));
    Ok(query.execute(conn).await?.rows_affected())
}

impl Deref for WriteTx {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.0
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.0
    }
}
