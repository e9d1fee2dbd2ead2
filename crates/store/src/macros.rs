//! One SQL text, compiled for both databases.

/// Runs the expression on whichever connection the transaction holds: it is compiled once for each database.
macro_rules! with_backend {
    ($tx:expr, $c:ident => $e:expr) => {
        match $tx.connection() {
            $crate::tx::Connection::Sqlite($c) => $e,
            $crate::tx::Connection::Pg($c) => $e,
        }
    };
}

/// Where the databases differ: one expression each.
macro_rules! per_backend {
    ($tx:expr, sqlite $s:ident => $se:expr, pg $p:ident => $pe:expr $(,)?) => {
        match $tx.connection() {
            $crate::tx::Connection::Sqlite($s) => $se,
            $crate::tx::Connection::Pg($p) => $pe,
        }
    };
}
