//! Medians and percentiles: the durations in order as one array, which is sorted once for all of them. A window
//! function over the rows takes two to four times as long on both databases.

/// The durations `took` of a group in order, without NULL.
macro_rules! sorted {
    (sqlite) => {
        "json_group_array(took ORDER BY took) FILTER (WHERE took IS NOT NULL)"
    };
    (pg) => {
        "array_agg(took ORDER BY took) FILTER (WHERE took IS NOT NULL)"
    };
}

/// The value at a place of `durations`, counted from 1. NULL if there are none.
macro_rules! nth {
    (sqlite, $place:expr) => {
        concat!("json_extract(durations, '$[' || max(", $place, " - 1, 0) || ']')")
    };
    (pg, $place:expr) => {
        concat!("durations[", $place, "]")
    };
}

/// The lower and the upper median of a number of `durations`.
macro_rules! medians {
    ($database:ident, $number:literal) => {
        concat!(
            nth!($database, concat!("(", $number, " + 1) / 2")),
            " AS low, ",
            nth!($database, concat!($number, " / 2 + 1")),
            " AS high"
        )
    };
}

pub(super) use {medians, nth, sorted};
