//! The Rust tokens of a file without its tests, comments and attributes.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The tokens of a file. Groups are not flattened.
pub fn product_tokens(text: &str) -> Vec<TokenTree> {
    strip(text.parse::<TokenStream>().unwrap())
}

/// Removes attributes (doc comments are attributes too) and items under `#[cfg(test)]`.
fn strip(stream: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if !is_punct(&token, '#') {
            kept.push(token);
            continue;
        }
        if tokens.peek().is_some_and(|token| is_punct(token, '!')) {
            tokens.next();
        }
        let attribute = tokens.next().map(|token| token.to_string()).unwrap_or_default();
        if attribute.replace(' ', "") != "[cfg(test)]" {
            continue;
        }
        // The item ends with its braces or its semicolon.
        for token in tokens.by_ref() {
            if is_punct(&token, ';') || braces(&token).is_some() {
                break;
            }
        }
    }
    kept
}

/// The tokens between braces, if the token is such a group.
pub fn braces(token: &TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    }
}

/// Calls `visitor` with each list of tokens: the file's, and that of each group in it.
pub fn visit(tokens: &[TokenTree], visitor: &mut impl FnMut(&[TokenTree])) {
    visitor(tokens);
    for token in tokens {
        if let TokenTree::Group(group) = token {
            visit(&strip(group.stream()), visitor);
        }
    }
}

/// Whether the token is this character.
pub fn is_punct(token: &TokenTree, c: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == c)
}

/// The identifier, if the token is one.
pub fn ident(token: Option<&TokenTree>) -> Option<String> {
    match token {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}
