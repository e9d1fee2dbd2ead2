//! The declaration of an action.

mod parameter_rules;

pub use parameter_rules::{Condition, Escalation, ParamPermission};

use crate::{AccessibleBy, CallerDefault, Category, ConfirmationLevel, Level, LimitClass, Permission};

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
#[derive(Clone, Copy, Debug)]
#[must_use]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table of actions")]
pub struct Spec {
    /// The full name: `platform_<verb>_<noun>`, or `<resource>.<verb>` for programs.
    pub name: &'static str,
    /// The category in the catalogue.
    pub category: Category,
    /// What the action may do to data.
    pub level: Level,
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
    pub warning: Option<&'static str>,
    /// A successful call by a non-admin notifies the workspace's admins.
    pub notifies_admins: bool,
    /// The callers that may call it. The lint refuses `None`.
    pub accessible_by: Option<AccessibleBy>,
    /// What it does, when to use it and when not.
    pub description: &'static str,
    /// Words by which search finds it.
    pub tags: &'static [&'static str],
    /// Sentences that a user may write, for search.
    pub examples: &'static [&'static str],
    /// Parameters that a confirmation always shows.
    pub danger: &'static [&'static str],
    /// Parameters that raise the confirmation level.
    pub escalations: &'static [Escalation],
    /// Parameters that need an additional permission.
    pub param_permissions: &'static [ParamPermission],
    /// The parameter that only callers with a value for it may omit. The others are shown a schema in which it is
    /// required.
    pub caller_default: Option<CallerDefault>,
    /// The rate limit bucket that calls count against.
    pub limit_class: LimitClass,
    /// The time limit of a call, in seconds.
    pub timeout_seconds: u8,
    /// Takes a whole document: its request body may be as large as the server's limit for large bodies.
    pub large_body: bool,
}

impl Spec {
    const fn new(name: &'static str, category: Category, level: Level, permission: Permission) -> Self {
        Self {
            name,
            category,
            level,
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
            description: "",
            tags: &[],
            examples: &[],
            danger: &[],
            escalations: &[],
            param_permissions: &[],
            caller_default: None,
            limit_class: match level {
                Level::Read => LimitClass::Read,
                Level::Write | Level::Destructive => LimitClass::Write,
            },
            timeout_seconds: 10,
            large_body: false,
        }
    }

    /// Creates an action that only reads.
    pub const fn read(name: &'static str, category: Category, permission: Permission) -> Self {
        Self::new(name, category, Level::Read, permission)
    }

    /// Creates an action that creates or changes data.
    pub const fn write(name: &'static str, category: Category, permission: Permission) -> Self {
        Self::new(name, category, Level::Write, permission)
    }

    /// Creates an action that deletes data permanently. It has a warning, and a person confirms it by typing
    /// a phrase.
    pub const fn destructive(
        name: &'static str,
        category: Category,
        permission: Permission,
        warning: &'static str,
    ) -> Self {
        let mut spec = Self::new(name, category, Level::Destructive, permission);
        spec.warning = Some(warning);
        spec.confirmation = ConfirmationLevel::Typed;
        spec
    }

    /// Creates an operation for programs, such as `members.add`. Never in a tool list.
    pub const fn program(name: &'static str, level: Level, permission: Permission) -> Self {
        let mut spec = Self::new(name, Category::Administration, level, permission);
        spec.kind = ActionKind::Operation;
        spec.limit_class = LimitClass::Admin;
        spec
    }

    /// Gives the action a tool of its own in tool lists.
    pub const fn promoted(mut self) -> Self {
        self.promoted = true;
        self
    }

    /// Gives it a tool of its own in the lists of callers without a person.
    pub const fn promoted_unattended(mut self) -> Self {
        self.promoted_unattended = true;
        self
    }

    /// Offers it whatever the intent.
    pub const fn always_offered(mut self) -> Self {
        self.always_offered = true;
        self
    }

    /// Restricts the action to admins, owners and system admins.
    pub const fn admin_only(mut self) -> Self {
        self.admin_only = true;
        self
    }

    /// Declares that the action calls a connector. Sets the limit class and the time limit accordingly.
    pub const fn external(mut self) -> Self {
        self.external = true;
        self.limit_class = LimitClass::External;
        self.timeout_seconds = 20;
        self
    }

    /// Allows every authenticated caller.
    pub const fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Restricts the operation to system admins and operator keys with `scope`.
    pub const fn system(mut self, scope: &'static str) -> Self {
        self.system_scope = Some(scope);
        self
    }

    /// Also allows system admins who are not members, and operator keys with `scope`.
    pub const fn also_system(mut self, scope: &'static str) -> Self {
        self.also_system = Some(scope);
        self
    }

    /// Also allows system admins in a deleted workspace.
    pub const fn deleted_workspaces(mut self) -> Self {
        self.deleted_workspaces = true;
        self
    }

    /// Restricts the operation to keys with the special `scope`. Calls count against the records bucket.
    pub const fn records(mut self, scope: &'static str) -> Self {
        self.special_scope = Some(scope);
        self.limit_class = LimitClass::Records;
        self
    }

    /// Requires one approval by a person, with this warning.
    pub const fn confirm_simple(mut self, warning: &'static str) -> Self {
        self.confirmation = ConfirmationLevel::Simple;
        self.warning = Some(warning);
        self
    }

    /// Notifies the workspace's admins after a successful call by a non-admin.
    pub const fn notifies_admins(mut self) -> Self {
        self.notifies_admins = true;
        self
    }

    /// Sets the callers that may call the action.
    pub const fn accessible_by(mut self, rule: AccessibleBy) -> Self {
        self.accessible_by = Some(rule);
        self
    }

    /// Sets the description: what the action does, when to use it and when not.
    pub const fn describe(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Sets the words by which search finds the action.
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    /// Sets sentences that a user may write, for search.
    pub const fn examples(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
        self
    }

    /// Sets the parameters that a confirmation always shows.
    pub const fn danger(mut self, parameters: &'static [&'static str]) -> Self {
        self.danger = parameters;
        self
    }

    /// Sets the parameters that raise the confirmation level.
    pub const fn escalations(mut self, escalations: &'static [Escalation]) -> Self {
        self.escalations = escalations;
        self
    }

    /// Sets the parameters that need an additional permission.
    pub const fn param_permissions(mut self, rules: &'static [ParamPermission]) -> Self {
        self.param_permissions = rules;
        self
    }

    /// Declares that only callers with this value may omit its parameter. The action refuses the other calls.
    pub const fn caller_default(mut self, default: CallerDefault) -> Self {
        self.caller_default = Some(default);
        self
    }

    /// Allows a request body as large as the server's limit for large bodies.
    pub const fn large_body(mut self) -> Self {
        self.large_body = true;
        self
    }

    /// How long it may run, in seconds.
    pub const fn timeout_seconds(mut self, seconds: u8) -> Self {
        self.timeout_seconds = seconds;
        self
    }

    /// Returns the name without its prefix.
    pub fn short_name(&self) -> &'static str {
        self.name.strip_prefix(crate::PREFIX).unwrap_or(self.name)
    }
}
