//! The modules directly below a crate's root form no circle: if `gates` names `confirm`, then `confirm` names
//! neither `gates` nor a module that leads back to it. Those of `engine` name only modules before them in the
//! list of its `lib.rs`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;

use super::{SourceFile, product_files, tokens};

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

/// A circle of modules, if there is one. It ends with the module that it begins with.
fn circle(edges: &Edges) -> Option<Vec<&str>> {
    let mut done = BTreeSet::new();
    edges.keys().find_map(|module| search(module, edges, &mut Vec::new(), &mut done))
}

/// Looks for a circle behind `module`, depth first. `path` leads to the module, and no module in `done` leads
/// to a circle.
fn search<'e>(
    module: &'e str,
    edges: &'e Edges,
    path: &mut Vec<&'e str>,
    done: &mut BTreeSet<&'e str>,
) -> Option<Vec<&'e str>> {
    if let Some(start) = path.iter().position(|earlier| *earlier == module) {
        return Some([&path[start..], &[module]].concat());
    }
    if done.contains(module) {
        return None;
    }
    path.push(module);
    let found = edges.get(module).into_iter().flatten().find_map(|named| search(named, edges, path, done));
    path.pop();
    done.insert(module);
    found
}

#[test]
fn source_modules_form_no_circle() {
    let crates = crates();
    let count: usize = crates.values().flat_map(Edges::values).map(BTreeSet::len).sum();
    assert!(count > 300, "{count} edges between modules were found");
    let circles: Vec<String> = crates
        .iter()
        .filter_map(|(name, edges)| Some(format!("{name}: {}", circle(edges)?.join(" -> "))))
        .collect();
    assert!(circles.is_empty(), "{circles:#?}; pass in what a module needs, or move it");
}

/// The position of each module in the numbered list of a crate's `//!`.
fn listed(root: &str) -> BTreeMap<String, usize> {
    let numbered = |line: &str| {
        let (number, rest) = line.strip_prefix("//! ")?.split_once(". ")?;
        Some((number.parse::<usize>().ok()?, rest.split_once(':')?.0.to_owned()))
    };
    let lines = root.lines().filter_map(numbered);
    let named = |(at, names): (usize, String)| {
        names.split(", ").map(|name| (name.trim_matches('`').to_owned(), at)).collect::<Vec<_>>()
    };
    lines.flat_map(named).collect()
}

/// The modules that name one which is not before them in the list, or which are not in it.
fn out_of_order(edges: &Edges, listed: &BTreeMap<String, usize>) -> Vec<String> {
    let before = |module: &String, named: &String| match (listed.get(module), listed.get(named)) {
        (Some(module), Some(named)) => named < module,
        _ => false,
    };
    let named = |(module, named): (&String, &BTreeSet<String>)| {
        let wrong = named.iter().filter(|named| !before(module, named));
        wrong.map(|named| format!("{module} -> {named}")).collect::<Vec<_>>()
    };
    edges.iter().flat_map(named).collect()
}

#[test]
fn source_modules_of_the_engine_name_only_earlier_ones() {
    let root = std::fs::read_to_string(super::root().join("crates/engine/src/lib.rs")).unwrap();
    let (edges, listed) = (crates().remove("engine").unwrap(), listed(&root));
    assert!(edges.len() > 10 && edges.keys().all(|module| listed.contains_key(module)), "{listed:?}");
    let wrong = out_of_order(&edges, &listed);
    assert!(wrong.is_empty(), "{wrong:#?}; the list is in crates/engine/src/lib.rs");
}

#[test]
fn source_modules_out_of_order_are_found() {
    let listed = listed("//! Head.\n//! 1. `a`: x\n//! 2. `b`, `c`: y\n//! 3. `d`: z\n");
    let edges = |module: &str, named: &[&str]| {
        Edges::from([(module.into(), named.iter().map(|&name| name.into()).collect())])
    };
    assert!(out_of_order(&edges("d", &["a", "b", "c"]), &listed).is_empty());
    assert_eq!(out_of_order(&edges("b", &["a", "c", "d"]), &listed), ["b -> c", "b -> d"]);
    assert_eq!(out_of_order(&edges("d", &["unlisted"]), &listed), ["d -> unlisted"]);
}

#[test]
fn source_circles_are_found() {
    let found = |text: &str| {
        let module = |line: &str| {
            let mut words = line.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.collect())
        };
        let edges: Edges = text.split(',').map(module).collect();
        circle(&edges).map(|circle| circle.join(" -> "))
    };
    assert_eq!(found("a, b a, c b a, d c b"), None);
    assert_eq!(found("a b c, b d, c d, d"), None);
    // A module without an entry, as one that is written in the crate's root.
    assert_eq!(found("a b c, c b"), None);
    assert_eq!(found("a b, b a").as_deref(), Some("a -> b -> a"));
    // A circle that the first module leads to, and is not a part of.
    assert_eq!(found("a b d, b, c d, d e, e c").as_deref(), Some("d -> e -> c -> d"));
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
