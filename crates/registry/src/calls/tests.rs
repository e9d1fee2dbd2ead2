//! Tests of parsing calls and rendering answers in each format.

use serde_json::{Value, json};

use super::*;

fn call(id: &str, arguments: RawArguments) -> Item {
    Item::Call { id: id.into(), name: "platform_list_agents".into(), arguments }
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
    let read = parse_calls(Format::Openai, &items).unwrap();
    assert_eq!(read, [call("a", text_args()), call("b", json_args()), Item::Other, Item::Other]);
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
    ];
    let read = parse_calls(Format::OpenaiResponses, &items).unwrap();
    assert_eq!(read, [Item::Other, call("a", text_args()), Item::Other]);
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
    let read = parse_calls(Format::Anthropic, &items).unwrap();
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
    let read = parse_calls(Format::Gemini, &items).unwrap();
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
fn malformed_calls_are_named() {
    let table: [(Format, Value, &str); 13] = [
        (Format::Openai, json!({"id": 1}), "/tool_calls/0/function"),
        (Format::Openai, json!({"id": 1, "function": {"name": "x"}}), "/tool_calls/0/id"),
        (Format::Openai, json!({"function": {"name": "x"}}), "/tool_calls/0/id"),
        (Format::Openai, json!({"id": "a", "function": {}}), "/tool_calls/0/function/name"),
        (Format::Openai, json!({"id": "a", "function": "x"}), "/tool_calls/0/function"),
        (Format::Openai, json!("x"), "/tool_calls/0"),
        (Format::OpenaiResponses, json!({"id": 1}), "/tool_calls/0/type"),
        (Format::OpenaiResponses, json!({"type": "function_call", "name": "x"}), "/tool_calls/0/call_id"),
        (Format::Anthropic, json!({"id": 1}), "/tool_calls/0/type"),
        (Format::Anthropic, json!({"type": "tool_use", "id": "a", "name": ""}), "/tool_calls/0/name"),
        (Format::Gemini, json!({"name": "x", "args": {}}), "/tool_calls/0/functionCall"),
        (Format::Gemini, json!({"functionCall": {"args": {}}}), "/tool_calls/0/functionCall/name"),
        (Format::Mcp, json!({}), "/format"),
    ];
    for (format, item, pointer) in table {
        let errors = parse_calls(format, std::slice::from_ref(&item)).unwrap_err();
        assert_eq!(errors[0].pointer, pointer, "{format} {item}");
    }
}

#[test]
fn bad_arguments_are_the_call_s_own_matter() {
    for given in [json!("{"), json!(""), json!("[]"), json!([1]), json!(5)] {
        let item = json!({"id": "a", "type": "function", "function": {"name": "x", "arguments": given}});
        assert!(parse_calls(Format::Openai, &[item]).is_ok(), "{given}");
    }
}

#[test]
fn nothing_to_answer_is_no_message() {
    for format in Format::ALL {
        assert!(render_messages(*format, &[]).is_empty());
    }
}
