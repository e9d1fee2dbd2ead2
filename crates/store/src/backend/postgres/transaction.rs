//! PostgreSQL: a transaction on one workspace, and the statements that it keeps.

mod begin;

use futures_util::TryStreamExt as _;
use sqlx::{AssertSqlSafe, Either, PgConnection, postgres::PgRow};
use toolcrib_model::Id;

use crate::backend::{
    StoreError,
    bulk_insert::execute,
    pool::{PoolConnection, StatementForm},
    select::Statement,
    sql_literal::SqlValue,
};

/// The most bytes of kept statements, which wait in memory.
pub(super) const MAX_KEPT_BYTES: usize = 256 * 1024;

/// The statement that lets row level security admit this workspace's rows until the transaction ends.
fn set_workspace(workspace: Id) -> String {
    format!("SET LOCAL app.workspace_id = '{workspace}';")
}

/// A connection inside a transaction. Only a successful end returns it to the pool. A connection whose task was cancelled
/// is closed, so that the next task never gets its workspace.
pub struct PgTx {
    conn: PoolConnection<PgConnection>,
    /// The kept statements, each with its semicolon.
    pub(super) kept: String,
    /// See [`crate::WriteTx::assume_outcomes`].
    pub(in crate::backend) assumes: bool,
    /// Whether the outcome of a kept statement is assumed.
    assumed: bool,
    /// Whether a message failed in which an outcome was assumed.
    pub(super) refuted: bool,
}

/// The rows that a statement returned, and the number of rows that it changed or returned.
type StatementResult = (Vec<PgRow>, u64);

impl PgTx {
    const fn new(conn: PoolConnection<PgConnection>) -> Self {
        Self { conn, kept: String::new(), assumes: false, assumed: false, refuted: false }
    }

