//! The first page: all operations by tag, the guides, and the results of a search.

use std::fmt::Write as _;

use serde_json::Value;
use toolcrib_model::count;

use super::{
    guides,
    html::{HOME, Page, Table, anchor, code, code_words, escape, heading, list, row},
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
    let mut contents = Vec::new();
    let mut sections = String::new();
    for described in document.get("tags").and_then(Value::as_array).into_iter().flatten() {
        let word = |name: &str| described.get(name).and_then(Value::as_str).unwrap_or_default();
        let (tag, about, id) = (word("name"), word("description"), anchor(word("name")));
        let of_tag: Vec<&Operation> = operations.iter().filter(|operation| operation.tag == tag).collect();
        contents.push(counted(&id, tag, of_tag.len()));
        // Writing into a string can't fail.
        let _ = writeln!(sections, "{}<p>{}</p>{}", heading(2, &id, tag), code_words(about), table(&of_tag));
    }
    contents.push(counted("guides", "Guides", guides::ALL.len()));
    let _ = writeln!(body, "<nav aria-label=\"Contents\">{}</nav>\n{sections}", list(contents));
    body.push_str(&guides::section(guides::ALL));
    Page { title: HOME.1, above: &[], query: "", body: &body }.html()
}

/// Returns the link to a section of the page, with the number of its entries.
fn counted(id: &str, title: &str, count: usize) -> String {
    format!("<a href=\"#{}\">{}</a> <small class=\"muted\">{count}</small>", escape(id), escape(title))
}

fn table(operations: &[&Operation]) -> String {
    let about = |operation: &&Operation| {
        let link =
            format!("<a href=\"{}\">{}</a>", escape(&operation.address()), code_words(&operation.summary));
        let path = escape(&operation.path).replace('/', "/<wbr>");
        row(
            &link,
            &format!("<small class=\"method\">{}</small> <code>{path}</code>", escape(&operation.method)),
        )
    };
    let rows: Vec<String> = operations.iter().map(about).collect();
    Table { class: "list", caption: "", columns: ["Operation", "Method and path"] }.html(&rows.concat())
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
        "<p role=\"status\">{} and {} have all words of {}.</p>\n",
        count(found.len(), "operation"),
        count(guides.len(), "guide"),
        code(query)
    );
    body.push_str(&table(&found));
    if !guides.is_empty() {
        body.push_str(&guides::section(guides.iter().copied()));
    }
    if found.is_empty() && guides.is_empty() {
        body.push_str("<p>Try fewer words, or a part of a path. <a href=\"/docs\">All operations</a></p>\n");
    }
    Page { title: "Search", above: &[HOME], query, body: &body }.html()
}

/// Returns how well an operation fits: each word counts once, by the best place that has it. `None` if a word is
/// nowhere.
fn score(operation: &Operation, words: &[&str]) -> Option<u32> {
    let name = format!("{} {} {}", operation.id, operation.path, operation.method).to_lowercase();
    let (summary, tag) = (operation.summary.to_lowercase(), operation.tag.to_lowercase());
    let description = operation.description.to_lowercase();
    let places = [(&summary, 4), (&name, 3), (&tag, 2), (&description, 1)];
    let best = |word: &&str| places.iter().find(|(text, _)| text.contains(*word)).map(|(_, score)| *score);
    words.iter().map(best).sum()
}
