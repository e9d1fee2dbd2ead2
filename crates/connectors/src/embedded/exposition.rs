//! Parses the Prometheus text format, as this service's own recorder writes it.

/// One value of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub name: String,
    /// The labels, in the order of the text.
    pub labels: Vec<(String, String)>,
    pub value: f64,
}

/// Returns the samples of a text without the buckets of histograms. Skips lines that are not samples.
pub fn samples(text: &str) -> Vec<Sample> {
    let samples = text.lines().filter_map(|line| sample(line.trim()));
    samples.filter(|sample| !sample.name.ends_with("_bucket")).collect()
}

fn sample(line: &str) -> Option<Sample> {
    if line.starts_with('#') {
        return None;
    }
    let end = line.find(|c: char| c == '{' || c.is_whitespace())?;
    let (name, rest) = line.split_at(end);
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => labels(rest)?,
        None => (Vec::new(), rest),
    };
    let value = rest.split_whitespace().next()?.parse().ok()?;
    (!name.is_empty()).then(|| Sample { name: name.to_owned(), labels, value })
}

/// Parses `a="b",c="d"} …`. Returns the labels and the text after the brace.
fn labels(mut rest: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut found = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(after) = rest.strip_prefix('}') {
            return Some((found, after));
        }
        let (name, after) = rest.split_once("=\"")?;
        let (value, after) = quoted(after)?;
        found.push((name.to_owned(), value));
        rest = after;
    }
}

/// Returns the unescaped text up to the closing quote, and the text after the quote.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            other => value.push(other),
        }
    }
    None
}
