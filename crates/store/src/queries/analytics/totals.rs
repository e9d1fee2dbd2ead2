//! Where statistics on model calls find their rows: the totals of `llm_usage_quarters` and `llm_usage_days`, which a
//! trigger of `llm_usage` keeps, and single calls where the span begins or ends within a quarter of an hour or a day.

use super::Span;

/// A quarter of an hour, in microseconds.
const QUARTER: i64 = 900_000_000;
/// A day, in microseconds.
const DAY: i64 = 86_400_000_000;

/// The model calls of a span in groups, with their totals: what a table has of whole units, and single calls before and
/// after them. Given are the columns of a group in the table and of a single call, the table, and its unit.
macro_rules! calls {
    ($kept:literal, $single:literal, $table:literal, $unit:literal) => {
        concat!(
            "(SELECT ",
            $kept,
            ", calls, cost_microusd, input_tokens, output_tokens FROM ",
            $table,
            " WHERE workspace_id = $1 AND ",
            $unit,
            " >= $2 AND ",
            $unit,
            " < $3 UNION ALL SELECT ",
            $single,
            ", 1, cost_microusd, input_tokens, output_tokens FROM llm_usage \
                WHERE workspace_id = $1 AND occurred_at >= $4 AND occurred_at < $5 UNION ALL SELECT ",
            $single,
            ", 1, cost_microusd, input_tokens, output_tokens FROM llm_usage \
                WHERE workspace_id = $1 AND occurred_at >= $6 AND occurred_at < $7) totals"
        )
    };
}

/// The model calls of a span by `quarter`, `model` and `provider`. Its parameters are [`by_quarter`].
macro_rules! quarters {
    () => {
        calls!(
            "quarter, model, provider",
            "occurred_at / 900000000, model, provider",
            "llm_usage_quarters",
            "quarter"
        )
    };
}

/// The model calls of a span by `agent_id`. Its parameters are [`by_day`] and the nil id, which is the agent of
/// calls without an agent.
macro_rules! days {
    () => {
        calls!("NULLIF(agent_id, $8) AS agent_id", "agent_id", "llm_usage_days", "day")
    };
}

/// Binds the workspace, and the parts of a span as `$2` to `$7`.
macro_rules! bind_parts {
    ($query:expr, $workspace:expr, $parts:expr) => {
        $parts.into_iter().fold($query.bind($workspace), |query, part| query.bind(part))
    };
}

pub(super) use {bind_parts, calls, days, quarters};

/// The parts of a span for `quarters!`.
pub(super) fn by_quarter(span: Span) -> [i64; 6] {
    parts(span, QUARTER)
}

/// The parts of a span for `days!`.
pub(super) fn by_day(span: Span) -> [i64; 6] {
    parts(span, DAY)
}

/// Divides a span into whole units of `size` (the first, and the one after the last) and two spans around them.
fn parts(span: Span, size: i64) -> [i64; 6] {
    let (first, end) =
        (span.from.div_euclid(size) + i64::from(span.from.rem_euclid(size) > 0), span.until.div_euclid(size));
    if first < end {
        [first, end, span.from, first * size, end * size, span.until]
    } else {
        [0, 0, span.from, span.until, span.until, span.until]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_divided_into_whole_units_and_what_is_around_them() {
        let parts = |from, until| parts(Span { from, until }, 10);
        assert_eq!(parts(20, 50), [2, 5, 20, 20, 50, 50]);
        assert_eq!(parts(19, 51), [2, 5, 19, 20, 50, 51]);
        assert_eq!(parts(21, 30), [0, 0, 21, 30, 30, 30]);
        assert_eq!(parts(21, 39), [0, 0, 21, 39, 39, 39]);
        assert_eq!(parts(25, 25), [0, 0, 25, 25, 25, 25]);
    }
}
