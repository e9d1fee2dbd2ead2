//! The declaration of an action.

use std::sync::Arc;

use toolcrib_model::{Mutation, Role};

use crate::{
    AccessibleBy, CallerDefault, Category, ConfirmationLevel, Level, LimitClass, Permission, ToolState,
    access_rule::texts,
};

/// Who may call an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// Models and programs. The action is part of the catalogue.
    Tool,
    /// Programs only, over REST and the command line. For administration and records; never in a tool list.
    Operation,
}

/// The declaration of an action. Created by [`Spec::read`], [`Spec::write`], [`Spec::destructive`] or
/// [`Spec::program`] and changed by the builder methods. [`crate::lint`] checks it at start-up.
///
/// Its texts are shared, so a clone is cheap and an action need not be known at compile time.
#[derive(Clone, Debug)]
#[must_use]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table of actions")]
pub struct Spec {
    /// The full name: `platform_<verb>_<noun>`, or `<resource>.<verb>` for programs.
    pub name: Arc<str>,
    pub category: Category,
    /// What the action may do to data.
    pub level: Level,
    /// What a call does to data.
    pub mutation: Mutation,
    /// The permission that the caller needs.
    pub permission: Permission,
    /// Whether it is a tool or an operation.
    pub kind: ActionKind,
    /// Has a tool of its own in tool lists. Other actions are called through the dispatcher.
    pub promoted: bool,
    /// Also has a tool of its own in the lists of callers without a person, such as missions.
    pub promoted_unattended: bool,
    /// In every tool list, whatever the intent. Never cut from a list.
    pub always_offered: bool,
    /// Only for the roles admin and owner, and for system admins.
    pub admin_only: bool,
    /// Calls a connector, so it runs outside a transaction.
    pub external: bool,
    /// Every authenticated caller may call it (`me`, one's own workspaces).
    pub open: bool,
    /// Only for a system admin, or an operator key with this scope.
    pub system_scope: Option<&'static str>,
    /// Also for a system admin who is not a member of the workspace, or an operator key with this scope. The
    /// operation itself limits what these callers may do.
    pub also_system: Option<&'static str>,
    /// Also for a system admin in a deleted workspace, which no other caller can access.
    pub deleted_workspaces: bool,
    /// Only for a key with this special scope.
    pub special_scope: Option<&'static str>,
    /// The confirmation that a call needs.
    pub confirmation: ConfirmationLevel,
    /// The warning that a person reads before confirming.
    pub warning: Option<Arc<str>>,
    /// A successful call by a non-admin notifies the workspace's admins.
    pub notifies_admins: bool,
    /// The callers that may call it. The lint refuses `None`.
    pub accessible_by: Option<AccessibleBy>,
    /// The lowest role that may call it, for declared tools. The table of roles decides about the others.
    pub min_role: Option<Role>,
    /// Whether it can be called at all.
    pub state: ToolState,
    /// What it does, when to use it and when not.
    pub description: Arc<str>,
    /// Words by which search finds it.
    pub tags: Arc<[Arc<str>]>,
    /// Sentences that a user may write, for search.
    pub examples: Arc<[Arc<str>]>,
    /// Parameters that a confirmation always shows.
    pub danger: Arc<[Arc<str>]>,
    /// Parameters that raise the confirmation level.
    pub escalations: Arc<[Escalation]>,
    /// Parameters that need an additional permission.
    pub param_permissions: Arc<[ParamPermission]>,
    /// The parameter that only callers with a value for it may omit. The others are shown a schema in which it is
    /// required.
    pub caller_default: Option<CallerDefault>,
    /// The rate limit bucket that calls count against.
    pub limit_class: LimitClass,
    /// A call sends something to people or programs outside, though it changes no row.
    pub sends_messages: bool,
    /// Starts or changes work that goes on by itself: a schedule, a heartbeat, a playbook's execution or a mission.
    /// Where this service carries that out, a person confirms each call, and what runs by itself can't call it.
    pub standing_work: bool,
    /// The time limit of a call, in seconds.
    pub timeout_seconds: u8,
    /// Takes a whole document: its request body may be as large as the server's limit for large bodies.
    pub large_body: bool,
}

