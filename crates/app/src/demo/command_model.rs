//! What answers in the chat of a demo without a language model. It understands commands, such as `list_agents`,
//! `list_tasks limit=3` and `delete_agent {"agent": "Release Writer"}`, looks for tools with any other words, and says
//! what the tools answered.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use toolcrib_assistant::OperatorProvider;
use toolcrib_connectors::llm::{
    Finish, Model, ModelAnswer, ModelCall, ModelError, ModelEvent, ModelFormat, ModelRequest, NativeMessage,
    StepTurn, Turn, Usage,
};

/// The name of the model, by which the console knows it.
const NAME: &str = "demo-commands";
/// The tool that finds others.
const FIND: &str = "find_tools";
/// Found tools that are shown.
const SHOWN: usize = 5;
const NO_MODEL: &str = "I am no language model and understand commands only, such as `list_agents` or \
    `list_tasks limit=3`. I look for tools with your words.";

struct CommandModel;

/// Returns the provider of a demo that has no other one.
pub fn provider() -> OperatorProvider {
    // It is given all tools, whatever the words are.
    let context_tokens = Some(1_000_000);
    OperatorProvider { context_tokens, ..OperatorProvider::new(NAME, Arc::new(CommandModel), &[NAME]) }
}

impl Model for CommandModel {
    fn format(&self) -> ModelFormat {
        ModelFormat::OpenAi
    }

    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        on_event: &'a mut (dyn FnMut(ModelEvent) + Send),
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        let (text, call) = match request.turns.last() {
            Some(Turn::Step(step)) => (answers(step), None),
            Some(Turn::User(words)) => reply(words_of(words), &request.tools),
            None => (String::new(), None),
        };
        if !text.is_empty() {
            on_event(ModelEvent::Text(text.clone()));
        }
        Box::pin(std::future::ready(Ok(answer(request, text, call.filter(|_| !request.no_calls)))))
    }
}

fn answer(request: &ModelRequest, text: String, call: Option<(String, Value)>) -> ModelAnswer {
    let call = call.map(|(name, arguments)| ModelCall {
        id: "call_0".to_owned(),
        name,
        arguments: arguments.to_string(),
    });
    let finish = if call.is_some() { Finish::Calls } else { Finish::Stop };
    let asked = call.iter().map(|call| {
        let function = json!({ "name": call.name, "arguments": call.arguments });
        json!({ "id": call.id, "type": "function", "function": function })
    });
    let message = json!({ "role": "assistant", "content": text, "tool_calls": asked.collect::<Vec<_>>() });
    ModelAnswer {
        text,
        reasoning: String::new(),
        calls: call.into_iter().collect(),
        native: NativeMessage { format: ModelFormat::OpenAi, model: request.model.clone(), message },
        finish,
        usage: Usage::default(),
        first_token_ms: None,
    }
}

/// Returns the person's words, without the line that stands before them.
fn words_of(message: &str) -> &str {
    let without = message.strip_prefix('[').and_then(|_| message.split_once("]\n\n"));
    without.map_or(message, |(_, words)| words).trim()
}

