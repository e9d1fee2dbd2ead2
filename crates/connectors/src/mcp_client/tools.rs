//! Lists the tools of a server.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use serde_json::{Map, Value};
use tokio::time::Instant;
use toolcrib_model::visible;

use super::{
    McpEndpoint, McpError, McpSession,
    exchange::{self, Budget, Question, rest},
    message,
    parameter_headers::{self, ParameterHeader},
    text,
};
use crate::upstream::UnreadBody;

const MAX_PAGES: usize = 20;
const MAX_TOOLS: usize = 500;
/// The most bytes of all pages.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most bytes of a cursor.
const CURSOR_BYTES: usize = 4_096;
/// The most characters of a tool's name.
const NAME_CHARACTERS: usize = 128;
const TOO_LARGE: McpError = McpError::Protocol("it lists more than 4 MiB of tools");

/// A tool of a server, as the server describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    /// Its name: 1 to 128 visible characters.
    pub name: String,
    /// Its text, as the server sent it.
    pub description: Option<String>,
    /// The JSON Schema of its arguments, an object.
    pub input_schema: Value,
    /// The JSON Schema of its structured result, an object.
    pub output_schema: Option<Value>,
    /// Whether the server says that the tool may destroy something and does not say that it only reads.
    pub destructive_hint: bool,
    /// The parameters that are also sent as headers. Empty before revision 2026-07-28.
    pub headers: Vec<ParameterHeader>,
}

/// A tool of a server that can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutTool {
    /// Its name as it is shown; empty if it has none.
    pub name: String,
    /// Why it is left out. The text follows the tool's name, such as "has no input schema".
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DiscoveredTools {
    /// The server's name and version, as the server says it.
    pub server: String,
    /// The tools, in the order of the server.
    pub tools: Vec<McpTool>,
    /// The tools that can't be used.
    pub left_out: Vec<LeftOutTool>,
    /// Whether the list ended. If not, the server sent a cursor again, and further tools may exist.
    pub is_complete: bool,
}

impl McpSession {
    /// Lists the server's tools within this time: at most 500 tools, 20 pages and 4 MiB. The error names the
    /// limit that the server exceeds, because a part of a list does not show which tools are gone. A list
    /// whose cursor comes again ends there and is not complete. A single tool that can't be used is left
    /// out and named. Never returns [`McpError::SessionEnded`].
    pub async fn list_tools(
        &self,
        endpoint: &McpEndpoint<'_>,
        timeout: Duration,
    ) -> Result<DiscoveredTools, McpError> {
        let deadline = Instant::now() + timeout;
        let (mut listed, mut cursors, mut bytes) = (Vec::new(), HashSet::new(), 0);
        let mut params = Map::new();
        for _ in 0..MAX_PAGES {
            let page = page(self, endpoint, params, deadline, MAX_BYTES - bytes).await?;
            bytes += page.size;
            listed.extend(page.tools);
            if listed.len() > MAX_TOOLS {
                return Err(McpError::Protocol("it lists more than 500 tools"));
            }
            let Some(cursor) = page.next else {
                return Ok(discovered(self, listed, true));
            };
            if cursor.len() > CURSOR_BYTES {
                return Err(McpError::Protocol("the cursor of its list has more than 4,096 bytes"));
            }
            if !cursors.insert(cursor.clone()) {
                // Servers that ignore the cursor answer with the first page again.
                let mut seen = HashSet::new();
                listed.retain(|tool: &Value| seen.insert(tool.to_string()));
                return Ok(discovered(self, listed, false));
            }
            params = Map::from_iter([("cursor".to_owned(), Value::String(cursor))]);
        }
        Err(McpError::Protocol("its list has more than 20 pages"))
    }
}

/// A part of the list.
struct Page {
    tools: Vec<Value>,
    next: Option<String>,
    size: usize,
}

async fn page(
    session: &McpSession,
    endpoint: &McpEndpoint<'_>,
    params: Map<String, Value>,
    deadline: Instant,
    max_bytes: usize,
) -> Result<Page, McpError> {
    let budget = Budget { timeout: rest(deadline)?, max_bytes, traceparent: None };
    let asked = exchange::ask(session, endpoint, Question::new("tools/list", params), budget);
    let answered = asked.await.map_err(|error| match error {
        McpError::Unread(UnreadBody::TooLarge(_)) => TOO_LARGE,
        McpError::SessionEnded => McpError::Protocol("it does not know the session that it has just opened"),
        error => error,
    })?;
    let mut result = message::parse_object(&answered.result)?;
    let Some(Value::Array(tools)) = result.remove("tools") else {
        return Err(McpError::Protocol("its list of tools is no list"));
    };
    let next = match result.remove("nextCursor") {
        None | Some(Value::Null) => None,
        // Servers of older revisions that have no further page also say it so. In a stateless revision any text is a
        // cursor.
        Some(Value::String(cursor)) if cursor.is_empty() && !session.revision.is_stateless() => None,
        Some(Value::String(cursor)) => Some(cursor),
        Some(_) => return Err(McpError::Protocol("the cursor of its list is no text")),
    };
    Ok(Page { tools, next, size: answered.size })
}

fn discovered(session: &McpSession, listed: Vec<Value>, is_complete: bool) -> DiscoveredTools {
    let mut counts = HashMap::<String, usize>::new();
    for name in listed.iter().filter_map(|tool| tool.get("name")?.as_str()) {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    let (mut tools, mut left_out) = (Vec::new(), Vec::new());
    for tool in listed {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let read = if counts.get(&name).is_some_and(|count| *count > 1) {
            Err("is listed more than once, so that a call of it is not clear")
        } else {
            read(session, tool)
        };
        match read {
            Ok(tool) => tools.push(tool),
            Err(reason) => left_out
                .push(LeftOutTool { name: text::cut(&name, NAME_CHARACTERS), reason: reason.to_owned() }),
        }
    }
    DiscoveredTools { server: session.server.clone(), tools, left_out, is_complete }
}

/// Reads the description of a tool. The error is the reason why it can't be used.
fn read(session: &McpSession, mut tool: Value) -> Result<McpTool, &'static str> {
    let Some(tool) = tool.as_object_mut() else { return Err("is no object") };
    let Some(Value::String(name)) = tool.remove("name") else { return Err("has no name") };
    if !is_name(&name) {
        return Err("has a name that is not 1 to 128 visible characters without spaces");
    }
    let description = match tool.remove("description") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(_) => return Err("has a description that is no text"),
    };
    let input_schema = tool.remove("inputSchema").filter(is_schema_of_objects);
    let input_schema = input_schema.ok_or("has no input schema of the type `object`")?;
    let output_schema = tool.remove("outputSchema").filter(|schema| !schema.is_null());
    if output_schema.as_ref().is_some_and(|schema| !schema.is_object()) {
        return Err("has an output schema that is no object");
    }
    let headers = if session.revision.is_stateless() {
        parameter_headers::of_schema(&input_schema)?
    } else {
        Vec::new()
    };
    let hint =
        |name: &str| tool.get("annotations").and_then(|hints| hints.get(name)) == Some(&Value::Bool(true));
    let destructive_hint = hint("destructiveHint") && !hint("readOnlyHint");
    Ok(McpTool { name, description, input_schema, output_schema, destructive_hint, headers })
}

fn is_name(name: &str) -> bool {
    let spaces = name.contains(char::is_whitespace);
    (1..=NAME_CHARACTERS).contains(&name.chars().count()) && !spaces && visible(name) == name
}

fn is_schema_of_objects(schema: &Value) -> bool {
    schema.is_object() && schema.get("type").is_none_or(|of_type| of_type == "object")
}
