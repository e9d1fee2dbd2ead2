//! Renders the result of a call for a model: compact JSON of limited size that says what to do next.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use toolcrib_model::{Cursor, ErrorCode, visible, visible_lines};

use crate::ArgError;

mod fit;
mod page;

/// The maximum size of one answer, in bytes of compact JSON.
pub const MODEL_TEXT_LIMIT: usize = 16 * 1024;
/// What a model reads about a stored result.
const REPLAYED: &str = "the same call ran before; this is its stored result, and nothing ran again";
/// The maximum number of errors in an answer. A model corrects only a few at a time.
const MAX_ERRORS: usize = 20;

/// The result of a completed call.
#[derive(Clone, Copy, Debug)]
pub struct Completion<'a> {
    /// One sentence about the result.
    pub description: &'a str,
    /// The action's output.
    pub data: &'a Value,
    /// What the output is, if `data` is null because it can't be shown.
    pub unreadable: Option<&'a str>,
    /// The cursor after each item of a page. Empty if the data is not a page.
    pub ends: &'a [Cursor],
    /// Who wrote the texts in the data: [`crate::untrusted_sentence`].
    pub untrusted: Option<&'a str>,
    /// JSON pointers to the arguments that were read differently.
    pub repaired: &'a [String],
    /// Whether the call ran before, so that this is its stored result.
    pub replayed: bool,
}

/// Renders a completed call as `{status, description, replayed?, repaired?, untrusted?, unreadable?, data}` of at most
/// `limit` bytes. Replaces invisible characters with their code points. Cuts a list that is too long after an item and
/// marks it `truncated: true`. The `next_cursor` of a page that was cut leads to the first item left out.
pub fn completed(done: &Completion<'_>, limit: usize) -> Value {
    let mut text = Map::new();
    text.insert("status".into(), json!("completed"));
    text.insert("description".into(), json!(visible(done.description)));
    if done.replayed {
        text.insert("replayed".into(), json!(REPLAYED));
    }
    if !done.repaired.is_empty() {
        text.insert("repaired".into(), json!(done.repaired));
    }
    if let Some(untrusted) = done.untrusted {
        text.insert("untrusted".into(), json!(untrusted));
    }
    if let Some(unreadable) = done.unreadable {
        text.insert("unreadable".into(), json!(unreadable));
    }
    let mut data = done.data.clone();
    show(&mut data);
    text.insert("data".into(), data);
    let mut text = Value::Object(text);
    if fit::size(&text) > limit {
        page::fit(&mut text, done.ends, limit);
    }
    text
}

/// Replaces invisible characters with their code points in every string and key. Keeps line breaks and tabs.
fn show(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible_lines(text) {
                *text = shown;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(show),
        Value::Object(fields) => {
            fields.values_mut().for_each(show);
            if fields.keys().any(|key| matches!(visible_lines(key), Cow::Owned(_))) {
                let renamed = std::mem::take(fields).into_iter();
                *fields = renamed.map(|(key, value)| (visible_lines(&key).into_owned(), value)).collect();
            }
        }
        _ => {}
    }
}

/// The result of a call that was refused or failed.
#[derive(Clone, Copy, Debug)]
pub struct RefusalText<'a> {
    /// `refused` or `failed`.
    pub status: &'a str,
    pub code: ErrorCode,
    /// What happened and what to do instead.
    pub message: &'a str,
    /// Who wrote the texts that the message quotes: [`crate::untrusted_sentence`].
    pub untrusted: Option<&'a str>,
    /// The problems of the arguments.
    pub errors: &'a [ArgError],
    /// The corrected call, if there is one.
    pub call: Option<&'a Value>,
}

/// Renders a call that was refused or failed as `{status, error, untrusted?, message, errors?, call?}`.
pub fn refused(refusal: &RefusalText<'_>, limit: usize) -> Value {
    let mut text = Map::new();
    text.insert("status".into(), json!(refusal.status));
    text.insert("error".into(), json!(refusal.code));
    if let Some(untrusted) = refusal.untrusted {
        text.insert("untrusted".into(), json!(untrusted));
    }
    text.insert("message".into(), json!(visible(refusal.message)));
    if !refusal.errors.is_empty() {
        let shown: Vec<&ArgError> = refusal.errors.iter().take(MAX_ERRORS).collect();
        let mut shown = json!(shown);
        show(&mut shown);
        text.insert("errors".into(), shown);
    }
    if let Some(call) = refusal.call {
        text.insert("call".into(), call.clone());
    }
    let mut text = Value::Object(text);
    // Cutting the corrected call would make it wrong, so it is left out whole.
    if fit::size(&text) > limit
        && let Some(fields) = text.as_object_mut()
    {
        fields.shift_remove("call");
    }
    fit::fit(&mut text, limit);
    text
}

