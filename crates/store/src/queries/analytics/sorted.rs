//! Medians and percentiles: the durations in order as one array, which is sorted once for all of them. A window function over
//! the rows takes two to four times as long on both databases.

/// The durations `took` of a group in order, without NULL.
macro_rules! sorted_sqlite {
    () => {
        "json_group_array(took ORDER BY took) FILTER (WHERE took IS NOT NULL)"
    };
}

/// The same for PostgreSQL.
macro_rules! sorted_pg {
    () => {
        "array_agg(took ORDER BY took) FILTER (WHERE took IS NOT NULL)"
    };
}

/// The value at a place of `durations`, counted from 1. NULL if there are none.
macro_rules! nth_sqlite {
    ($place:literal) => {
        concat!("json_extract(durations, '$[' || max(", $place, " - 1, 0) || ']')")
    };
}

/// The same for PostgreSQL.
macro_rules! nth_pg {
    ($place:literal) => {
        concat!("durations[", $place, "]")
    };
}

pub(super) use {nth_pg, nth_sqlite, sorted_pg, sorted_sqlite};
