//! The modules directly below a crate's root have an order: none names a later one, so that there is no
//! cycle.
//!
//! To add a module, add it to its crate's entry in [`ORDERS`], after the modules that it names.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;

use super::{SourceFile, product_files, tokens};

/// The modules below each crate's root in their order: each names only modules before it.
const ORDERS: &[(&str, &str)] = &[
    ("access", "policy principal role_permissions scope delegation caller facts decide escalation"),
    ("actions", "retention shared platform scheduler webhooks admin"),
    (
        "app",
        "administration cli failure output private toolset_files context login_link instance services \
         telemetry \
         demo serve commands",
    ),
    ("config", "error source table given resolve load schema show"),
    (
        "connectors",
        "embedded label upstream_error address_guard tls webhooks upstream mcp_client client jwks oidc ping \
         alertmanager loki prometheus railway services",
    ),
    ("datasources", "source cell slices make guard sqlite postgres query_scheduler"),
    (
        "discovery",
        "text clauses corpus document suggestions lexicon features bm25 vocabulary neighbours \
         classifier relevance router search masking selection",
    ),
    (
        "engine",
        "base caller limits auth grants audit response events catalog tool_lists upstream_requests \
         gates confirmations started_calls client_calls pipeline decisions open_calls external_calls",
    ),
    (
        "http",
        "problem poll headers cors proxies query response call_text doc_pages routes \
         schema_for requests serve streams tool_lists state unread_body body request_meta \
         session_cookie auth audit_export actions alertmanager_hook confirmations open_calls calls docs \
         events grants health \
         mount operation tools openapi tools_openapi router",
    ),
    ("console", "comments assets pages session login routes"),
    ("mcp", "body errors metadata request_state results call handler fixtures routes"),
    (
        "model",
        "closed_set count audit_words call_words confirmation_words error_code role caller_type json visible \
         name network ts id clock cron fair_queue page",
    ),
    (
        "registry",
        "texts access_rule caller_default category digest level names permission tool_state spec \
         spelling likeness lenient_json untrusted validate model_text schema meta declared dispatcher \
         formats calls lint prompt registry coerce repair",
    ),
    ("store", "backend tables queries"),
    (
        "toolset",
        "limits grammar template defect note document context parse structure text upstream_tool \
         tool_schema rules request response checked spec check stored matrix import",
    ),
    ("testkit", "bad_toolsets eventually ids key person postgres database world app http outside"),
];

/// Which modules of a crate each module names.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// The root of a crate: its modules, and the module of each name that it re-exports.
#[derive(Default)]
struct Root {
    modules: BTreeSet<String>,
    exports: BTreeMap<String, String>,
}

impl Root {
    fn new(file: &SourceFile) -> Self {
        let mut root = Self::default();
        let tokens = tokens::product_tokens(&file.text);
        for (at, token) in tokens.iter().enumerate() {
            match tokens::ident(Some(token)).as_deref() {
                Some("mod") => root.modules.extend(tokens::ident(tokens.get(at + 1))),
                Some("use") => root.export(&tokens[at + 1..]),
                _ => {}
            }
        }
        root
    }

    /// Reads `use module::{…}` at the root: every name in it belongs to the module.
    fn export(&mut self, tokens: &[TokenTree]) {
        let Some(module) = tokens::ident(tokens.first()) else { return };
        let end = tokens.iter().position(|token| tokens::is_punct(token, ';')).unwrap();
        tokens::visit(&tokens[1..end], &mut |tokens| {
            let names = tokens.iter().filter_map(|token| tokens::ident(Some(token)));
            self.exports.extend(names.map(|name| (name, module.clone())));
        });
    }

    /// The module of a path, where `name` is the first name after the root.
    fn module(&self, name: &str) -> Option<String> {
        if self.modules.contains(name) { Some(name.to_owned()) } else { self.exports.get(name).cloned() }
    }
}

/// Adds the modules that the tokens name to `named`. The tokens are in a module `depth` below the root.
fn read(tokens: &[TokenTree], depth: usize, root: &Root, named: &mut BTreeSet<String>) {
    let mut at = 0;
    while at < tokens.len() {
        let word = tokens::ident(tokens.get(at));
        if word.as_deref() == Some("mod")
            && let Some(inner) = tokens.get(at + 2).and_then(tokens::braces)
        {
            read(&inner.into_iter().collect::<Vec<_>>(), depth + 1, root, named);
            at += 3;
            continue;
        }
        let begins = matches!(word.as_deref(), Some("crate" | "super"));
        if begins {
            at = path(tokens, at, depth, root, named);
        } else if let TokenTree::Group(group) = &tokens[at] {
            read(&group.stream().into_iter().collect::<Vec<_>>(), depth, root, named);
        }
        at += 1;
    }
}

