//! One SQL text, compiled for both databases.

/// Runs the expression on the transaction's connection. The expression is compiled once for each database.
macro_rules! with_backend {
    ($tx:expr, $c:ident => $e:expr) => {
        match $tx.connection() {
            $crate::backend::Connection::Sqlite($c) => $e,
            $crate::backend::Connection::Pg($c) => $e,
        }
    };
}

/// Runs one of two expressions on the transaction's connection, where the databases need different statements.
macro_rules! per_backend {
    ($tx:expr, sqlite $s:ident => $se:expr, pg $p:ident => $pe:expr $(,)?) => {
        match $tx.connection() {
            $crate::backend::Connection::Sqlite($s) => $se,
            $crate::backend::Connection::Pg($p) => $pe,
        }
    };
}