    /// The connection, after the kept statements were sent.
    pub async fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        self.send_kept().await?;
        Ok(self.conn.connection())
    }

    /// Keeps a statement with its values. It is prepared at its first use on the connection.
    pub async fn keep(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<(), StoreError> {
        self.keep_as(StatementForm::Plain, sql, values).await
    }

    /// Keeps a statement that is assumed to find no conflict and, in the form [`StatementForm::ChangesRow`], to change a row.
    pub async fn keep_assumed(
        &mut self,
        form: StatementForm,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<(), StoreError> {
        self.assumed = true;
        self.keep_as(form, sql, values).await
    }

    async fn keep_as(
        &mut self,
        form: StatementForm,
        sql: &'static str,
        values: &[SqlValue],
    ) -> Result<(), StoreError> {
        self.prepare(form, sql, values.iter()).await?;
        execute(&self.conn.prepared[&(sql, form)], values, &mut self.kept)?;
        if self.kept.len() > MAX_KEPT_BYTES {
            self.send_kept().await?;
        }
        Ok(())
    }

    /// Runs a statement at once, after the kept statements. Returns the number of rows that it changed.
    pub async fn execute(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<u64, StoreError> {
        if self.kept.is_empty() {
            let query = SqlValue::bind_all(sqlx::query(sql), values);
            return Ok(query.execute(self.conn.connection()).await?.rows_affected());
        }
        let form = StatementForm::Plain;
        self.prepare(form, sql, values.iter()).await?;
        let mut text = String::new();
        execute(&self.conn.prepared[&(sql, form)], values, &mut text)?;
        Ok(self.send(&text, 1).await?.into_iter().map(|(_, changed)| changed).sum())
    }

    /// Runs SELECTs in one message, after the kept statements, and returns the rows of each. They are prepared at their first
    /// use on the connection. One that has a message for itself is bound: PostgreSQL needs twice the time for a statement that
    /// a text executes by its name, because it reads the text and plans the values.
    pub async fn select(
        &mut self,
        workspace: Id,
        statements: &[&Statement],
    ) -> Result<Vec<Vec<PgRow>>, StoreError> {
        if let ([statement], true) = (statements, self.kept.is_empty()) {
            let query = SqlValue::bind_all(sqlx::query(statement.pg).bind(workspace), &statement.values);
            return Ok(vec![query.fetch_all(self.conn.connection()).await?]);
        }
        let selects = self.text_of(workspace, statements).await?;
        let results = self.send(&selects, statements.len()).await?;
        Ok(results.into_iter().map(|(rows, _)| rows).collect())
    }

    /// Prepares statements, and returns the text that executes them.
    async fn text_of(&mut self, workspace: Id, statements: &[&Statement]) -> Result<String, StoreError> {
        let (workspace, form) = (SqlValue::Id(Some(workspace)), StatementForm::Plain);
        let mut text = String::new();
        for statement in statements {
            let values = || std::iter::once(&workspace).chain(&statement.values);
            self.prepare(form, statement.pg, values()).await?;
            execute(&self.conn.prepared[&(statement.pg, form)], values(), &mut text)?;
        }
        Ok(text)
    }

    /// Prepares a statement unless this was done before, in a message of its own: if the message fails, it is certain that
    /// nothing was prepared.
    async fn prepare<'v>(
        &mut self,
        form: StatementForm,
        sql: &'static str,
        values: impl Iterator<Item = &'v SqlValue>,
    ) -> Result<(), StoreError> {
        if self.conn.prepared.contains_key(&(sql, form)) {
            return Ok(());
        }
        let name = format!("statement_{}", self.conn.prepared.len());
        // As if the values were bound: the server can't infer the type of each parameter.
        let types: Vec<&str> = values.map(SqlValue::pg_type).collect();
        let types = types.join(", ");
        let prepare = match form {
            StatementForm::Plain => format!("PREPARE {name} ({types}) AS {sql}"),
            // Without a row it divides by zero, and the transaction fails.
            StatementForm::ChangesRow => format!(
                "PREPARE {name} ({types}) AS WITH changed AS ({sql} RETURNING 1) SELECT 1 / COUNT(*) FROM changed"
            ),
        };
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(self.conn.connection()).await?;
        self.conn.prepared.insert((sql, form), name);
        Ok(())
    }

    async fn send_kept(&mut self) -> Result<(), StoreError> {
        if !self.kept.is_empty() {
            self.send("", 0).await?;
        }
        Ok(())
    }

    /// Sends the kept statements and `statements` in one message. Returns the results of the last `number` statements.
    async fn send(&mut self, statements: &str, number: usize) -> Result<Vec<StatementResult>, StoreError> {
        let assumed = std::mem::take(&mut self.assumed);
        let sql = std::mem::take(&mut self.kept) + statements;
        let mut all = Self::results(self.conn.connection(), sql)
            .await
            .map_err(StoreError::from)
            .inspect_err(|error| self.refuted |= assumed && error.is_refusal())?;
        // The results before these are those of the kept statements.
        Ok(all.split_off(all.len().saturating_sub(number)))
    }

    async fn results(conn: &mut PgConnection, sql: String) -> Result<Vec<StatementResult>, sqlx::Error> {
        let mut results = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_many(conn);
        let (mut all, mut rows) = (Vec::new(), Vec::new());
        while let Some(result) = results.try_next().await? {
            match result {
                Either::Left(done) => all.push((std::mem::take(&mut rows), done.rows_affected())),
                Either::Right(row) => rows.push(row),
            }
        }
        Ok(all)
    }

    /// Rolls back the transaction and begins another one on `workspace`. Cheaper than a savepoint in each write, because few
    /// writes are rolled back.
    pub async fn begin_again(&mut self, workspace: Id) -> Result<(), StoreError> {
        self.kept.clear();
        self.assumed = false;
        let sql = format!("ROLLBACK AND CHAIN; {}", set_workspace(workspace));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self.conn.connection()).await?;
        Ok(())
    }

    /// Ends a read. If a task waits for the connection, that task's first message ends the transaction and saves a round
    /// trip.
    pub async fn end_read(self) -> Result<(), StoreError> {
        match self.conn.hand_to_waiter() {
            Ok(()) => Ok(()),
            Err(conn) => Self::new(conn).end("COMMIT").await,
        }
    }

    /// Sends the kept statements, `rows` and COMMIT in one message, and returns the connection to the pool.
    ///
    /// # Errors
    /// As [`PgTx::end`], and [`StoreError::WrongAssumption`].
    pub async fn commit(mut self, rows: &str) -> Result<(), StoreError> {
        let assumed = self.assumed;
        let mut sql = std::mem::take(&mut self.kept);
        sql.push_str(rows);
        if sql.is_empty() {
            // After a failed statement COMMIT rolls back and reports no error; this fails instead, as an INSERT would.
            sql.push_str("SAVEPOINT call_end;");
        }
        sql.push_str("COMMIT");
        self.end(sql).await.map_err(|error| match error {
            error if assumed && error.is_refusal() => StoreError::WrongAssumption,
            error => error,
        })
    }

    /// Runs the last statements, which must end the transaction, and returns the connection to the pool. Kept statements are
    /// not sent.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the connection was lost: the transaction may have been committed or not. With any
    /// other error it was not.
    pub async fn end(mut self, sql: impl Into<String>) -> Result<(), StoreError> {
        match sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(self.conn.connection()).await {
            Ok(_) => {
                self.conn.release();
                Ok(())
            }
            Err(refused @ sqlx::Error::Database(_)) => {
                // After the rollback the connection can be used again.
                if sqlx::raw_sql("ROLLBACK").execute(self.conn.connection()).await.is_err() {
                    return Err(StoreError::Unavailable(refused.to_string()));
                }
                self.conn.release();
                Err(match refused.into() {
                    StoreError::Unavailable(error) => StoreError::NotCommitted(error),
                    error => error,
                })
            }
            Err(lost) => Err(StoreError::Unavailable(lost.to_string())),
        }
    }
}