impl Spec {
    fn new(name: &str, category: Category, level: Level, permission: Permission) -> Self {
        Self {
            name: name.into(),
            category,
            level,
            mutation: level.into(),
            permission,
            kind: ActionKind::Tool,
            promoted: false,
            promoted_unattended: false,
            always_offered: false,
            admin_only: false,
            external: false,
            open: false,
            system_scope: None,
            also_system: None,
            deleted_workspaces: false,
            special_scope: None,
            confirmation: ConfirmationLevel::None,
            warning: None,
            notifies_admins: false,
            accessible_by: Some(AccessibleBy::Everyone),
            min_role: None,
            state: ToolState::On,
            description: Arc::default(),
            tags: Arc::default(),
            examples: Arc::default(),
            danger: Arc::default(),
            escalations: Arc::default(),
            param_permissions: Arc::default(),
            caller_default: None,
            limit_class: match level {
                Level::Read => LimitClass::Read,
                Level::Write | Level::Destructive => LimitClass::Write,
            },
            sends_messages: false,
            standing_work: false,
            timeout_seconds: 10,
            large_body: false,
        }
    }

    /// Creates an action that only reads.
    pub fn read(name: &str, category: Category, permission: Permission) -> Self {
        Self::new(name, category, Level::Read, permission)
    }

    /// Creates an action that creates or changes data.
    pub fn write(name: &str, category: Category, permission: Permission) -> Self {
        Self::new(name, category, Level::Write, permission)
    }

    /// Creates an action that deletes data permanently. It has a warning, and a person confirms it by typing
    /// a phrase.
    pub fn destructive(name: &str, category: Category, permission: Permission, warning: &str) -> Self {
        let mut spec = Self::new(name, category, Level::Destructive, permission);
        spec.warning = Some(warning.into());
        spec.confirmation = ConfirmationLevel::Typed;
        spec
    }

    /// Creates an operation for programs, such as `members.add`. Never in a tool list.
    pub fn program(name: &str, level: Level, permission: Permission) -> Self {
        let mut spec = Self::new(name, Category::Administration, level, permission);
        spec.kind = ActionKind::Operation;
        spec.limit_class = LimitClass::Admin;
        spec
    }

    /// Declares that a call creates something. By default, a write updates.
    pub fn creates(mut self) -> Self {
        self.mutation = Mutation::Create;
        self
    }

    /// Declares that a call changes something, though it can't be undone.
    pub fn updates(mut self) -> Self {
        self.mutation = Mutation::Update;
        self
    }

    /// Declares that a call removes something that can be restored or made again.
    pub fn deletes(mut self) -> Self {
        self.mutation = Mutation::Delete;
        self
    }

    /// Gives the action a tool of its own in tool lists.
    pub fn promoted(mut self) -> Self {
        self.promoted = true;
        self
    }

    /// Gives it a tool of its own in the lists of callers without a person.
    pub fn promoted_unattended(mut self) -> Self {
        self.promoted_unattended = true;
        self
    }

    /// Offers it whatever the intent.
    pub fn always_offered(mut self) -> Self {
        self.always_offered = true;
        self
    }

    /// Restricts the action to admins, owners and system admins.
    pub fn admin_only(mut self) -> Self {
        self.admin_only = true;
        self
    }

    /// Declares that the action calls a connector or a service. Sets the time limit, and the limit class of a read,
    /// accordingly.
    pub fn external(mut self) -> Self {
        self.external = true;
        if self.level == Level::Read {
            self.limit_class = LimitClass::External;
        }
        self.timeout_seconds = 20;
        self
    }

    /// Declares that the operation asks an address of the workspace whether it answers: few calls a minute, so that
    /// nobody searches a network with it.
    pub fn tests(mut self) -> Self {
        self = self.external();
        self.limit_class = LimitClass::Tests;
        self
    }

    /// Declares that a call sends something to people or programs outside, though it changes no row. Agents can't call
    /// it, a read-only workspace refuses it, and it isn't run while calls can't be counted.
    pub fn sends_messages(mut self) -> Self {
        self.sends_messages = true;
        self
    }

    /// Declares that a call starts or changes work that goes on by itself.
    pub fn standing_work(mut self) -> Self {
        self.standing_work = true;
        self
    }

    /// Whether a call changes data or sends something.
    pub fn has_effect(&self) -> bool {
        self.level != Level::Read || self.sends_messages
    }