/// Follows a path that begins with `crate` or `super`. Returns the position where it stopped.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    depth: usize,
    root: &Root,
    named: &mut BTreeSet<String>,
) -> usize {
    let is = |at: usize, word: &str| tokens::ident(tokens.get(at)).as_deref() == Some(word);
    let mut left = if is(at, "crate") { 0 } else { depth.saturating_sub(1) };
    while is(at + 3, "super") {
        at += 3;
        left = left.saturating_sub(1);
    }
    let behind = at + 3;
    if left > 0 || !tokens.get(at + 1).is_some_and(|token| tokens::is_punct(token, ':')) {
        return at;
    }
    if let Some(name) = tokens::ident(tokens.get(behind)) {
        named.extend(root.module(&name));
        return behind;
    }
    let Some(list) = tokens.get(behind).and_then(tokens::braces) else { return at };
    let list: Vec<TokenTree> = list.into_iter().collect();
    for part in list.split(|token| tokens::is_punct(token, ',')) {
        named.extend(tokens::ident(part.first()).and_then(|name| root.module(&name)));
    }
    behind
}

/// Which modules each module of each crate names.
fn crates() -> BTreeMap<String, Edges> {
    let mut crates: BTreeMap<String, Vec<SourceFile>> = BTreeMap::new();
    for file in product_files() {
        crates.entry(file.crate_name().to_owned()).or_default().push(file);
    }
    crates.into_iter().map(|(name, files)| (name, edges(&files))).collect()
}

/// The other modules that each module of a crate names.
fn edges(files: &[SourceFile]) -> Edges {
    let inside = |file: &SourceFile| file.path.split_once("/src/").unwrap().1.to_owned();
    let is_root = |file: &&SourceFile| matches!(&*inside(file), "lib.rs" | "main.rs");
    let root = Root::new(files.iter().find(is_root).unwrap());
    let mut edges = Edges::new();
    for file in files.iter().filter(|file| !is_root(file)) {
        let path = inside(file);
        let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
        let named = edges.entry(parts[0].to_owned()).or_default();
        read(&tokens::product_tokens(&file.text), parts.len(), &root, named);
        named.remove(parts[0]);
    }
    edges
}

/// The reasons why this order of a crate's modules is wrong.
fn complaints(order: &str, edges: &Edges) -> Vec<String> {
    let order: Vec<&str> = order.split_whitespace().collect();
    let mut found = Vec::new();
    for module in edges.keys().filter(|module| !order.contains(&module.as_str())) {
        found.push(format!("`{module}` has no place in the order"));
    }
    for (at, module) in order.iter().enumerate() {
        let Some(named) = edges.get(*module) else {
            found.push(format!("`{module}` is in the order, and the crate has no such module"));
            continue;
        };
        for later in order[at + 1..].iter().filter(|later| named.contains(**later)) {
            found.push(format!("`{module}` names `{later}`, which is later in the order"));
        }
    }
    found
}

#[test]
fn source_modules_name_no_later_module() {
    let crates = crates();
    for (name, edges) in &crates {
        let order = ORDERS.iter().find(|(ordered, _)| ordered == name).map_or("", |(_, order)| order);
        let found = complaints(order, edges);
        assert!(found.is_empty(), "{name}: {found:#?}; pass in the parts that are needed, or move them");
    }
}

#[test]
fn source_orders_are_checked() {
    let edges = |text: &str| -> Edges {
        let module = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.collect())
        };
        text.split(',').map(module).collect()
    };
    assert!(complaints("a b c", &edges("a, b a, c b a")).is_empty());
    for (order, text) in [("a b c", "a, b c, c"), ("a b", "a, b, c"), ("a b c", "a, b"), ("b a", "a, b a")] {
        assert_eq!(complaints(order, &edges(text)).len(), 1, "{order}: {text}");
    }
}

#[test]
fn source_paths_are_followed_to_their_modules() {
    let root = Root::new(&SourceFile {
        path: String::new(),
        text: "mod a; pub mod b; mod c; pub use a::{One, deep::{Two, Three as Four}}; mod d;".into(),
    });
    let named = |text: &str, depth: usize| {
        let mut named = BTreeSet::new();
        read(&tokens::product_tokens(text), depth, &root, &mut named);
        named.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(named("use crate::{b::X, c::{self, Y}, Two};", 1), "a b c");
    assert_eq!(named("fn f() -> super::One { json!({ \"k\": crate::b::X }) }", 1), "a b");
    assert_eq!(named("use super::One; use super::super::c::Y;", 2), "c");
    assert_eq!(named("mod inner { use super::b::X; use super::super::d; }", 1), "d");
    assert_eq!(
        named("#[cfg(test)] mod tests { use crate::b; } pub(crate) fn f() {} pub(in crate::b) fn g() {}", 1),
        "b"
    );
    assert_eq!(named("use std::fmt; use self::b::X; /// crate::c\nfn f() {}", 1), "");
}
