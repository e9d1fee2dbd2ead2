//! Workspace roles.
#![deny(missing_docs)]

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Role of a member, from least to most permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Reads and does day-to-day work.
    Member,
    /// Also manages agents, playbooks, documents and the like.
    Editor,
    /// Also deletes, and administers members, keys and settings.
    Admin,
    /// Has every permission, and may weaken settings.
    Owner,
}

impl Role {
    /// Every role, from least to most.
    pub const ALL: [Self; 5] = [Self::Viewer, Self::Member, Self::Editor, Self::Admin, Self::Owner];

    /// Returns the role as the API and the database write it, such as `editor`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Member => "member",
            Self::Editor => "editor",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a text that is not a role.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a role; use viewer, member, editor, admin or owner")]
pub struct UnknownRole(String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or_else(|| UnknownRole(text.to_owned()))
    }
}
