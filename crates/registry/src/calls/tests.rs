//! Tests of parsing calls and rendering answers in each format.

use serde_json::{Value, json};

use super::*;

fn parse_all(format: Format, items: &[Value]) -> Vec<Item> {
    items.iter().enumerate().map(|(index, item)| parse_item(format, index, item)).collect()
}

fn call(id: &str, arguments: RawArguments) -> Item {
    Item::Call { id: id.into(), name: "platform_list_agents".into(), arguments }
}

fn foreign(id: &str, name: &str) -> Item {
    Item::Foreign { id: id.into(), name: name.into() }
}

fn json_args() -> RawArguments {
    RawArguments::Json(json!({"limit": 1}))
}

fn text_args() -> RawArguments {
    RawArguments::Text("{\"limit\":1}".into())
}

fn answer(id: &str, is_error: bool) -> Answer {
    let value = json!({"status": "completed"});
    Answer { id: id.into(), name: "platform_list_agents".into(), content: value.to_string(), value, is_error }
}

#[test]
fn openai() {
    let items = [
        json!({
            "id": "a", "type": "function", "index": 0,
            "function": {"name": "platform_list_agents", "arguments": "{\"limit\":1}"}
        }),
        json!({"id": "b", "function": {"name": "platform_list_agents", "arguments": {"limit": 1}}}),
        json!({"id": "c", "type": "custom", "custom": {"name": "x", "input": "y"}}),
        json!({"type": "text", "text": "hello"}),
    ];
    let read = parse_all(Format::Openai, &items);
    assert_eq!(read, [call("a", text_args()), call("b", json_args()), foreign("c", "x"), Item::Other]);
    let messages = render_messages(Format::Openai, &[answer("a", false), answer("b", true)]);
    assert_eq!(messages.len(), 2);
    assert_eq!(
        messages[0],
        json!({"role": "tool", "tool_call_id": "a", "content": "{\"status\":\"completed\"}"})
    );
}

#[test]
fn openai_responses() {
    let items = [
        json!({"type": "reasoning", "id": "rs_1", "summary": []}),
        json!({"type": "function_call", "id": "fc_a", "call_id": "a", "name": "platform_list_agents",
            "arguments": "{\"limit\":1}", "status": "completed"}),
        json!({"type": "message", "content": []}),
        json!({"type": "custom_tool_call", "id": "ctc_b", "call_id": "b", "name": "edit", "input": "x"}),
        json!({"type": "local_shell_call", "id": "lsh_c", "call_id": "c", "action": {}}),
        json!({"type": "web_search_call", "id": "ws_d", "status": "completed"}),
    ];
    let read = parse_all(Format::OpenaiResponses, &items);
    assert_eq!(
        read,
        [
            Item::Other,
            call("a", text_args()),
            Item::Other,
            foreign("b", "edit"),
            foreign("c", "local_shell_call"),
            Item::Other,
        ]
    );
    let messages = render_messages(Format::OpenaiResponses, &[answer("a", false)]);
    let wanted =
        json!({"type": "function_call_output", "call_id": "a", "output": "{\"status\":\"completed\"}"});
    assert_eq!(messages, [wanted]);
}

#[test]
fn anthropic() {
    let items = [
        json!({"type": "thinking", "thinking": "…", "signature": "x"}),
        json!({"type": "text", "text": "hello"}),
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        json!({"type": "tool_use", "id": "a", "name": "platform_list_agents", "input": {"limit": 1}}),
    ];
    let read = parse_all(Format::Anthropic, &items);
    assert_eq!(read, [Item::Other, Item::Other, Item::Other, call("a", json_args())]);
    let messages = render_messages(Format::Anthropic, &[answer("a", false), answer("b", true)]);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["role"], "user");
    assert!(messages[0]["content"][0].get("is_error").is_none());
    assert_eq!(messages[0]["content"][1]["is_error"], true);
    assert_eq!(messages[0]["content"][1]["tool_use_id"], "b");
}

#[test]
fn gemini() {
    let items = [
        json!({"text": "hello", "thought": true}),
        json!({
            "functionCall": {"id": "a", "name": "platform_list_agents", "args": {"limit": 1}},
            "thoughtSignature": "x"
        }),
        json!({"function_call": {"name": "platform_list_agents", "args": {"limit": 1}}}),
        json!({"functionCall": {"name": "platform_list_agents"}}),
    ];
    let read = parse_all(Format::Gemini, &items);
    let none = call("", RawArguments::Json(json!({})));
    assert_eq!(read, [Item::Other, call("a", json_args()), call("", json_args()), none]);
    let messages = render_messages(Format::Gemini, &[answer("a", false), answer("", true)]);
    assert_eq!(messages.len(), 1);
    let parts = messages[0]["parts"].as_array().unwrap();
    assert_eq!(parts[0]["functionResponse"]["id"], "a");
    assert!(parts[1]["functionResponse"].get("id").is_none());
    assert_eq!(parts[1]["functionResponse"]["response"], json!({"status": "completed"}));
    let list = Answer { value: json!([1]), ..answer("", false) };
    let messages = render_messages(Format::Gemini, &[list]);
    assert_eq!(messages[0]["parts"][0]["functionResponse"]["response"], json!({"result": [1]}));
}