/// Formats a problem as one text: `Permission denied. <detail>; <hint>`.
pub fn problem_message(code: ErrorCode, detail: &str, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}. {detail}{hint}", code.title())
}

/// Renders a call that waits for a person as `{status, confirmation_id, approve_url, message}`. `replaces_earlier`
/// tells the model that an earlier call on the same target no longer waits.
pub fn waiting(confirmation_id: &str, approve_url: &str, replaces_earlier: bool) -> Value {
    let replaced = "; an earlier call on the same target, which waited too, is replaced by this one";
    json!({
        "status": "confirmation_required",
        "confirmation_id": confirmation_id,
        "approve_url": approve_url,
        "message": format!(
            "a person must approve this call at `approve_url`; tell the user, and do not repeat the call{}",
            if replaces_earlier { replaced } else { "" },
        ),
    })
}

/// Renders a call that the application runs as `{status, call_id, message}`.
pub fn to_run(call_id: &str) -> Value {
    json!({
        "status": "client_execution_required",
        "call_id": call_id,
        "message": "the application runs this call and reports its outcome; do not repeat the call",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(description: &str, data: &Value, limit: usize) -> Value {
        super::completed(
            &Completion {
                description,
                data,
                unreadable: None,
                ends: &[],
                untrusted: None,
                repaired: &[],
                replayed: false,
            },
            limit,
        )
    }

    fn rows(count: usize, width: usize) -> Value {
        let items: Vec<Value> = (0..count).map(|n| json!({"n": n, "text": "é".repeat(width)})).collect();
        json!({ "items": items, "next_cursor": "abc" })
    }

    #[test]
    fn what_fits_is_whole() {
        let data = rows(3, 5);
        let text = completed("3 rows", &data, MODEL_TEXT_LIMIT);
        assert_eq!(text, json!({"status": "completed", "description": "3 rows", "data": data}));
    }

    #[test]
    fn a_long_list_is_cut_at_an_item() {
        let text = completed("rows", &rows(500, 50), MODEL_TEXT_LIMIT);
        let size = fit::size(&text);
        assert!(size <= MODEL_TEXT_LIMIT && size > MODEL_TEXT_LIMIT - 400, "{size}");
        assert_eq!(text["data"]["truncated"], true);
        let items = text["data"]["items"].as_array().unwrap();
        assert!(items.iter().enumerate().all(|(n, item)| item["n"] == n && item["text"] == "é".repeat(50)));
    }

    #[test]
    fn one_huge_text_is_cut_and_so_is_a_bare_list() {
        let text = completed("one", &json!({"content": "\"\n".repeat(50_000)}), MODEL_TEXT_LIMIT);
        assert!(fit::size(&text) <= MODEL_TEXT_LIMIT);
        assert_eq!(text["data"]["truncated"], true);
        let bare: Vec<u32> = (0..20_000).collect();
        let text = completed("bare", &json!(bare), MODEL_TEXT_LIMIT);
        assert!(fit::size(&text) <= MODEL_TEXT_LIMIT);
        assert_eq!(text["truncated"], true);
        assert_eq!(text["data"][1], 1);
    }

    #[test]
    fn one_huge_text_does_not_cost_the_lists_beside_or_around_it() {
        let text = completed(
            "x",
            &json!({"content": "x".repeat(50_000), "tags": ["a", "b", "c"]}),
            MODEL_TEXT_LIMIT,
        );
        assert_eq!(text["data"]["tags"], json!(["a", "b", "c"]));
        let items = json!([{"text": "x".repeat(50_000)}, {"text": "short"}]);
        let text = completed("x", &json!({ "items": items }), MODEL_TEXT_LIMIT);
        assert_eq!(text["data"]["items"][1], json!({"text": "short"}));
    }

    #[test]
    fn whatever_it_is_it_fits() {
        let wide: Map<String, Value> = (0..5000).map(|n| (format!("key{n}"), json!(n))).collect();
        let nested = json!({"a": {"b": rows(100, 300), "c": rows(2, 20_000)}});
        for data in [json!(wide), nested, rows(1, 40_000), json!("x".repeat(99_999))] {
            let text = completed("x", &data, MODEL_TEXT_LIMIT);
            assert!(fit::size(&text) <= MODEL_TEXT_LIMIT);
            assert!(text.to_string().contains("\"truncated\":true"));
        }
    }

    #[test]
    fn refusals_say_what_to_do() {
        let message =
            problem_message(ErrorCode::PermissionDenied, "`x` needs the role admin", Some("ask one"));
        assert_eq!(message, "Permission denied. `x` needs the role admin; ask one");
        let errors = [ArgError::new("/name", "required", "`name` is required")];
        let call = json!({"name": "x", "arguments": {}});
        let refusal = RefusalText {
            status: "refused",
            code: ErrorCode::InvalidArguments,
            message: &message,
            untrusted: None,
            errors: &errors,
            call: Some(&call),
        };
        let text = refused(&refusal, MODEL_TEXT_LIMIT);
        assert_eq!(text["error"], "invalid_arguments");
        assert_eq!(text["errors"][0]["pointer"], "/name");
        assert_eq!(text["call"], call);
        let bare = RefusalText {
            status: "failed",
            code: ErrorCode::Timeout,
            message: "too long",
            errors: &[],
            call: None,
            ..refusal
        };
        let told = json!({"status": "failed", "error": "timeout", "message": "too long"});
        assert_eq!(refused(&bare, MODEL_TEXT_LIMIT), told);
        let huge = json!({"arguments": "x".repeat(20_000)});
        let text = refused(&RefusalText { call: Some(&huge), ..refusal }, MODEL_TEXT_LIMIT);
        assert!(text.get("call").is_none());
    }

    #[test]
    fn other_peoples_words_are_marked_and_nothing_in_them_hides() {
        let data = json!({"text": "a\u{202e}b\n\u{200b}", "list": ["👩\u{200d}💻"], "free": {"k\u{7}": 1}});
        let done = Completion {
            description: "Found `x\n`",
            data: &data,
            unreadable: None,
            ends: &[],
            untrusted: Some("tasks: so"),
            repaired: &[],
            replayed: false,
        };
        let text = super::completed(&done, MODEL_TEXT_LIMIT);
        let keys: Vec<&String> = text.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["status", "description", "untrusted", "data"]);
        assert_eq!(text["description"], "Found `x\\u{a}`");
        let shown =
            json!({"text": "a\\u{202e}b\n\\u{200b}", "list": ["👩\u{200d}💻"], "free": {"k\\u{7}": 1}});
        assert_eq!((&text["untrusted"], &text["data"]), (&json!("tasks: so"), &shown));
        let refusal = RefusalText {
            status: "refused",
            code: ErrorCode::NotFound,
            message: "did you mean `a\u{200b}`",
            untrusted: Some("agents: so"),
            errors: &[ArgError::new("/x", "y", "z\u{feff}")],
            call: None,
        };
        let text = refused(&refusal, MODEL_TEXT_LIMIT);
        assert_eq!(
            (&text["message"], &text["untrusted"]),
            (&json!("did you mean `a\\u{200b}`"), &json!("agents: so"))
        );
        assert_eq!(text["errors"][0]["message"], "z\\u{feff}");
    }

    #[test]
    fn a_waiting_call_names_its_confirmation() {
        let text = waiting("0190", "http://x/approve/0190", false);
        assert_eq!(
            (&text["status"], &text["confirmation_id"]),
            (&json!("confirmation_required"), &json!("0190"))
        );
    }

    #[test]
    fn a_call_that_the_application_runs_is_not_to_be_repeated() {
        let text = to_run("0190");
        assert_eq!(
            (&text["status"], &text["call_id"]),
            (&json!("client_execution_required"), &json!("0190"))
        );
        assert!(text["message"].as_str().unwrap().contains("do not repeat the call"), "{text}");
    }
}