/// Returns the text and the call that answer a message.
fn reply(words: &str, tools: &[Value]) -> (String, Option<(String, Value)>) {
    let (name, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    if let Some(arguments) = arguments(rest.trim())
        && let Some(call) = call_of(name, arguments, tools)
    {
        return (String::new(), Some(call));
    }
    let query = json!({ "query": words, "limit": SHOWN });
    let query = query.as_object().cloned().unwrap_or_default();
    (NO_MODEL.to_owned(), call_of(FIND, query, tools))
}

/// Returns the call of an action, by itself or through a dispatcher. `None` if no tool is for it.
fn call_of(name: &str, arguments: Map<String, Value>, tools: &[Value]) -> Option<(String, Value)> {
    let names = [name.to_owned(), format!("platform_{name}")];
    let is_named = |named: &str| names.iter().any(|name| name == named);
    let functions = || tools.iter().map(|tool| &tool["function"]);
    let called = functions().filter_map(|function| function["name"].as_str()).find(|name| is_named(name));
    if let Some(called) = called {
        return Some((called.to_owned(), Value::Object(arguments)));
    }
    functions().find_map(|function| {
        let actions = function.pointer("/parameters/properties/action/enum")?.as_array()?;
        let action = actions.iter().filter_map(Value::as_str).find(|action| is_named(action))?;
        let dispatcher = function["name"].as_str()?.to_owned();
        Some((dispatcher, json!({ "action": action, "params": arguments })))
    })
}

/// Returns the arguments after a command: JSON, or `name=value` with quotes around words. `None` for other text.
fn arguments(text: &str) -> Option<Map<String, Value>> {
    if text.starts_with('{') {
        return serde_json::from_str(text).ok();
    }
    let (mut arguments, mut rest) = (Map::new(), text);
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        let (value, after) = if let Some(quoted) = after.strip_prefix('"') {
            let (value, after) = quoted.split_once('"')?;
            (Value::String(value.to_owned()), after)
        } else {
            let (value, after) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
            (serde_json::from_str(value).unwrap_or_else(|_| value.into()), after)
        };
        if !is_name {
            return None;
        }
        arguments.insert(name.to_owned(), value);
        rest = after.trim_start();
    }
    Some(arguments)
}

/// Returns what the tools answered, a line each, and the tools that were found.
fn answers(step: &StepTurn) -> String {
    let mut lines = Vec::new();
    for answer in &step.answers {
        let answer: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        let said = answer["description"].as_str().or_else(|| answer["message"].as_str());
        lines.push(format!("{}.", said.unwrap_or("It has an answer").trim_end_matches('.')));
        let found = answer.pointer("/data/items").and_then(Value::as_array);
        let found = found.into_iter().flatten().filter(|item| item["how_to_call"].is_object());
        lines.extend(found.filter_map(|item| {
            let name = item["name"].as_str()?;
            let name = name.strip_prefix("platform_").unwrap_or(name);
            Some(format!("- `{name}`: {}", item["description"].as_str().unwrap_or_default()))
        }));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<Value> {
        let actions = json!(["platform_delete_agent", "platform_create_task"]);
        vec![
            json!({ "function": { "name": "platform_list_agents" } }),
            json!({ "function": { "name": "platform_find_tools" } }),
            json!({ "function": {
                "name": "platform_execute", "parameters": { "properties": { "action": { "enum": actions } } },
            } }),
        ]
    }

    #[test]
    fn commands_are_calls() {
        let called = |words: &str| reply(words, &tools()).1.unwrap();
        assert_eq!(called("list_agents"), ("platform_list_agents".to_owned(), json!({})));
        let task = json!({ "title": "Call back", "priority": "high", "limit": 3 });
        let action = json!({ "action": "platform_create_task", "params": task });
        let by_names = "create_task title=\"Call back\" priority=high limit=3";
        assert_eq!(called(by_names), ("platform_execute".to_owned(), action));
        let agent = json!({ "action": "platform_delete_agent", "params": { "agent": "Release Writer" } });
        let by_json = "platform_delete_agent {\"agent\": \"Release Writer\"}";
        assert_eq!(called(by_json), ("platform_execute".to_owned(), agent));
    }

    #[test]
    fn other_words_look_for_tools() {
        for words in ["How many agents are there?", "list_agents please", "drop_tables", "{}", "yes"] {
            let (text, call) = reply(words, &tools());
            assert_eq!(text, NO_MODEL);
            assert_eq!(
                call.unwrap(),
                ("platform_find_tools".to_owned(), json!({ "query": words, "limit": SHOWN }))
            );
        }
    }

    #[test]
    fn what_stands_before_the_words_is_no_command() {
        assert_eq!(words_of("[It is 2026-01-15 10:00 UTC.]\n\nlist_agents"), "list_agents");
        assert_eq!(words_of("list_agents"), "list_agents");
    }
}
