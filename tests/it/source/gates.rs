//! The evidence types that the engine's gates pass on: `ARCHITECTURE.md` lists them in their real order, and
//! each is made in one function of its own file.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenTree;

use super::{product_files, root, tokens};

/// The call that each evidence type carries.
const CALL: &str = "FoundCall";
/// What a call that ran becomes.
const RAN: &str = "Executed";

/// The types and functions of the gates.
#[derive(Default)]
struct Gates {
    /// Each struct, with the reasons why other files can create it.
    structs: BTreeMap<String, Vec<String>>,
    /// The types that each function takes by value, and the type that it returns.
    functions: Vec<(Vec<String>, String)>,
    /// How often each type is written as a value.
    values: BTreeMap<String, usize>,
}

impl Gates {
    fn read(&mut self, text: &str) {
        let tokens = tokens::product_tokens(text);
        tokens::visit(&tokens, &mut |tokens| {
            for made in values(tokens) {
                *self.values.entry(made).or_default() += 1;
            }
        });
        for at in 0..tokens.len() {
            let name = tokens::ident(tokens.get(at + 1)).unwrap_or_default();
            match tokens::ident(tokens.get(at)).as_deref() {
                Some("struct") => {
                    let open =
                        open_fields(&tokens[at + 1..]).then(|| "has a field that is not private".into());
                    self.structs.entry(name).or_default().extend(open);
                }
                Some("impl") => {
                    let body = tokens.get(at + 2).and_then(tokens::braces);
                    let body: Vec<TokenTree> = body.into_iter().flatten().collect();
                    let made = constructors(&body, &name)
                        .into_iter()
                        .map(|function| format!("`{function}` makes it"));
                    self.structs.entry(name).or_default().extend(made);
                }
                Some("fn") => self.functions.extend(signature(&tokens[at..])),
                _ => {}
            }
        }
    }

    /// The types in the order in which functions turn one into the next, directly or through the call.
    fn chain(&self) -> Vec<String> {
        let evidence = |name: &String| self.structs.contains_key(name) && name != RAN;
        let mut next: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (taken, made) in self.functions.iter().filter(|(_, made)| evidence(made)) {
            for taken in taken.iter().filter(|taken| evidence(taken)) {
                next.entry(taken.clone()).or_default().insert(made.clone());
            }
        }
        let of_call = next.remove(CALL).unwrap_or_default();
        for made in next.values_mut() {
            if made.remove(CALL) {
                made.extend(of_call.clone());
            }
        }
        let made: BTreeSet<&String> = next.values().flatten().collect();
        let mut chain: Vec<String> = next.keys().filter(|name| !made.contains(name)).cloned().collect();
        while let Some(made) = chain.last().and_then(|last| next.get(last)) {
            assert_eq!(made.len(), 1, "{chain:?} leads to {made:?}");
            chain.extend(made.iter().cloned());
        }
        chain
    }
}

/// The types of which these tokens write a value: `Name { … }` in an expression.
fn values(tokens: &[TokenTree]) -> Vec<String> {
    let is_value = |at: &usize| {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let declares = matches!(tokens::ident(before).as_deref(), Some("struct" | "impl" | "for" | "let"));
        let is_return_type = before.is_some_and(|before| tokens::is_punct(before, '>'));
        !declares && !is_return_type && tokens.get(at + 1).and_then(tokens::braces).is_some()
    };
    (0..tokens.len()).filter(is_value).filter_map(|at| tokens::ident(tokens.get(at))).collect()
}

/// Whether `struct Name { … }` or `struct Name(…)` has a field that is not private.
fn open_fields(tokens: &[TokenTree]) -> bool {
    let fields = tokens.iter().find_map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    fields.into_iter().flatten().any(|token| tokens::ident(Some(&token)).as_deref() == Some("pub"))
}

