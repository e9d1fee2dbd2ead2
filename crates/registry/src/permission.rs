//! Permissions: `resource:verb`.

use std::{fmt, sync::Arc};

use serde::{Serialize, Serializer};

toolcrib_model::closed_set! {
    "a verb of permissions",
    /// What a permission allows for a resource.
    Verb {
        Read = "read",
        /// Use it in day-to-day work.
        Use = "use",
        /// Create and change it.
        Manage = "manage",
        Delete = "delete",
        /// Give members any role.
        ChangeRole = "change_role",
        /// Create a key that acts for members.
        Impersonate = "impersonate",
        /// Read and change billing.
        Billing = "billing",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PermissionResource {
    /// A resource of the platform, such as `agents`.
    Platform(&'static str),
    Toolset(Arc<str>),
    Pack(&'static str),
}

impl PermissionResource {
    /// Returns the resource as the API writes it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Platform(name) | Self::Pack(name) => name,
            Self::Toolset(slug) => slug,
        }
    }
}

/// Returns whether a word can be the slug of a toolset: 2 to 20 lower-case letters, digits and hyphens, the first a
/// letter.
pub fn is_toolset_slug(word: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    (2..=20).contains(&word.len())
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(inner)
}

impl fmt::Display for PermissionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A permission, such as `agents:manage`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Permission {
    /// The resource, such as `agents`.
    pub resource: PermissionResource,
    pub verb: Verb,
}

macro_rules! permissions {
    ($($name:ident = $resource:literal, $verb:ident;)+) => {
        impl Permission {
            $(#[doc = concat!("On `", $resource, "`.")] pub const $name: Self = Self::new($resource, Verb::$verb);)+

            /// Every permission for the platform's own resources.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];
        }
    };
}

impl Permission {
    /// Creates a permission for a resource of the platform.
    pub const fn new(resource: &'static str, verb: Verb) -> Self {
        Self { resource: PermissionResource::Platform(resource), verb }
    }

    /// Creates a permission for the actions of the pack with this slug.
    pub const fn of_pack(slug: &'static str, verb: Verb) -> Self {
        Self { resource: PermissionResource::Pack(slug), verb }
    }
}

permissions! {
    AGENTS_READ = "agents", Read;
    AGENTS_MANAGE = "agents", Manage;
    AGENTS_DELETE = "agents", Delete;
    PLAYBOOKS_READ = "playbooks", Read;
    PLAYBOOKS_USE = "playbooks", Use;
    PLAYBOOKS_MANAGE = "playbooks", Manage;
    PLAYBOOKS_DELETE = "playbooks", Delete;
    ANALYTICS_READ = "analytics", Read;
    DATA_READ = "data", Read;
    GOVERNANCE_READ = "governance", Read;
    GOVERNANCE_MANAGE = "governance", Manage;
    TASKS_READ = "tasks", Read;
    TASKS_USE = "tasks", Use;
    MARKETPLACE_READ = "marketplace", Read;
    MARKETPLACE_MANAGE = "marketplace", Manage;
    WORKSPACE_READ = "workspace", Read;
    WORKSPACE_DELETE = "workspace", Delete;
    WORKSPACE_BILLING = "workspace", Billing;
    MEMORY_READ = "memory", Read;
    MEMORY_USE = "memory", Use;
    MEMORY_DELETE = "memory", Delete;
    INTEGRATIONS_READ = "integrations", Read;
    INTEGRATIONS_MANAGE = "integrations", Manage;
    CHAT_READ = "chat", Read;
    DOCUMENTS_READ = "documents", Read;
    DOCUMENTS_MANAGE = "documents", Manage;
    DOCUMENTS_DELETE = "documents", Delete;
    DISCOVERY_READ = "discovery", Read;
    SCHEDULES_READ = "schedules", Read;
    SCHEDULES_MANAGE = "schedules", Manage;
    REPORTS_READ = "reports", Read;
    REPORTS_USE = "reports", Use;
    FIELD_READ = "field", Read;
    FIELD_USE = "field", Use;
    MISSIONS_READ = "missions", Read;
    MISSIONS_USE = "missions", Use;
    MISSIONS_MANAGE = "missions", Manage;
    INFRASTRUCTURE_READ = "infrastructure", Read;
    MEMBERS_READ = "members", Read;
    MEMBERS_MANAGE = "members", Manage;
    MEMBERS_CHANGE_ROLE = "members", ChangeRole;
    MEMBERS_IMPERSONATE = "members", Impersonate;
    KEYS_READ = "keys", Read;
    KEYS_MANAGE = "keys", Manage;
    SETTINGS_MANAGE = "settings", Manage;
    AUDIT_READ = "audit", Read;
    CONFIRMATIONS_READ = "confirmations", Read;
    NOTIFICATIONS_READ = "notifications", Read;
    TOOLSETS_READ = "toolsets", Read;
    TOOLSETS_MANAGE = "toolsets", Manage;
    ASSISTANT_USE = "assistant", Use;
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.resource, self.verb.as_str())
    }
}

impl Serialize for Permission {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
