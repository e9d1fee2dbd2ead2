//! Tests that queries stay limited to their workspace, also queries that try to bypass the label.

use toolcrib_model::Id;

use super::*;

const WORKSPACE: Id = Id::from_u128(0x0197_a000_0000_7000_8000_0000_0000_000a);
const MINE: &str = r#"workspace="0197a000-0000-7000-8000-00000000000a""#;

fn label() -> Label {
    "workspace".parse().unwrap()
}

fn scoped(promql: &str) -> Result<String, String> {
    let scoped = Scoped::new(promql, &label(), DataScope::Workspace(WORKSPACE));
    scoped.map(|query| query.0).map_err(|why| why.0)
}

/// Returns the selectors of a query as text, found by the visitor under test.
fn found(text: &str) -> Vec<VectorSelector> {
    let mut all = Vec::new();
    selectors(&mut parser::parse(text).unwrap(), true, &mut |selector| all.push(selector.clone())).unwrap();
    all
}

#[test]
fn every_selector_gets_the_label_wherever_it_stands() {
    // The query and its number of selectors.
    for (query, count) in [
        ("up", 1),
        (r#"{__name__="up"}"#, 1),
        (r#"up{job="a"} offset 5m"#, 1),
        ("rate(x_total[5m])", 1),
        ("max_over_time(rate(x_total[5m])[1h:1m])", 1),
        ("sum by (job) (rate(a_total[5m])) / on (job) group_left () sum by (job) (rate(b_total[5m]))", 2),
        ("a and b or c unless d", 4),
        ("-a", 1),
        ("(a)", 1),
        ("topk(scalar(secret), a)", 2),
        ("quantile(scalar(max(secret)), a) without (job)", 2),
        (r#"count_values("version", build_info)"#, 1),
        (r#"label_replace(a, "workspace", "$1", "job", "(.*)")"#, 1),
        ("absent(a)", 1),
        ("a @ end()", 1),
        ("histogram_quantile(0.9, sum by (le) (rate(b_bucket[5m])))", 1),
        ("clamp(a, scalar(b), scalar(c))", 3),
        ("vector(1)", 0),
        ("1 + 1", 0),
    ] {
        let text = scoped(query).unwrap_or_else(|why| panic!("{query}: {why}"));
        assert_eq!(text.matches(MINE).count(), count, "{query} became {text}");
        let selectors = found(&text);
        assert_eq!(selectors.len(), count, "{text}");
        for selector in selectors {
            assert_eq!(selector.matchers.find_matchers("workspace").len(), 1, "{text}");
        }
    }
}

#[test]
fn another_workspace_in_the_query_matches_nothing_instead() {
    for query in [
        r#"up{workspace="other"}"#,
        r#"up{workspace=~".*"}"#,
        r#"up{workspace!="0197a000-0000-7000-8000-00000000000a"}"#,
    ] {
        let text = scoped(query).unwrap();
        assert!(text.contains(MINE), "{text}");
        let both = found(&text)[0].matchers.find_matchers("workspace").len();
        assert_eq!(both, 2, "{text}: both matchers must hold");
    }
}

#[test]
fn what_reads_beyond_its_selectors_is_refused() {
    assert!(scoped("info(up)").unwrap_err().contains("`info`"));
    assert!(scoped(r#"up{a="1" or b="2"}"#).unwrap_err().contains("`or`"));
    assert!(Scoped::new("info(up)", &label(), DataScope::Platform).is_ok());
}

#[test]
fn label_values_can_not_leave_their_quotes() {
    let long = "x".repeat(64 * 1024);
    for value in [
        "\"",
        "\\",
        "`",
        "\n",
        "\r\n\t",
        "\"} or {a=\"",
        "\\\"} or {a=\\\"",
        "{{.}}",
        "} or up{",
        "# comment",
        "'",
        "\u{2028}",
        "ü 東京",
        &long,
    ] {
        // The value in double quotes with escapes, as a quoted label name, and in a grouping.
        let quoted = format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"));
        let text = scoped(&format!("up{{a={quoted}}}"));
        let text = text.unwrap_or_else(|why| panic!("{}: {why}", &quoted[..quoted.len().min(40)]));
        let selectors = found(&text);
        assert_eq!(selectors.len(), 1, "{text}");
        let matchers = &selectors[0].matchers;
        assert_eq!(matchers.find_matchers("a")[0].value, value, "{text}");
        assert_eq!(matchers.find_matchers("workspace")[0].value, WORKSPACE.to_string());
        assert!(matchers.or_matchers.is_empty() && matchers.matchers.len() == 2);
        for query in
            [format!("up{{{quoted}=\"v\"}}"), format!("sum by ({quoted}) (up)"), format!("{{{quoted}}}")]
        {
            // The parser may refuse the query. Otherwise it has one selector, which has the label.
            if let Ok(text) = scoped(&query) {
                let selectors = found(&text);
                assert_eq!(selectors.len(), 1, "{query} became {text}");
                assert_eq!(selectors[0].matchers.find_matchers("workspace")[0].value, WORKSPACE.to_string());
            }
        }
    }
}

#[test]
fn what_is_no_query_is_refused_with_why() {
    for bad in [
        "",
        "up{",
        "up}",
        "sum(",
        "unheard_of(up)",
        r#"{a=~".*"}"#,
        "up{} or",
        "health; drop",
        "{{.}}",
        "\"x",
    ] {
        let why = scoped(bad).unwrap_err();
        assert!(why.starts_with("is neither PromQL nor a preset: "), "{bad}: {why}");
    }
}

/// Runs on a stack of half the size of a worker thread's, in debug and release builds.
#[test]
fn depth_ends_in_a_refusal_and_not_in_the_stack() {
    let nested = |open: &str, close: &str, count| format!("{}up{}", open.repeat(count), close.repeat(count));
    let thread = std::thread::Builder::new().stack_size(1024 * 1024).spawn(move || {
        for (open, close) in
            [("(", ")"), ("-", ""), ("abs(", ")"), ("1^", ""), ("", "+1"), ("", " and up"), ("", " == 1")]
        {
            let deepest = (1..=MAX_LEVELS).rev().map(|count| nested(open, close, count));
            let deepest = deepest.into_iter().find(|query| levels(query) <= MAX_LEVELS).unwrap();
            // The deepest query within the limit is accepted.
            scoped(&deepest).unwrap_or_else(|why| panic!("{open}up{close}: {why}"));
            let why = scoped(&nested(open, close, 1_000)).unwrap_err();
            assert!(why.contains("more than 250"), "{open}up{close}: {why}");
        }
        // A closing bracket inside quotes closes nothing.
        let hidden = format!("{}up{{a=\"{}\"}}{}", "(".repeat(900), ")".repeat(900), ")".repeat(900));
        assert!(scoped(&hidden).unwrap_err().contains("more than 250"));
    });
    thread.unwrap().join().unwrap();
}
