//! What is kept of the result of a call.

use axum::response::IntoResponse as _;
use serde_json::{Value, json};
use toolcrib_connectors::mcp_client::{McpError, McpResult};

use super::{call_once, fake::Fake};

async fn result(result: Value) -> Result<McpResult, McpError> {
    let server = Fake::after_handshake(None, move |asked| asked.result(&result)).await;
    call_once(&server.url).await
}

#[tokio::test]
async fn structured_results_are_kept() {
    for structured in [json!({"n": 1, "s": "a\u{202e}b"}), json!([1, 2]), json!("text"), json!(0)] {
        let found = result(json!({"structuredContent": structured, "content": []})).await.unwrap();
        assert_eq!((found.structured, found.text.as_str(), found.is_error), (Some(structured), "", false));
    }
    let found = result(json!({"structuredContent": {"n": 1}})).await.unwrap();
    assert_eq!(found.structured, Some(json!({"n": 1})));
    let found = result(json!({"structuredContent": null, "content": []})).await.unwrap();
    assert_eq!(found.structured, None);
}

#[tokio::test]
async fn texts_are_joined_and_other_content_is_named() {
    let data = "iVBORw0KGgo=";
    let found = result(json!({"resultType": "complete", "content": [
        {"type": "text", "text": "first\nline"},
        {"type": "text", "text": "hid\u{200b}den\u{7}"},
        {"type": "image", "mimeType": "image/png", "data": data},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "audio", "data": "AA=="},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "mimeType": "text/plain", "size": 12},
        {"type": "resource_link", "uri": "file:///b", "name": "b"},
        {"type": "resource", "resource": {
            "uri": "file:///c", "mimeType": "text/plain", "text": "inner\u{202e}",
        }},
        {"type": "resource", "resource": {"uri": "file:///d\u{202e}", "blob": data}},
        {"type": "video\u{202e}", "data": data},
        {"type": "text"},
        7,
    ]}));
    let lines = [
        "first",
        "line",
        "hid\\u{200b}den\\u{7}",
        "[image, image/png, 8 bytes]",
        "[audio, audio/wav, 3 bytes]",
        "[audio, 1 byte]",
        "[link, file:///a, text/plain, 12 bytes]",
        "[link, file:///b]",
        "[file, file:///c, text/plain, 8 bytes]",
        "inner\\u{202e}",
        "[file, file:///d\\u{202e}, 8 bytes]",
        "[content of an unknown type, video\\u{202e}]",
        "[content of an unknown type, text]",
        "[content of an unknown type]",
    ];
    assert_eq!(found.await.unwrap().text, lines.join("\n"));
}

#[tokio::test]
async fn what_is_no_result_is_an_error() {
    let input = json!({"resultType": "input_required", "inputRequests": {}, "requestState": "s"});
    let error = result(input).await.unwrap_err();
    assert_eq!((error.clone(), error.is_unknown()), (McpError::NeedsInput, false));
    for odd in [json!({"resultType": "task", "taskId": "t"}), json!({"resultType": 1, "content": []})] {
        let error = result(odd.clone()).await.unwrap_err();
        assert!(matches!(error, McpError::Protocol(_)) && error.is_unknown(), "{odd}: {error:?}");
    }
}

/// A result that the protocol does not allow is one: the server carried the call out.
#[tokio::test]
async fn every_other_result_is_shown_as_far_as_it_can_be() {
    for (odd, structured, text) in [
        (json!({}), Some(json!({})), ""),
        (json!({"toolResult": 7}), Some(json!({"toolResult": 7})), ""),
        (json!([1]), Some(json!([1])), ""),
        (json!("done\u{202e}"), None, "done\\u{202e}"),
        (json!({"content": {"type": "text", "text": "one"}}), None, "one"),
        (json!({"content": "text"}), None, "text"),
    ] {
        let found = result(odd.clone()).await.unwrap();
        let expected = McpResult { structured, text: text.to_owned(), ..McpResult::default() };
        assert_eq!(found, expected, "{odd}");
    }
    let size = json!({"content": vec![0; 250_001]}).to_string().len();
    for (odd, size) in [(json!(null), 4), (json!({"content": vec![0; 250_001]}), size)] {
        let unreadable = Some(format!("application/json, {size} bytes"));
        assert_eq!(result(odd).await.unwrap(), McpResult { unreadable, ..McpResult::default() });
    }
    let failed = result(json!({"isError": true, "content": vec![0; 250_001]})).await.unwrap();
    assert!(failed.is_error && failed.unreadable.is_some());
}

/// Other languages write such texts.
#[tokio::test]
async fn a_result_with_a_lone_surrogate_is_read() {
    let server = Fake::after_handshake(None, |asked| {
        let result = r#"{"content":[{"type":"text","text":"x\ud800"}],"structuredContent":{"t":"\udc00y"}}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, asked.message["id"]);
        ([("content-type", "application/json")], body).into_response()
    })
    .await;
    let found = call_once(&server.url).await.unwrap();
    assert_eq!((found.text.as_str(), found.structured), ("x\u{fffd}", Some(json!({"t": "\u{fffd}y"}))));
}
