//! `data/demo.toml` and `data/demo_game.toml`: the calls and chats of the demo's history.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_model::Role;

use crate::failure::Failure;

/// The history of both workspaces.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    pub first: Vec<Step>,
    pub second: Vec<Step>,
    pub chats: Vec<Chat>,
}

/// What the second workspace does with the pack `game`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameScript {
    pub game: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Days after the beginning.
    pub day: i64,
    pub actor: Actor,
    pub action: String,
    #[serde(default = "no_arguments")]
    pub arguments: Value,
    /// The name under which the ID in the output is saved.
    pub save: Option<String>,
    /// Whether the call is refused, or waits without a decision.
    #[serde(default)]
    pub may_fail: bool,
}

/// A chat between a member and the workspace's agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chat {
    /// Days after the beginning.
    pub day: i64,
    pub name: String,
    /// The member's role.
    pub actor: Role,
    /// The messages, alternating between the member and the agent.
    pub turns: Vec<String>,
}

/// The caller of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The workspace's agent.
    Agent,
    /// The workspace's service key, on behalf of nobody.
    Service,
    /// The member with this role.
    #[serde(untagged)]
    User(Role),
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

impl Script {
    pub fn read() -> Result<Self, Failure> {
        parse("data/demo.toml", include_str!("../../data/demo.toml"))
    }
}

impl GameScript {
    pub fn read() -> Result<Self, Failure> {
        parse("data/demo_game.toml", include_str!("../../data/demo_game.toml"))
    }
}

fn parse<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Failure> {
    toml::from_str(text).map_err(|error| Failure::could_not(name, error))
}
