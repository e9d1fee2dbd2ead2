//! One SQL text, compiled for both databases.

/// Runs the expression on the transaction's connection, with its error as a [`StoreError`](crate::StoreError). The
/// expression is compiled once for each database. It may name the transaction's workspace.
#[macro_export]
macro_rules! with_backend {
    ($tx:expr, $workspace:ident, $c:ident => $e:expr) => {{
        let $workspace = $tx.workspace();
        $crate::with_backend!($tx, $c => $e)
    }};
    ($tx:expr, $c:ident => $e:expr) => {
        $crate::per_backend!($tx, sqlite $c => $e, pg $c => $e)
    };
}

/// Runs one of two expressions on the transaction's connection, where the databases need different statements.
#[macro_export]
macro_rules! per_backend {
    ($tx:expr, $workspace:ident, sqlite $s:ident => $se:expr, pg $p:ident => $pe:expr $(,)?) => {{
        let $workspace = $tx.workspace();
        $crate::per_backend!($tx, sqlite $s => $se, pg $p => $pe)
    }};
    ($tx:expr, sqlite $s:ident => $se:expr, pg $p:ident => $pe:expr $(,)?) => {
        match $tx.connection()? {
            $crate::Connection::Sqlite($s) => $se,
            $crate::Connection::Pg(mut session) => {
                let $p = &mut session;
                $pe
            }
        }
        .map_err($crate::StoreError::from)
    };
}

/// The text of a list, with the condition of each filter that is set: an index by the conditions has the order of the
/// list. A condition for both cases, "or the parameter is null", would keep the planner from that index.
#[macro_export]
macro_rules! filtered {
    ($before:expr, [$filter:expr => $set:literal or $unset:literal], $after:expr) => {
        if $filter.is_some() { concat!($before, $set, $after) } else { concat!($before, $unset, $after) }
    };
    ($before:expr, [$filter:expr => $set:literal or $unset:literal, $other:expr => $also:literal or $not:literal], $after:expr) => {
        match ($filter.is_some(), $other.is_some()) {
            (true, true) => concat!($before, $set, " AND ", $also, $after),
            (true, false) => concat!($before, $set, " AND ", $not, $after),
            (false, true) => concat!($before, $unset, " AND ", $also, $after),
            (false, false) => concat!($before, $unset, " AND ", $not, $after),
        }
    };
    ($before:expr, [$filter:expr => $set:literal or $unset:literal, $other:expr => $also:literal or $not:literal, $third:expr => $more:literal or $none:literal], $after:expr) => {
        if $third.is_some() {
            $crate::filtered!($before, [$filter => $set or $unset, $other => $also or $not], concat!(" AND ", $more, $after))
        } else {
            $crate::filtered!($before, [$filter => $set or $unset, $other => $also or $not], concat!(" AND ", $none, $after))
        }
    };
}

/// The text of a SELECT, which on PostgreSQL locks its rows: `locked!(tx, by_id!(agents) => " FOR NO KEY UPDATE")`.
/// SQLite has one writer, so that it needs no lock.
macro_rules! locked {
    ($tx:expr, $sql:expr => $lock:literal) => {
        $tx.sql($sql, concat!($sql, $lock))
    };
}
