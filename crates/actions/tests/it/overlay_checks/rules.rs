//! Declared tools and callers, and who may call what by the text of the design alone: nothing here calls the
//! product.

use serde_json::{Value, json};
use toolcrib_model::Role;

/// Roles from the lowest to the highest.
const RANKS: [Role; 5] = [Role::Viewer, Role::Member, Role::Editor, Role::Admin, Role::Owner];
const LEVELS: [&str; 3] = ["read", "write", "destructive"];
/// The lowest role of a tool that does not say one, and the verb of its scope, by level.
const DEFAULT_ROLES: [Role; 3] = [Role::Viewer, Role::Member, Role::Admin];
const VERBS: [&str; 3] = ["read", "use", "delete"];
/// Who may call a tool: everyone, or these types and names.
const ACCESS: [(bool, &[&str], &[&str]); 7] = [
    (true, &[], &[]),
    (false, &["chat"], &[]),
    (false, &["mission", "chat"], &[]),
    (false, &[], &["Triage_Desk"]),
    (false, &["api"], &["triage desk"]),
    (false, &[], &[]),
    (false, &[], &["mission"]),
];
pub const TYPES: [&str; 4] = ["chat", "mission", "api", "console"];
pub const NAMES: [Option<&str>; 4] = [None, Some("triage-desk"), Some("triage_desk"), Some("mission")];
pub const KINDS: [Kind; 6] =
    [Kind::User, Kind::SystemAdmin, Kind::Agent, Kind::Key, Kind::KeyForMember, Kind::Operator];
pub const SCOPES: [Option<&[&str]>; 13] = [
    None,
    Some(&[]),
    Some(&["*:*"]),
    Some(&["*:read", "*:use", "*:delete"]),
    Some(&["desk:read"]),
    Some(&["desk:use"]),
    Some(&["desk:delete", "act_as"]),
    Some(&["desk:*"]),
    Some(&["tools:*"]),
    Some(&["tools:read"]),
    Some(&["off:*"]),
    Some(&["agents:*", "act_as", "records:write"]),
    Some(&["desk:read", "tools:use"]),
];
pub const MODES: [&str; 4] = ["standard", "confirm_writes", "read_only", "deleted"];

/// Whether a tool can be called at all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    On,
    Disabled,
    Draft,
    ToolsetOff,
}

/// The kind of a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    User,
    SystemAdmin,
    Agent,
    Key,
    KeyForMember,
    Operator,
}

/// A declared tool.
pub struct ToolCase {
    pub slug: &'static str,
    pub name: String,
    /// A word that only this tool's description has.
    pub word: String,
    pub state: State,
    /// Whether an upstream runs it.
    pub is_http: bool,
    level: usize,
    min_role: Option<Role>,
    access: usize,
}

/// A caller in a workspace with an approval mode.
#[derive(Debug)]
pub struct CallerCase {
    pub role: Option<Role>,
    pub kind: Kind,
    pub caller_type: &'static str,
    pub name: Option<&'static str>,
    pub scopes: Option<&'static [&'static str]>,
    pub mode: &'static str,
}

impl ToolCase {
    /// Every tool: level × lowest role × access × state.
    pub fn all() -> Vec<Self> {
        let lowest = || std::iter::once(None).chain(RANKS.map(Some));
        let mut tools = Vec::new();
        for state in [State::On, State::Disabled, State::Draft, State::ToolsetOff] {
            for (level, _) in LEVELS.iter().enumerate() {
                for min_role in lowest() {
                    for access in 0..ACCESS.len() {
                        let n = tools.len();
                        let slug = if state == State::ToolsetOff { "off" } else { "desk" };
                        let name = format!("t{n}");
                        let word = format!("q{n}x");
                        let is_http = n % 2 == 1;
                        tools.push(Self { slug, name, word, state, is_http, level, min_role, access });
                    }
                }
            }
        }
        tools
    }

    pub fn full_name(&self) -> String {
        format!("{}__{}", self.slug, self.name)
    }

    /// The tool as its document declares it.
    pub fn declaration(&self) -> Value {
        let (everyone, types, names) = ACCESS[self.access];
        let access = if everyone { json!("everyone") } else { json!({"types": types, "names": names}) };
        let mut tool = json!({
            "name": self.name, "description": format!("Does {}.", self.word),
            "permission_level": LEVELS[self.level], "accessible_by": access,
            "draft": self.state == State::Draft,
        });
        if let Some(role) = self.min_role {
            tool["min_role"] = json!(role);
        }
        if self.level == 2 {
            tool["warning"] = json!("It is gone for good.");
        }
        if self.is_http {
            tool["http"] = json!({"upstream": "service", "method": "POST", "path": "things"});
        } else {
            tool["client"] = json!({});
        }
        tool
    }

    /// Whether the caller may call the tool.
    pub fn is_for(&self, caller: &CallerCase) -> bool {
        self.state == State::On
            && caller.mode != "deleted"
            && (caller.mode != "read_only" || self.level == 0)
            && caller.kind != Kind::Operator
            && self.has_named(caller)
            && self.is_in_scope(caller)
            && self.is_within_role(caller)
    }

    /// By type or by name. Names are compared in lower case, with `-` for `_` and spaces. Empty lists are
    /// nobody.
    fn has_named(&self, caller: &CallerCase) -> bool {
        let slug = |name: &str| name.to_lowercase().replace(['_', ' '], "-");
        let (everyone, types, names) = ACCESS[self.access];
        everyone
            || types.contains(&caller.caller_type)
            || caller.name.is_some_and(|name| names.iter().any(|known| slug(known) == slug(name)))
    }

    /// A toolset is named, or all of them with `tools`. `*` covers the platform only, and a special scope
    /// covers nothing.
    fn is_in_scope(&self, caller: &CallerCase) -> bool {
        let Some(scopes) = caller.scopes else { return true };
        let toolsets = [self.slug, "tools"];
        let verbs = [VERBS[self.level], "*"];
        scopes.iter().any(|scope| {
            toolsets.iter().any(|slug| verbs.iter().any(|verb| *scope == format!("{slug}:{verb}")))
        })
    }

    /// A caller without a membership holds nothing, a system admin neither.
    fn is_within_role(&self, caller: &CallerCase) -> bool {
        let rank = |role: Role| RANKS.iter().position(|known| *known == role);
        let lowest = self.min_role.unwrap_or(DEFAULT_ROLES[self.level]);
        caller.role.is_some_and(|role| rank(role) >= rank(lowest))
    }
}

impl CallerCase {
    /// Every caller: role × kind × type × name × scopes × mode.
    pub fn all() -> Vec<Self> {
        let roles = || std::iter::once(None).chain(RANKS.map(Some));
        let mut callers = Vec::new();
        for mode in MODES {
            for scopes in SCOPES {
                for name in NAMES {
                    for caller_type in TYPES {
                        for kind in KINDS {
                            for role in roles() {
                                callers.push(Self { role, kind, caller_type, name, scopes, mode });
                            }
                        }
                    }
                }
            }
        }
        callers
    }
}
