//! The scopes of credentials: permission patterns and a few special scopes.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use toolcrib_model::Role;
use toolcrib_registry::{Permission, PermissionResource, Verb, is_pack_slug, is_toolset_slug};

/// The resource of a scope for every toolset. No toolset has this slug.
const ALL_TOOLSETS: &str = "tools";
/// The resource of a scope for every pack. No pack has this slug.
const ALL_PACKS: &str = "packs";
/// The verbs of a toolset's tools, by level: read, write and destructive.
pub(crate) const TOOLSET_VERBS: [Verb; 3] = [Verb::Read, Verb::Use, Verb::Delete];
/// The verbs of a pack's actions.
const PACK_VERBS: [Verb; 4] = [Verb::Read, Verb::Use, Verb::Manage, Verb::Delete];

toolcrib_model::closed_set! {
    "a special scope",
    /// A scope that no pattern implies.
    Special {
        /// A service key may name the member it acts for.
        ActAs = "act_as",
        /// A service key may relay a named user's decision.
        ApprovalsRelay = "approvals:relay",
        /// A service key may write records.
        RecordsWrite = "records:write",
        /// A key may read events.
        EventsRead = "events:read",
        /// An operator key may create workspaces.
        WorkspacesCreate = "workspaces:create",
        /// An operator key may change limits.
        WorkspacesLimits = "workspaces:limits",
        /// An operator key may read every workspace's domain events.
        EventsAll = "events:all",
    }
}

impl Special {
    /// Returns the lowest role that may give the scope to a key. The key's minters need this role for as long
    /// as the scope counts. `None` for scopes that only the command line gives.
    pub const fn giver(self) -> Option<Role> {
        match self {
            Self::ActAs | Self::ApprovalsRelay => Some(Role::Owner),
            Self::RecordsWrite | Self::EventsRead => Some(Role::Admin),
            Self::WorkspacesCreate | Self::WorkspacesLimits | Self::EventsAll => None,
        }
    }

    /// Returns whether the scope is for operator keys, which only the command line creates.
    pub const fn operator_only(self) -> bool {
        self.giver().is_none()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `resource:verb`, where either may be `*` (`None`). A resource that the platform does not have is the slug of a
    /// pack or of a toolset.
    Pattern {
        /// The resource; `None` for any of the platform.
        resource: Option<String>,
        /// The verb; `None` for any.
        verb: Option<Verb>,
    },
    Special(Special),
}

impl Scope {
    /// Returns whether the scope covers a permission. Special scopes cover none, and `*` covers the resources of the
    /// platform only: a toolset or a pack is named, so that a key gains nothing when one is added. The scope of a
    /// resource of the platform covers no toolset, not even one that was stored under this slug before it was reserved.
    pub fn covers(&self, permission: &Permission) -> bool {
        match self {
            Self::Pattern { resource, verb } => {
                let covers = match &permission.resource {
                    PermissionResource::Platform(name) => resource.as_deref().is_none_or(|r| r == *name),
                    PermissionResource::Toolset(slug) => {
                        let is_named = resource.as_deref().is_some_and(|r| r == ALL_TOOLSETS || *r == **slug);
                        is_named && self.toolset().is_some()
                    }
                    PermissionResource::Pack(slug) => {
                        resource.as_deref().is_some_and(|r| r == ALL_PACKS || r == *slug)
                    }
                };
                covers && verb.is_none_or(|v| v == permission.verb)
            }
            Self::Special(_) => false,
        }
    }

    /// Returns the slug in a scope for a toolset, or `tools` for all of them. A resource of the platform is no toolset.
    /// The scope of a pack may be one too: whoever knows the packs asks [`Self::pack`] first.
    pub fn toolset(&self) -> Option<&str> {
        self.slug(&TOOLSET_VERBS).filter(|slug| *slug != ALL_PACKS && is_toolset_slug(slug))
    }

    /// Returns the slug in a scope that can be that of a pack, or `packs` for all of them.
    pub fn pack(&self) -> Option<&str> {
        self.slug(&PACK_VERBS).filter(|slug| *slug != ALL_TOOLSETS && is_pack_slug(slug))
    }

