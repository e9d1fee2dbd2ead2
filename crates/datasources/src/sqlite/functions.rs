//! Replaces the functions of SQLite whose time is quadratic in their arguments. These give the same results
//! in linear time and check the timeout at each call. SQLite checks it only between VM instructions, and a
//! call is one instruction.

use std::{borrow::Cow, collections::HashSet};

use rusqlite::{
    Connection, Error, Result, ffi,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

use super::{MAX_PATTERN_BYTES, MAX_VALUE_BYTES, pattern::Pattern, watch::Watch};

type Function = fn(&Context<'_>, &Watch) -> Result<Option<Answer>>;

enum Answer {
    Text(String),
    Number(i64),
}

const FUNCTIONS: [(&str, i32, Function); 8] = [
    ("trim", 2, |cx, _| Ok(trim(cx, true, true))),
    ("ltrim", 2, |cx, _| Ok(trim(cx, true, false))),
    ("rtrim", 2, |cx, _| Ok(trim(cx, false, true))),
    ("instr", 2, |cx, _| Ok(instr(cx))),
    ("replace", 3, |cx, _| replace(cx)),
    ("like", 2, |cx, watch| matches(cx, watch, |text| Pattern::like(text, None))),
    ("like", 3, |cx, watch| match text(cx.get_raw(2)) {
        Some(escape) => {
            let escape = one(&escape)?;
            matches(cx, watch, |text| Pattern::like(text, Some(escape)))
        }
        None => Ok(None),
    }),
    ("glob", 2, |cx, watch| matches(cx, watch, Pattern::glob)),
];

/// Registers the functions, which then replace those of SQLite.
pub fn register(conn: &Connection, watch: &Watch) -> Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS;
    for (name, arguments, function) in FUNCTIONS {
        let watch = watch.clone();
        conn.create_scalar_function(name, arguments, flags, move |cx| {
            if !watch.goes_on() {
                return Err(failed(ffi::SQLITE_INTERRUPT));
            }
            Ok(function(cx, &watch)?.map(|answer| match answer {
                Answer::Text(text) => rusqlite::types::Value::Text(text),
                Answer::Number(number) => rusqlite::types::Value::Integer(number),
            }))
        })?;
    }
    Ok(())
}

fn failed(code: i32) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), None)
}

fn said(message: &str) -> Error {
    Error::UserFunctionError(message.into())
}

fn trim(cx: &Context<'_>, first: bool, last: bool) -> Option<Answer> {
    let (Some(text), Some(set)) = (text(cx.get_raw(0)), text(cx.get_raw(1))) else { return None };
    let set: HashSet<char> = until_nul(&set).chars().collect();
    let mut text = &*text;
    if first {
        text = text.trim_start_matches(|c| set.contains(&c));
    }
    if last {
        text = text.trim_end_matches(|c| set.contains(&c));
    }
    Some(Answer::Text(text.to_owned()))
}

fn instr(cx: &Context<'_>) -> Option<Answer> {
    let bytes = |value| match value {
        // Map each byte to a character, since `str::find` searches in linear time.
        ValueRef::Blob(blob) => Some(Cow::Owned(blob.iter().map(|byte| char::from(*byte)).collect())),
        other => text(other),
    };
    let (text, what) = match (cx.get_raw(0), cx.get_raw(1)) {
        (text @ ValueRef::Blob(_), what @ ValueRef::Blob(_)) => (bytes(text)?, bytes(what)?),
        (whole, what) => (text(whole)?, text(what)?),
    };
    let found = text.find(&*what).map_or(0, |at| 1 + text[..at].chars().count());
    i64::try_from(found).ok().map(Answer::Number)
}

fn replace(cx: &Context<'_>) -> Result<Option<Answer>> {
    let (Some(whole), Some(what)) = (text(cx.get_raw(0)), text(cx.get_raw(1))) else { return Ok(None) };
    if what.is_empty() {
        return Ok(Some(Answer::Text(whole.into_owned())));
    }
    let Some(with) = text(cx.get_raw(2)) else { return Ok(None) };
    let (mut made, mut from) = (String::new(), 0);
    for (at, _) in whole.match_indices(&*what) {
        made.push_str(&whole[from..at]);
        made.push_str(&with);
        if made.len() > MAX_VALUE_BYTES {
            return Err(failed(ffi::SQLITE_TOOBIG));
        }
        from = at + what.len();
    }
    made.push_str(&whole[from..]);
    Ok(Some(Answer::Text(made)))
}

/// Implements LIKE and GLOB. The pattern is the first argument.
fn matches(
    cx: &Context<'_>,
    watch: &Watch,
    read: impl Fn(&str) -> Option<Pattern>,
) -> Result<Option<Answer>> {
    let (Some(pattern), Some(text)) = (text(cx.get_raw(0)), text(cx.get_raw(1))) else { return Ok(None) };
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(said("LIKE or GLOB pattern too complex"));
    }
    let found = match read(until_nul(&pattern)) {
        None => false,
        Some(pattern) => pattern
            .matches(until_nul(&text), || watch.goes_on())
            .ok_or_else(|| failed(ffi::SQLITE_INTERRUPT))?,
    };
    Ok(Some(Answer::Number(found.into())))
}

fn one(text: &str) -> Result<char> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => Ok(c),
        _ => Err(said("ESCAPE expression must be a single character")),
    }
}

fn until_nul(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

/// Converts a value to text as SQLite does.
fn text(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(value) => Some(value.to_string().into()),
        ValueRef::Real(value) => Some(real(value).into()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
    }
}

/// Formats a float with fifteen digits and always with a point: `3.0`, `1.0e+15`. For very large and very
/// small values SQLite may round the last digit differently.
fn real(value: f64) -> String {
    if value == 0.0 {
        return "0.0".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Inf" } else { "-Inf" }.into();
    }
    let spelled = format!("{value:.14e}");
    let (digits, power) = spelled.split_once('e').unwrap_or((&spelled, "0"));
    let power: i32 = power.parse().unwrap_or_default();
    if (-4..15).contains(&power) {
        let places = usize::try_from(14 - power).unwrap_or_default();
        return short(&format!("{value:.places$}"));
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", short(digits), power.abs())
}

fn short(digits: &str) -> String {
    let digits = if digits.contains('.') { digits.trim_end_matches('0') } else { digits };
    let digits = digits.trim_end_matches('.');
    if digits.contains('.') { digits.into() } else { format!("{digits}.0") }
}

#[cfg(test)]
mod tests;