#[test]
fn a_malformed_call_is_named_with_who_is_answered() {
    let table: [(Format, Value, &str, (&str, &str)); 16] = [
        (Format::Openai, json!({"id": 1}), "/function", ("", "")),
        (Format::Openai, json!({"id": 1, "function": {"name": "x"}}), "/id", ("", "x")),
        (Format::Openai, json!({"function": {"name": "x"}}), "/id", ("", "x")),
        (Format::Openai, json!({"id": "a", "function": {}}), "/function/name", ("a", "")),
        (Format::Openai, json!({"id": "a", "function": "x"}), "/function", ("a", "")),
        (Format::Openai, json!({"id": "a", "function": {"name": ""}}), "/function/name", ("a", "")),
        (Format::Openai, json!("x"), "", ("", "")),
        (Format::OpenaiResponses, json!({"id": 1}), "/type", ("", "")),
        (Format::OpenaiResponses, json!({"type": "function_call", "name": "x"}), "/call_id", ("", "x")),
        (
            Format::OpenaiResponses,
            json!({"type": "function_call", "call_id": "a", "name": "x", "status": "incomplete"}),
            "/status",
            ("a", "x"),
        ),
        (
            Format::OpenaiResponses,
            json!({"type": "function_call", "call_id": "a", "name": "x", "status": "in_progress"}),
            "/status",
            ("a", "x"),
        ),
        (Format::Anthropic, json!({"id": 1}), "/type", ("", "")),
        (Format::Anthropic, json!({"type": "tool_use", "id": "a", "name": ""}), "/name", ("a", "")),
        (Format::Gemini, json!({"name": "x", "args": {}}), "/functionCall", ("", "x")),
        (Format::Gemini, json!({"functionCall": {"args": {}}}), "/functionCall/name", ("", "")),
        (Format::Gemini, json!({"functionCall": {"id": 1, "name": "x"}}), "/functionCall/id", ("", "x")),
    ];
    for (format, item, pointer, who) in table {
        let Item::Invalid { id, name, error } = parse_item(format, 3, &item) else {
            panic!("{format} {item}")
        };
        assert_eq!(error.pointer, format!("/tool_calls/3{pointer}"), "{format} {item}");
        assert_eq!((&*id, &*name), who, "{format} {item}");
    }
}

#[test]
fn who_is_answered_is_read_from_what_is_no_strict_json() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for part in [r#""\ud800""#, r#"{"a": 1, "a": 2}"#, "9007199254740993", &deep] {
        for (format, text, who) in [
            (
                Format::Openai,
                format!(r#"{{"id": "a", "function": {{"name": "x", "arguments": {part}}}}}"#),
                ("a", "x"),
            ),
            (
                Format::OpenaiResponses,
                format!(r#"{{"type": "function_call", "call_id": "a", "name": "x", "arguments": {part}}}"#),
                ("a", "x"),
            ),
            (
                Format::Anthropic,
                format!(r#"{{"type": "tool_use", "id": "a", "name": "x", "input": {part}}}"#),
                ("a", "x"),
            ),
            (Format::Gemini, format!(r#"{{"functionCall": {{"name": "x", "args": {part}}}}}"#), ("", "x")),
        ] {
            let item = parse_broken(format, 0, &text, "why");
            let error = ArgError::new("/tool_calls/0", "json", "can't be read: why");
            assert_eq!(item, Item::Invalid { id: who.0.into(), name: who.1.into(), error }, "{text}");
        }
        let text = format!(r#"{{"type": "text", "text": {part}}}"#);
        assert_eq!(parse_broken(Format::Anthropic, 0, &text, "why"), Item::Other);
    }
}

#[test]
fn bad_arguments_are_the_call_s_own_matter() {
    for given in [json!("{"), json!(""), json!("[]"), json!([1]), json!(5)] {
        let item = json!({"id": "a", "type": "function", "function": {"name": "x", "arguments": given}});
        assert!(matches!(parse_item(Format::Openai, 0, &item), Item::Call { .. }), "{given}");
    }
}

#[test]
fn nothing_to_answer_is_no_message() {
    for format in Format::ALL {
        assert!(render_messages(*format, &[]).is_empty());
    }
}
