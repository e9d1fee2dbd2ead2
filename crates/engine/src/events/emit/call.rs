//! The fields of a call's events. Their names follow the tool calls of model providers, which chat user
//! interfaces know.

use serde_json::{Map, Value, json};
use toolcrib_model::{Id, Via};
use toolcrib_registry::{ActionKind, ActionRegistry, Dispatcher};
use toolcrib_store::{EventRow, confirmations::ConfirmationRow, open_calls::OpenCallRow};

use crate::{
    base::{CallContext, CallFacts},
    events::emit::{Stamp, truncate},
};

/// The data that the events of one call share.
pub struct CallEvents<'c> {
    workspace: Id,
    user: Option<Id>,
    session: Option<&'c str>,
    confirmation: Option<Id>,
    /// The same id in all events of the call: the provider's id of the tool call, or else the id of the
    /// confirmation, or else the id of the call.
    id: String,
    /// The tool that was called: the dispatcher or the action.
    tool: &'c str,
    action: &'c str,
    input: Value,
    call_id: Option<Id>,
    permission_level: &'static str,
    registry: Option<&'c ActionRegistry>,
}

impl<'c> CallEvents<'c> {
    /// Returns the data of a call with a session; `None` without a session or for an operation, which is not
    /// a tool.
    pub fn of_conversation(context: &CallContext, facts: &'c CallFacts) -> Option<Self> {
        facts.caller.session.as_ref()?;
        Self::of(context, facts, context.call_id)
    }

    /// Returns the data of a call with or without a session; `None` for an operation.
    pub fn of_call(context: &CallContext, facts: &'c CallFacts) -> Option<Self> {
        let confirmation = context.confirmation.as_ref().map(|approval| approval.confirmation_id);
        Some(Self { confirmation, ..Self::of(context, facts, context.call_id)? })
    }

    /// Returns the data of a call that the caller runs. The events of its end have no arguments.
    pub fn of_open_call(registry: &'c ActionRegistry, workspace: Id, row: &'c OpenCallRow) -> Self {
        Self {
            workspace,
            user: row.user_id,
            session: row.session.as_deref(),
            confirmation: row.confirmation_id,
            id: id_of(row.tool_call_id.as_deref(), row.call_id),
            tool: &row.action,
            action: &row.action,
            input: Value::Null,
            call_id: Some(row.call_id),
            permission_level: registry.get(&row.action).map_or("write", |meta| meta.spec.level.as_str()),
            registry: None,
        }
    }

    /// Returns the data of a call that waits for a confirmation; `None` for an operation.
    pub fn of_awaiting(context: &CallContext, facts: &'c CallFacts, row: &ConfirmationRow) -> Option<Self> {
        Some(Self { confirmation: Some(row.id), ..Self::of(context, facts, row.id)? })
    }

    fn of(context: &CallContext, facts: &'c CallFacts, id: Id) -> Option<Self> {
        let meta = facts.meta.as_ref().filter(|meta| meta.spec.kind == ActionKind::Tool)?;
        let tool_call_id = context.tool_call.as_ref().map(|call| call.id.as_str());
        Some(Self {
            workspace: facts.caller.workspace,
            user: facts.caller.principal.user(),
            session: facts.caller.session.as_deref(),
            confirmation: None,
            id: id_of(tool_call_id, id),
            tool: tool(facts.via, &facts.action),
            action: &facts.action,
            input: truncate::input(meta, &facts.arguments),
            call_id: Some(context.call_id),
            permission_level: meta.spec.level.as_str(),
            registry: None,
        })
    }

    /// Returns the data of a confirmation's call.
    pub fn of_confirmation(
        registry: &'c ActionRegistry,
        workspace: Id,
        row: &'c ConfirmationRow,
        call_id: Option<Id>,
    ) -> Self {
        let arguments = serde_json::from_str(&row.call.arguments).unwrap_or_default();
        let call = Self {
            workspace,
            user: row.requester_user_id,
            session: row.session.as_deref(),
            confirmation: Some(row.id),
            id: id_of(row.tool_call_id.as_deref(), row.id),
            tool: tool(row.via, &row.action),
            action: &row.action,
            input: Value::Null,
            call_id,
            permission_level: registry.get(&row.action).map_or("write", |meta| meta.spec.level.as_str()),
            registry: Some(registry),
        };
        call.with(&arguments)
    }

    /// Replaces the arguments, which a person may have edited. Without the action's schema any argument may
    /// be sensitive, so the events of a removed action have none.
    pub fn with(mut self, arguments: &Value) -> Self {
        let meta = self.registry.and_then(|registry| registry.get(self.action));
        self.input = meta.map_or(Value::Null, |meta| truncate::input(meta, arguments));
        self
    }

    /// Makes the `tool_use` event.
    pub fn used(&self, stamp: Stamp<'_>, well: bool) -> EventRow {
        let outcome = if well { "succeeded" } else { "failed" };
        self.event(stamp, "tool_use", json!({ "outcome": outcome }))
    }

    /// Makes an event with this name. Omits the fields of `more` that are null.
    pub fn event(&self, stamp: Stamp<'_>, name: &str, more: Value) -> EventRow {
        let mut data = Map::new();
        let mut put = |key: &str, value: Value| {
            if !value.is_null() {
                data.insert(key.to_owned(), value);
            }
        };
        put("id", json!(self.id));
        put("type", json!(name));
        put("name", json!(self.tool));
        put("input", self.input.clone());
        put("action", json!(self.action));
        put("call_id", json!(self.call_id));
        put("confirmation_id", json!(self.confirmation));
        put("session", json!(self.session));
        put("permission_level", json!(self.permission_level));
        if let Value::Object(more) = more {
            more.into_iter().for_each(|(key, value)| put(&key, value));
        }
        EventRow {
            workspace_id: self.workspace,
            id: stamp.new_id(),
            name: name.to_owned(),
            kind: "permission",
            session: self.session.map(str::to_owned),
            user_id: self.user,
            permission: None,
            data: Value::Object(data),
            occurred_at: stamp.now,
        }
    }
}

/// Returns the provider's id of the tool call, or else this id.
fn id_of(tool_call_id: Option<&str>, id: Id) -> String {
    tool_call_id.filter(|id| !id.is_empty()).map_or_else(|| id.to_string(), str::to_owned)
}

fn tool(via: Via, action: &str) -> &str {
    if via == Via::Dispatcher { Dispatcher::of_action(action).as_str() } else { action }
}
