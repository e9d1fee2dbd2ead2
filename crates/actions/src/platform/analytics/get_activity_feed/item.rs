//! An item of the activity feed.

use serde_json::Value;
use toolcrib_engine::prelude::*;
use toolcrib_registry::PREFIX;
use toolcrib_store::{
    activity::{ActivityEvent, CallEntry, EventCounts},
    messages::ChatEntry,
};

use crate::shared::words;

toolcrib_model::closed_set! {
    "an item type",
    /// Type of an activity.
    ItemType {
        /// Last message of a chat (members: own chats, admins: all chats).
        Chat = "chat",
        /// Event of a playbook.
        Playbook = "playbook",
        /// Heartbeat of an agent.
        Heartbeat = "heartbeat",
        /// Event of a mission.
        Mission = "mission",
        /// Event of a task.
        Task = "task",
        /// Call that writes, or a refused call.
        Call = "call",
    }
}

impl ItemType {
    /// Returns the prefix of the names of its events. Chats and calls have none: they come from the messages
    /// and from the audit log.
    pub const fn prefix(self) -> Option<&'static str> {
        match self {
            Self::Playbook => Some("playbook."),
            Self::Heartbeat => Some("heartbeat."),
            Self::Mission => Some("mission."),
            Self::Task => Some("task."),
            Self::Chat | Self::Call => None,
        }
    }

    pub const fn events(self, counts: &EventCounts) -> i64 {
        match self {
            Self::Playbook => counts.playbook,
            Self::Heartbeat => counts.heartbeat,
            Self::Mission => counts.mission,
            Self::Task => counts.task,
            Self::Chat | Self::Call => 0,
        }
    }

    pub fn of_event(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|kind| kind.prefix().is_some_and(|prefix| name.starts_with(prefix))).copied()
    }
}

/// User, agent or service that did something.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Actor {
    /// Kind: `user`, `agent` or `service`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// ID of the user, agent or key.
    pub id: Id,
    /// Name; null if unknown.
    #[schemars(extend("x-untrusted" = "names of members"))]
    pub name: Option<String>,
}

/// Resource that an item is about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Reference {
    /// `call`, or the kind of resource, such as `task`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// ID of the resource.
    #[schemars(extend("x-ours" = true))]
    pub id: String,
}

/// One activity.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// Time of the activity.
    pub at: Ts,
    /// Type of the activity.
    #[serde(rename = "type")]
    pub kind: ItemType,
    /// Short description.
    #[schemars(extend("x-untrusted" = "activity"))]
    pub title: String,
    /// User, agent or service that did it; null if there is none.
    pub actor: Option<Actor>,
    /// Resource that the item is about; null if there is none to look up.
    #[serde(rename = "ref")]
    pub reference: Option<Reference>,
}

impl Item {
    /// Converts a domain event. Returns `None` if the event has no type of the feed.
    pub fn of_event(entry: ActivityEvent) -> Option<Self> {
        let kind = ItemType::of_event(&entry.name)?;
        let (resource, verb) = entry.name.split_once('.')?;
        // The column is written by this service alone, always as JSON.
        let data: Value = serde_json::from_str(&entry.data).unwrap_or_default();
        let text = |key: &str| data.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let named = ["name", "title", "goal"].into_iter().find_map(text);
        let what = format!("{} {}", capital(resource), verb.replace('_', " "));
        Some(Self {
            at: entry.at,
            kind,
            title: named.map_or(what.clone(), |name| format!("{what}: `{}`", cut(name))),
            actor: entry.user_id.map(|id| Actor { kind: "user".into(), id, name: entry.user_name }),
            reference: text("execution_id")
                .map(|id| ("execution", id))
                .or_else(|| text("id").map(|id| (resource, id)))
                .map(|(kind, id)| Reference { kind: kind.to_owned(), id: id.to_owned() }),
        })
    }

    /// Converts the last message of a chat.
    pub fn of_chat(entry: ChatEntry) -> Self {
        let actor = match (entry.role.as_str(), entry.user_id, entry.agent_id) {
            ("user", Some(id), _) => Some(Actor { kind: "user".into(), id, name: entry.user_name }),
            ("assistant" | "tool", _, Some(id)) => {
                Some(Actor { kind: "agent".into(), id, name: entry.agent_name })
            }
            _ => None,
        };
        Self {
            at: entry.at,
            kind: ItemType::Chat,
            title: format!("Chat: `{}`", words::short(&entry.text, 120)),
            actor,
            reference: Some(Reference { kind: "chat".into(), id: entry.chat_id }),
        }
    }

    /// Converts a call of the audit log.
    pub fn of_call(entry: CallEntry) -> Self {
        let what = capital(&entry.action.strip_prefix(PREFIX).unwrap_or(&entry.action).replace('_', " "));
        let on = entry.target.map(|target| format!(": {}", cut(&target))).unwrap_or_default();
        let title = if entry.decision == "denied" {
            let why = entry.error_code.map(|code| format!(" (`{code}`)")).unwrap_or_default();
            format!("{what} was refused{why}{on}")
        } else {
            format!("{what}{on}")
        };
        let name = if entry.principal_kind == "agent" { entry.caller_name } else { entry.user_name };
        Self {
            at: entry.at,
            kind: ItemType::Call,
            title,
            actor: Some(Actor { kind: entry.principal_kind, id: entry.principal_id, name }),
            reference: Some(Reference { kind: "call".into(), id: entry.id.to_string() }),
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Cuts a long name or goal to one short line.
fn cut(text: &str) -> String {
    match text.char_indices().nth(120) {
        Some((end, _)) => text.get(..end).unwrap_or(text).to_owned() + "…",
        None => text.to_owned(),
    }
}