    /// Allows every authenticated caller.
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Restricts the operation to system admins and operator keys with `scope`.
    pub fn system(mut self, scope: &'static str) -> Self {
        self.system_scope = Some(scope);
        self
    }

    /// Also allows system admins who are not members, and operator keys with `scope`.
    pub fn also_system(mut self, scope: &'static str) -> Self {
        self.also_system = Some(scope);
        self
    }

    /// Also allows system admins in a deleted workspace.
    pub fn deleted_workspaces(mut self) -> Self {
        self.deleted_workspaces = true;
        self
    }

    /// Restricts the operation to keys with the special `scope`, which call it for many people. Calls count against
    /// the records bucket.
    pub fn for_keys(mut self, scope: &'static str) -> Self {
        self.special_scope = Some(scope);
        self.limit_class = LimitClass::Records;
        self
    }

    /// Requires one approval by a person, with this warning.
    pub fn confirm_simple(mut self, warning: &str) -> Self {
        self.confirmation = ConfirmationLevel::Simple;
        self.warning = Some(warning.into());
        self
    }

    /// Notifies the workspace's admins after a successful call by a non-admin.
    pub fn notifies_admins(mut self) -> Self {
        self.notifies_admins = true;
        self
    }

    /// Sets the callers that may call the action.
    pub fn accessible_by(mut self, rule: AccessibleBy) -> Self {
        self.accessible_by = Some(rule);
        self
    }

    /// Sets the description: what the action does, when to use it and when not.
    pub fn describe(mut self, text: &str) -> Self {
        self.description = text.into();
        self
    }

    /// Sets the words by which search finds the action.
    pub fn tags(mut self, tags: &[&str]) -> Self {
        self.tags = texts(tags);
        self
    }

    /// Sets sentences that a user may write, for search.
    pub fn examples(mut self, examples: &[&str]) -> Self {
        self.examples = texts(examples);
        self
    }

    /// Sets the parameters that a confirmation always shows.
    pub fn danger(mut self, parameters: &[&str]) -> Self {
        self.danger = texts(parameters);
        self
    }

    /// Sets the parameters that raise the confirmation level.
    pub fn escalations(mut self, escalations: &[Escalation]) -> Self {
        self.escalations = escalations.into();
        self
    }

    /// Sets the parameters that need an additional permission.
    pub fn param_permissions(mut self, rules: &[ParamPermission]) -> Self {
        self.param_permissions = rules.into();
        self
    }

    /// Declares that only callers with this value may omit its parameter. The action refuses the other calls.
    pub fn caller_default(mut self, default: CallerDefault) -> Self {
        self.caller_default = Some(default);
        self
    }

    /// Allows a request body as large as the server's limit for large bodies.
    pub fn large_body(mut self) -> Self {
        self.large_body = true;
        self
    }

    /// How long it may run, in seconds.
    pub fn timeout_seconds(mut self, seconds: u8) -> Self {
        self.timeout_seconds = seconds;
        self
    }

    /// Returns the name without the prefix of the platform. Actions of packs are named in full.
    pub fn short_name(&self) -> &str {
        self.name.strip_prefix(crate::PREFIX).unwrap_or(&self.name)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    Present,
    IsTrue,
    Equals(Arc<str>),
}

/// A parameter that raises the confirmation level: if the condition holds, the call needs at least `level`.
#[derive(Clone, Debug, PartialEq)]
pub struct Escalation {
    /// The top-level parameter's name.
    pub parameter: Arc<str>,
    pub when: Condition,
    /// The minimum level if the condition holds.
    pub level: ConfirmationLevel,
}

impl Escalation {
    /// Creates a rule for the top-level parameter with this name.
    pub fn new(parameter: &str, when: Condition, level: ConfirmationLevel) -> Self {
        Self { parameter: parameter.into(), when, level }
    }
}

/// A parameter that needs an additional permission.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamPermission {
    /// The top-level parameter's name.
    pub parameter: Arc<str>,
    pub when: Condition,
    /// The permission that the call then needs.
    pub permission: Permission,
}

impl ParamPermission {
    /// Creates a rule for the top-level parameter with this name.
    pub fn new(parameter: &str, when: Condition, permission: Permission) -> Self {
        Self { parameter: parameter.into(), when, permission }
    }
}