    /// Returns the resource if the platform has none of this name and the verb is one of `verbs` or any.
    fn slug(&self, verbs: &[Verb]) -> Option<&str> {
        let Self::Pattern { resource: Some(slug), verb } = self else { return None };
        let is_platform = Permission::ALL.iter().any(|p| p.resource.as_str() == slug);
        (!is_platform && verb.is_none_or(|verb| verbs.contains(&verb))).then_some(slug)
    }

    /// Returns the part of the scope that permits reads.
    fn reading(&self) -> Option<Self> {
        match self {
            Self::Pattern { resource, verb: None | Some(Verb::Read) } => {
                Some(Self::Pattern { resource: resource.clone(), verb: Some(Verb::Read) })
            }
            Self::Pattern { .. } | Self::Special(_) => None,
        }
    }

    pub fn is_for_all_toolsets(&self) -> bool {
        self.toolset() == Some(ALL_TOOLSETS)
    }

    pub fn is_for_all_packs(&self) -> bool {
        self.pack() == Some(ALL_PACKS)
    }
}

/// The error for a text that is not a scope.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a scope; use `resource:verb` where either may be `*`, a toolset's slug with read, use or delete, a pack's with read, use, manage or delete, or act_as, approvals:relay, records:write, events:read"
)]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        if let Ok(special) = text.parse::<Special>() {
            return Ok(Self::Special(special));
        }
        let unknown = || UnknownScope(text.to_owned());
        let (resource, verb) = text.split_once(':').ok_or_else(unknown)?;
        let resource = (resource != "*").then(|| resource.to_owned());
        let verb = match verb {
            "*" => None,
            word => Some(
                Permission::ALL.iter().map(|p| p.verb).find(|v| v.as_str() == word).ok_or_else(unknown)?,
            ),
        };
        let scope = Self::Pattern { resource, verb };
        let known = Permission::ALL.iter().any(|permission| scope.covers(permission));
        if known || scope.toolset().or(scope.pack()).is_some() { Ok(scope) } else { Err(unknown()) }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { resource, verb } => {
                write!(f, "{}:{}", resource.as_deref().unwrap_or("*"), verb.map_or("*", Verb::as_str))
            }
            Self::Special(special) => f.write_str(special.as_str()),
        }
    }
}

/// The scopes of a credential. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Option<Vec<String>>", into = "Option<Vec<String>>")]
pub enum Scopes {
    /// Every pattern, for user tokens. Only the role bounds them.
    All,
    /// The listed scopes, for keys.
    Only(Arc<[Scope]>),
}

impl Scopes {
    pub fn cover(&self, permission: &Permission) -> bool {
        match self {
            Self::All => true,
            Self::Only(scopes) => scopes.iter().any(|scope| scope.covers(permission)),
        }
    }

    /// Returns the scopes that permit reads, and nothing else.
    #[must_use]
    pub fn reads(&self) -> Self {
        match self {
            Self::All => {
                let resources = [None, Some(ALL_TOOLSETS), Some(ALL_PACKS)];
                let read = |resource: Option<&str>| Scope::Pattern {
                    resource: resource.map(str::to_owned),
                    verb: Some(Verb::Read),
                };
                Self::Only(resources.map(read).into())
            }
            Self::Only(scopes) => Self::Only(scopes.iter().filter_map(Scope::reading).collect()),
        }
    }

    /// Returns whether the credential has a special scope. A user token has none.
    pub fn special(&self, special: Special) -> bool {
        match self {
            Self::All => false,
            Self::Only(scopes) => scopes.contains(&Scope::Special(special)),
        }
    }

    /// Like [`Scopes::special`], for the word of a special scope.
    pub fn special_word(&self, word: &str) -> bool {
        matches!(word.parse(), Ok(Scope::Special(special)) if self.special(special))
    }

    /// Returns the scopes as words, or `None` for [`Scopes::All`].
    pub fn words(&self) -> Option<Vec<String>> {
        match self {
            Self::All => None,
            Self::Only(scopes) => Some(scopes.iter().map(Scope::to_string).collect()),
        }
    }
}

/// Ignores stored words that are not scopes any more.
impl From<Option<Vec<String>>> for Scopes {
    fn from(words: Option<Vec<String>>) -> Self {
        match words {
            None => Self::All,
            Some(words) => Self::Only(words.iter().filter_map(|word| word.parse().ok()).collect()),
        }
    }
}

impl From<Scopes> for Option<Vec<String>> {
    fn from(scopes: Scopes) -> Self {
        scopes.words()
    }
}
