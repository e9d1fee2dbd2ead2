//! One SQL text, compiled for both databases.

/// Runs the expression on the transaction's connection. The expression is compiled once for each database.
macro_rules! with_backend {
    ($tx:expr, $c:ident => $e:expr) => {
        match $tx.connection().await? {
            $crate::backend::Connection::Sqlite($c) => $e,
            $crate::backend::Connection::Pg($c) => $e,
        }
    };
}

/// Runs one of two expressions on the transaction's connection, where the databases need different statements.
macro_rules! per_backend {
    ($tx:expr, sqlite $s:ident => $se:expr, pg $p:ident => $pe:expr $(,)?) => {
        match $tx.connection().await? {
            $crate::backend::Connection::Sqlite($s) => $se,
            $crate::backend::Connection::Pg($p) => $pe,
        }
    };
}

/// The values of a statement's parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => {
        [$($crate::backend::SqlValue::from($value)),*]
    };
}

/// Executes a statement whose result nobody looks at, with the values of its parameters; see [`crate::WriteTx::execute`].
macro_rules! execute {
    ($tx:expr, $sql:expr; $($value:expr),* $(,)?) => {
        $tx.execute($sql, &values![$($value),*]).await?
    };
}