/// Functions of an `impl` that other files can call and that return the type without taking `self`.
fn constructors(body: &[TokenTree], name: &str) -> Vec<String> {
    let word = |at: usize| tokens::ident(body.get(at));
    let mut found = Vec::new();
    let mut public = false;
    for at in 0..body.len() {
        match word(at).as_deref() {
            Some("pub") => public = true,
            Some("fn") => {
                let made = signature(&body[at..]).map(|(_, made)| made).unwrap_or_default();
                let arguments = body[at..].iter().find_map(|token| match token {
                    TokenTree::Group(group) => Some(group.stream()),
                    _ => None,
                });
                let mut arguments = arguments.into_iter().flatten();
                let of_itself = arguments.any(|token| tokens::ident(Some(&token)).as_deref() == Some("self"));
                if public && !of_itself && (made == "Self" || made == name) {
                    found.extend(word(at + 1));
                }
                public = false;
            }
            _ => {}
        }
    }
    found
}

/// The types that `fn name(…) -> …` takes by value, and the type that it returns, alone or in a `Result`.
fn signature(tokens: &[TokenTree]) -> Option<(Vec<String>, String)> {
    let at = tokens.iter().position(|token| matches!(token, TokenTree::Group(_)))?;
    let TokenTree::Group(arguments) = &tokens[at] else { return None };
    let arguments: Vec<TokenTree> = arguments.stream().into_iter().collect();
    let typed = |pair: &[TokenTree]| tokens::is_punct(&pair[0], ':').then(|| tokens::ident(pair.get(1)))?;
    let taken = arguments.windows(2).filter_map(typed).collect();
    let arrow = tokens.get(at + 2).is_some_and(|token| tokens::is_punct(token, '>'));
    let made = tokens::ident(tokens.get(at + 3)).filter(|_| arrow)?;
    let inner = if made == "Result" { tokens::ident(tokens.get(at + 5)).unwrap_or_default() } else { made };
    Some((taken, inner))
}

fn gates() -> Gates {
    let mut gates = Gates::default();
    for file in product_files().into_iter().filter(|file| file.path.starts_with("crates/engine/src/gates/")) {
        gates.read(&file.text);
    }
    gates
}

#[test]
fn source_lists_the_evidence_of_the_gates_in_its_order() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let list = text.split('`').find(|code| code.contains(" → ")).unwrap();
    let listed: Vec<&str> = list.split('→').map(str::trim).collect();
    assert_eq!(gates().chain(), listed, "the list in ARCHITECTURE.md is that of `engine/src/gates/`");
}

#[test]
fn source_makes_evidence_in_one_function() {
    let gates = gates();
    let chain = gates.chain();
    assert_eq!(chain.len(), 4, "{chain:?}");
    for name in &chain {
        assert!(gates.structs[name].is_empty(), "{name}: {:?}", gates.structs[name]);
    }
    for name in &chain[1..] {
        assert_eq!(gates.values[name], 1, "{name} is made in one place");
    }
}

#[test]
fn source_of_gates_is_read() {
    let mut gates = Gates::default();
    gates.read("pub struct A(u8); pub struct C { a: A } impl C { fn new() -> Self {} }");
    gates.read("pub struct B { pub(super) a: A } pub fn first(text: &str) -> A {}");
    gates.read(
        "async fn second<T>(a: A, t: T) -> Result<B, Error> {} fn third(b: B) -> C {} fn look(b: &B) -> A {}",
    );
    gates.read("impl A { pub fn of(n: u8) -> Self {} pub fn it(&self) -> A {} }");
    assert_eq!(gates.chain(), ["A", "B", "C"]);
    gates.read("pub struct E { a: A } fn a(c: C) -> FoundCall {} fn b(k: FoundCall) -> E { Ok(E { a }) }");
    gates.read("pub struct FoundCall(u8); impl E { fn again(&self) -> E { E { a } } }");
    assert_eq!((gates.chain(), gates.values["E"]), (["A", "B", "C", "E"].map(String::from).into(), 2));
    let wrong = |name: &str| gates.structs[name].len();
    assert_eq!([wrong("A"), wrong("B"), wrong("C")], [1, 1, 0], "{:?}", gates.structs);
}
