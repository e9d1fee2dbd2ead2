//! The first page: all operations by tag, the guides, and the results of a search.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    guides,
    html::{HOME, Page, anchor, code, code_words, escape, heading},
    operation::Operation,
};

/// Renders every operation by tag.
pub(super) fn index(document: &Value, operations: &[Operation]) -> String {
    let mut body = format!(
        "<p>{} operations of this service. The whole contract is in <a href=\"/openapi.json\">openapi.json</a> (OpenAPI 3.1). \
         Errors are explained <a href=\"/docs/errors\">by their codes</a>.</p>\n",
        operations.len()
    );
    if let Some(about) = document.pointer("/info/description").and_then(Value::as_str) {
        let _ = writeln!(body, "<p>{}</p>", code_words(about));
    }
    let tags: Vec<(&str, &str)> = tags(document, operations);
    let mut contents = String::new();
    let mut sections = String::new();
    for (tag, about) in tags {
        let of_tag: Vec<&Operation> = operations.iter().filter(|operation| operation.tag == tag).collect();
        let (id, count) = (anchor(tag), of_tag.len());
        // Writing into a string can't fail.
        let _ = writeln!(
            contents,
            "<li><a href=\"#{id}\">{}</a> <small class=\"muted\">{count}</small></li>",
            escape(tag)
        );
        let _ = writeln!(sections, "{}<p>{}</p>{}", heading(2, &id, tag), code_words(about), table(&of_tag));
    }
    let _ = writeln!(
        body,
        "<nav aria-label=\"Contents\"><ul class=\"plain tags\">{contents}<li><a href=\"#guides\">Guides</a> \
         <small class=\"muted\">{}</small></li></ul></nav>\n{sections}{}",
        guides::ALL.len(),
        guides::list()
    );
    Page { title: HOME.1, above: &[], query: "", body: &body }.html()
}

/// Returns the tags in the order of the document, each with its description, and last those that it does not describe.
fn tags<'a>(document: &'a Value, operations: &'a [Operation]) -> Vec<(&'a str, &'a str)> {
    let described = document.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(|tag| {
        Some((tag.get("name")?.as_str()?, tag.get("description").and_then(Value::as_str).unwrap_or_default()))
    });
    let mut tags: Vec<(&str, &str)> = described.collect();
    for operation in operations {
        if !tags.iter().any(|(known, _)| *known == operation.tag) {
            tags.push((&operation.tag, ""));
        }
    }
    tags
}

fn table(operations: &[&Operation]) -> String {
    let mut rows = String::new();
    for operation in operations {
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td><small class=\"method\">{}</small> <code>{}</code></td></tr>",
            escape(&operation.address()),
            code_words(&operation.summary),
            escape(&operation.method),
            escape(&operation.path).replace('/', "/<wbr>")
        );
    }
    format!(
        "<table class=\"list\"><thead><tr><th scope=\"col\">Operation</th><th scope=\"col\">Method and path</th></tr></thead>\
         <tbody>{rows}</tbody></table>\n"
    )
}

/// Renders the operations and guides that have every word of a query, best first.
pub(super) fn results(query: &str, operations: &[Operation]) -> String {
    let lower = query.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut found: Vec<(u32, &Operation)> =
        operations.iter().filter_map(|operation| Some((score(operation, &words)?, operation))).collect();
    // A stable sort: equally good ones keep the order of the document.
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let found: Vec<&Operation> = found.into_iter().map(|(_, operation)| operation).collect();
    let guides = guides::matching(&words);
    let mut body = format!(
        "<p role=\"status\">{} operations and {} guides have all words of {}.</p>\n",
        found.len(),
        guides.len(),
        code(query)
    );
    if !found.is_empty() {
        body.push_str(&table(&found));
    }
    if !guides.is_empty() {
        body.push_str(&heading(2, "guides", "Guides"));
        let items: String = guides.iter().map(|guide| format!("<li>{}</li>\n", guide.link())).collect();
        let _ = writeln!(body, "<ul>{items}</ul>");
    }
    if found.is_empty() && guides.is_empty() {
        body.push_str("<p>Try fewer words, or a part of a path. <a href=\"/docs\">All operations</a></p>\n");
    }
    Page { title: "Search", above: &[HOME], query, body: &body }.html()
}

/// Returns how well an operation fits: each word counts once, by the best place that has it. `None` if a word is nowhere.
fn score(operation: &Operation, words: &[&str]) -> Option<u32> {
    let name = format!("{} {} {}", operation.id, operation.path, operation.method).to_lowercase();
    let (summary, tag) = (operation.summary.to_lowercase(), operation.tag.to_lowercase());
    let description = operation.description.to_lowercase();
    let places = [(&summary, 4), (&name, 3), (&tag, 2), (&description, 1)];
    let best = |word: &&str| places.iter().find(|(text, _)| text.contains(*word)).map(|(_, score)| *score);
    words.iter().map(best).sum()
}
