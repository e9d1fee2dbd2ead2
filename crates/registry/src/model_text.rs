//! What a model reads about a call: compact, bounded, and saying what to do next.

use serde_json::{Map, Value, json};
use toolcrib_model::ErrorCode;

use crate::ArgError;

mod fit;

/// The most that one answer may weigh in a conversation, in bytes of compact JSON.
pub const MODEL_TEXT_LIMIT: usize = 16 * 1024;
/// A model mends a few errors at a time.
const MOST_ERRORS: usize = 20;

/// A call that was done: `{status, description, data}`, at most `limit` bytes. A list that is too long is cut at an
/// item and marked `truncated: true`; its `next_cursor` is kept.
pub fn completed(description: &str, data: &Value, limit: usize) -> Value {
    let mut text = json!({ "status": "completed", "description": description, "data": data });
    fit::fit(&mut text, limit);
    text
}

/// A call that was not done: `{status, error, message, errors?, call?}`. `status` is `refused` or `failed`; `call`
/// is the corrected call, where there is one.
pub fn refused(
    status: &str,
    code: ErrorCode,
    message: &str,
    errors: &[ArgError],
    call: Option<&Value>,
    limit: usize,
) -> Value {
    let mut text = Map::new();
    text.insert("status".into(), json!(status));
    text.insert("error".into(), json!(code));
    text.insert("message".into(), json!(message));
    if !errors.is_empty() {
        let shown: Vec<&ArgError> = errors.iter().take(MOST_ERRORS).collect();
        text.insert("errors".into(), json!(shown));
    }
    if let Some(call) = call {
        text.insert("call".into(), call.clone());
    }
    let mut text = Value::Object(text);
    // A corrected call that had to be cut would no longer be the call to make.
    if fit::size(&text) > limit
        && let Some(fields) = text.as_object_mut()
    {
        fields.shift_remove("call");
    }
    fit::fit(&mut text, limit);
    text
}

/// A problem in one breath: `Permission denied. <detail>; <hint>`.
pub fn problem_message(code: ErrorCode, detail: &str, hint: Option<&str>) -> String {
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}. {detail}{hint}", code.title())
}

/// A call that waits for a person: `{status, confirmation_id, approve_url, message}`.
pub fn waiting(confirmation_id: &str, approve_url: &str) -> Value {
    json!({
        "status": "confirmation_required",
        "confirmation_id": confirmation_id,
        "approve_url": approve_url,
        "message": "a person must approve this at `approve_url`; tell the user, and do not repeat the call",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(text["data"]["next_cursor"], "abc");
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
        let text =
            refused("refused", ErrorCode::InvalidArguments, &message, &errors, Some(&call), MODEL_TEXT_LIMIT);
        assert_eq!(text["error"], "invalid_arguments");
        assert_eq!(text["errors"][0]["pointer"], "/name");
        assert_eq!(text["call"], call);
        let bare = refused("failed", ErrorCode::Timeout, "too long", &[], None, MODEL_TEXT_LIMIT);
        assert_eq!(bare, json!({"status": "failed", "error": "timeout", "message": "too long"}));
        let huge = json!({"arguments": "x".repeat(20_000)});
        let text = refused("refused", ErrorCode::Conflict, "x", &[], Some(&huge), MODEL_TEXT_LIMIT);
        assert!(text.get("call").is_none());
    }

    #[test]
    fn a_waiting_call_names_its_confirmation() {
        let text = waiting("0190", "http://x/approve/0190");
        assert_eq!(
            (&text["status"], &text["confirmation_id"]),
            (&json!("confirmation_required"), &json!("0190"))
        );
    }
}
