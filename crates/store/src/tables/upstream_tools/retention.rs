//! Which definitions are not kept. A server can list other names and texts each time it is asked, so without
//! bounds it would decide how many rows there are.

use std::collections::{BTreeMap, BTreeSet};

use super::UpstreamToolRow;

/// How many earlier definitions of a listed tool are kept beside the current and the pinned ones.
const MAX_EARLIER_DEFINITIONS: usize = 5;
/// How many tools of an upstream are kept beside the pinned ones. A list has at most 500 tools; lists of several
/// users may differ.
const MAX_KEPT_TOOLS: usize = 1_000;

/// Returns the rows of one upstream that are to be removed: of a tool that is not listed any more all that no document
/// pins, of other tools all but the newest, and the tools that were seen longest ago if there are too many.
pub fn superfluous<'r>(
    rows: &'r [UpstreamToolRow],
    pinned: &BTreeSet<(String, String)>,
) -> Vec<&'r UpstreamToolRow> {
    let is_pinned = |row: &&UpstreamToolRow| pinned.contains(&(row.tool.clone(), row.digest.clone()));
    let mut tools: BTreeMap<&str, Vec<&UpstreamToolRow>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !is_pinned(row)) {
        tools.entry(&row.tool).or_default().push(row);
    }
    let is_listed: BTreeSet<&str> =
        rows.iter().filter(|row| row.is_current).map(|row| row.tool.as_str()).collect();
    let mut removed = Vec::new();
    let mut kept: Vec<Vec<&UpstreamToolRow>> = Vec::new();
    for (tool, mut rows) in tools {
        // The current one first, then the newest.
        rows.sort_by(|a, b| (b.is_current, b.seen_at, &b.digest).cmp(&(a.is_current, a.seen_at, &a.digest)));
        let current = rows.iter().filter(|row| row.is_current).count();
        let most = if is_listed.contains(tool) { current + MAX_EARLIER_DEFINITIONS } else { 0 };
        removed.extend(rows.split_off(most.min(rows.len())));
        kept.push(rows);
    }
    kept.sort_by_key(|rows| std::cmp::Reverse(rows.first().map(|row| row.seen_at)));
    removed.extend(kept.into_iter().skip(MAX_KEPT_TOOLS).flatten());
    removed
}

#[cfg(test)]
mod tests {
    use toolcrib_model::Ts;

    use super::*;

    fn row(tool: &str, digest: &str, is_current: bool, seen_at: i64) -> UpstreamToolRow {
        UpstreamToolRow {
            upstream: "forge".into(),
            tool: tool.into(),
            digest: digest.into(),
            schema_digest: String::new(),
            is_current,
            seen_at: Ts::from_micros(seen_at),
        }
    }

    fn removed(rows: &[UpstreamToolRow], pinned: &[(&str, &str)]) -> Vec<String> {
        let pinned = pinned.iter().map(|(tool, digest)| ((*tool).into(), (*digest).into())).collect();
        let mut found: Vec<String> =
            superfluous(rows, &pinned).iter().map(|row| format!("{} {}", row.tool, row.digest)).collect();
        found.sort();
        found
    }

    #[test]
    fn five_earlier_definitions_stay_beside_the_current_and_the_pinned() {
        let mut rows: Vec<UpstreamToolRow> =
            (0..8).map(|at| row("look", &format!("d{at}"), false, at)).collect();
        // The server returned to its first definition.
        rows.push(row("look", "now", true, 0));
        assert_eq!(removed(&rows, &[("look", "d1")]), ["look d0", "look d2"]);
        assert_eq!(removed(&rows, &[("other", "d1")]), ["look d0", "look d1", "look d2"]);
    }

    #[test]
    fn of_a_tool_that_is_not_listed_only_the_pinned_stay() {
        let rows = [row("gone", "a", false, 1), row("gone", "b", false, 2), row("look", "a", true, 1)];
        assert_eq!(removed(&rows, &[("gone", "a")]), ["gone b"]);
        assert_eq!(removed(&rows, &[]), ["gone a", "gone b"]);
    }

    #[test]
    fn a_thousand_tools_stay_and_the_oldest_go() {
        let rows: Vec<UpstreamToolRow> = (0..1_003).map(|at| row(&format!("t{at}"), "a", true, at)).collect();
        assert_eq!(removed(&rows, &[("t1", "a")]), ["t0 a", "t2 a"]);
    }
}
