//! The transports over which calls are made.

use serde_json::{Value, json};
use toolcrib_engine::{Arguments, CallRequest, CallResponse, ToolCall};
use toolcrib_model::Surface;
use toolcrib_registry::{ActionKind, Format, Item, RawArguments, parse_item};

use crate::world::World;

/// A call as it is sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub name: String,
    pub arguments: SentArguments,
}

/// Arguments as they are sent.
#[derive(Clone, Debug)]
pub enum SentArguments {
    Json(Value),
    /// Text that may not be JSON.
    Text(String),
}

impl Sent {
    /// Returns a call of a name, to which the prefix is added if it has none.
    pub fn valid(name: &str, arguments: &Value) -> Self {
        let prefix = if name.starts_with("platform_") { "" } else { "platform_" };
        Self { name: format!("{prefix}{name}"), arguments: SentArguments::Json(arguments.clone()) }
    }

    fn text(&self) -> String {
        match &self.arguments {
            SentArguments::Json(value) => value.to_string(),
            SentArguments::Text(text) => text.clone(),
        }
    }

    fn value(&self) -> Value {
        match &self.arguments {
            SentArguments::Json(value) => value.clone(),
            SentArguments::Text(text) => json!(text),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Dispatcher,
    Mcp,
    Rest,
}

impl Transport {
    pub const ALL: [Self; 7] = [
        Self::Openai,
        Self::OpenaiResponses,
        Self::Anthropic,
        Self::Gemini,
        Self::Dispatcher,
        Self::Mcp,
        Self::Rest,
    ];

    /// Returns whether the transport accepts such a call at all: MCP refuses arguments that are no object,
    /// and a route of the API has the exact name of its action.
    pub fn can_send(self, sent: &Sent) -> bool {
        match self {
            Self::Mcp => sent.value().is_object(),
            Self::Rest => sent.name.starts_with("platform_"),
            _ => true,
        }
    }

    /// Makes the call, as the owner of workspace A.
    pub async fn call(self, app: &World, sent: Sent, number: u32) -> CallResponse {
        let id = format!("call_{number}");
        let value = sent.value();
        let item = match self {
            Self::Openai => json!({"id": id, "function": {"name": sent.name, "arguments": sent.text()}}),
            Self::OpenaiResponses => {
                json!({"type": "function_call", "call_id": id, "name": sent.name, "arguments": sent.text()})
            }
            Self::Anthropic => json!({"type": "tool_use", "id": id, "name": sent.name, "input": value}),
            Self::Gemini => json!({"functionCall": {"id": id, "name": sent.name, "args": value}}),
            Self::Dispatcher => {
                let inside = if sent.name == "platform_execute" {
                    value
                } else {
                    json!({"action": sent.name, "params": value})
                };
                let outside = inside.to_string();
                json!({"id": id, "function": {"name": "platform_execute", "arguments": outside}})
            }
            Self::Mcp => return send(app, sent.name, Arguments::Json(value), Surface::Mcp, None).await,
            Self::Rest => {
                let body = Arguments::Bytes(sent.text().into_bytes());
                return send(app, sent.name, body, Surface::Rest, None).await;
            }
        };
        let format = match self {
            Self::OpenaiResponses => Format::OpenaiResponses,
            Self::Anthropic => Format::Anthropic,
            Self::Gemini => Format::Gemini,
            _ => Format::Openai,
        };
        let Item::Call { id, name, arguments } = parse_item(format, 0, &item) else { panic!("no call") };
        let arguments = match arguments {
            RawArguments::Text(text) => Arguments::Text(text),
            RawArguments::Json(value) => Arguments::Json(value),
        };
        send(app, name, arguments, Surface::Rest, Some(ToolCall { id, format })).await
    }
}

async fn send(
    app: &World,
    name: String,
    arguments: Arguments,
    surface: Surface,
    tool_call: Option<ToolCall>,
) -> CallResponse {
    let request = CallRequest {
        authenticated: app.owner().authenticated,
        offers: ActionKind::Tool,
        name,
        arguments,
        surface,
        idempotency_key: None,
        tool_call,
        request_id: "test".into(),
        trace_id: None,
    };
    app.engine.call(request).await
}
