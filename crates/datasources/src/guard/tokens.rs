//! Splits a text into tokens, and rebuilds the SQL in a normal form from tokens.

use sqlparser::{
    dialect::Dialect,
    tokenizer::{Token, Tokenizer, Word},
};

use super::{QueryRefused, names, refuse};

/// The maximum number of tokens of a query.
const MAX_TOKENS: usize = 4_000;
/// The maximum nesting of parentheses and brackets.
const DEEPEST: usize = 20;

/// Returns the tokens of exactly one statement, without comments and the final semicolon.
pub fn read(dialect: &dyn Dialect, text: &str) -> Result<Vec<Token>, QueryRefused> {
    let all = Tokenizer::new(dialect, text).tokenize();
    let all = all.map_err(|error| {
        QueryRefused::new(format!("it can't be read as SQL: {}", crate::said(&error.message)))
    })?;
    let mut tokens: Vec<Token> =
        all.into_iter().filter(|token| !matches!(token, Token::Whitespace(_) | Token::EOF)).collect();
    while tokens.last() == Some(&Token::SemiColon) {
        tokens.pop();
    }
    if tokens.is_empty() {
        return refuse("there is no query in it");
    }
    if tokens.contains(&Token::SemiColon) {
        return refuse("exactly one SELECT is run here: leave out everything behind the `;`");
    }
    begins(&tokens)?;
    fits(&tokens)?;
    Ok(tokens)
}

fn begins(tokens: &[Token]) -> Result<(), QueryRefused> {
    let first = tokens.iter().find(|token| **token != Token::LParen);
    match first {
        Some(Token::Word(Word { value, quote_style: None, .. })) => {
            let word = value.to_uppercase();
            if ["SELECT", "WITH", "VALUES"].contains(&word.as_str()) {
                return Ok(());
            }
            refuse(format!("only SELECT is run here; `{}` is not", crate::said(&word)))
        }
        _ => refuse("only SELECT is run here"),
    }
}

fn fits(tokens: &[Token]) -> Result<(), QueryRefused> {
    if tokens.len() > MAX_TOKENS {
        return refuse("the query is too long: it has more than 4,000 words and signs");
    }
    let mut open = 0_usize;
    for token in tokens {
        match token {
            Token::LParen | Token::LBracket => open += 1,
            Token::RParen | Token::RBracket => open = open.saturating_sub(1),
            _ => {}
        }
        if open > DEEPEST {
            return refuse("the query is nested too deeply: at most 20 parentheses around anything");
        }
    }
    Ok(())
}

/// Builds the SQL for the database: every token in its normal form, separated by one space.
pub fn write(tokens: &[Token]) -> Result<String, QueryRefused> {
    let mut sql = String::new();
    for token in tokens {
        if !sql.is_empty() {
            sql.push(' ');
        }
        sql.push_str(&plain(token)?);
    }
    Ok(sql)
}

fn plain(token: &Token) -> Result<String, QueryRefused> {
    match token {
        Token::Word(word) => name(word),
        Token::Number(digits, false) if digits.bytes().all(in_number) => Ok(digits.clone()),
        Token::SingleQuotedString(text) if !text.contains('\0') => {
            Ok(format!("'{}'", text.replace('\'', "''")))
        }
        token if is_sign(token) => Ok(token.to_string()),
        Token::Placeholder(_) | Token::Question => {
            refuse("there are no parameters here: write the values into the query")
        }
        Token::EscapedStringLiteral(_)
        | Token::UnicodeStringLiteral(_)
        | Token::DollarQuotedString(_)
        | Token::NationalStringLiteral(_)
        | Token::HexStringLiteral(_)
        | Token::SingleQuotedByteStringLiteral(_) => refuse(
            "texts are written in plain single quotes here: no E'', U&'', N'', X'', B'' and no dollar quotes",
        ),
        other => refuse(format!("`{}` is not allowed here", crate::said(&other.to_string()))),
    }
}

const fn in_number(b: u8) -> bool {
    b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')
}

fn name(word: &Word) -> Result<String, QueryRefused> {
    names::not_the_systems(&word.value)?;
    match word.quote_style {
        None => {
            let fits = |(at, c): (usize, char)| {
                c == '_' || c.is_alphabetic() || (at > 0 && (c.is_numeric() || c == '$'))
            };
            if word.value.chars().enumerate().all(fits) {
                Ok(word.value.clone())
            } else {
                refuse(format!("`{}` is no name", crate::said(&word.value)))
            }
        }
        Some('"' | '`' | '[') if !word.value.is_empty() && !word.value.contains('\0') => {
            Ok(format!("\"{}\"", word.value.replace('"', "\"\"")))
        }
        Some(_) => refuse("a name is quoted with double quotes here"),
    }
}

/// Returns whether the token is an operator or punctuation whose meaning does not change when spaces surround
/// it.
fn is_sign(token: &Token) -> bool {
    matches!(
        token,
        Token::Comma
            | Token::Period
            | Token::LParen
            | Token::RParen
            | Token::LBracket
            | Token::RBracket
            | Token::Colon
            | Token::DoubleColon
            | Token::Eq
            | Token::DoubleEq
            | Token::Neq
            | Token::Lt
            | Token::Gt
            | Token::LtEq
            | Token::GtEq
            | Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::Mod
            | Token::Caret
            | Token::Ampersand
            | Token::Pipe
            | Token::StringConcat
            | Token::Tilde
            | Token::TildeAsterisk
            | Token::ExclamationMarkTilde
            | Token::ExclamationMarkTildeAsterisk
            | Token::ShiftLeft
            | Token::ShiftRight
            | Token::Arrow
            | Token::LongArrow
            | Token::HashArrow
            | Token::HashLongArrow
            | Token::RArrow
            | Token::AtArrow
            | Token::ArrowAt
    )
}
