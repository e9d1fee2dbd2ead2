//! What one action declares about itself.

use crate::{AccessibleBy, Category, ConfirmationLevel, Level, LimitClass, Permission};

/// Who may call an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// To models and programs: one of the catalogue's actions.
    Tool,
    /// To programs only: administration and records, over REST and the command line, never in a tool list.
    Operation,
}

/// When a parameter's value asks for more confirmation than the action itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
    /// The parameter is given.
    Present,
    /// The parameter is `true`.
    IsTrue,
    /// The parameter is this word.
    Equals(&'static str),
}

/// A parameter that decides danger: where its condition holds, the call needs at least `level`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Escalation {
    /// The top-level parameter's name.
    pub parameter: &'static str,
    /// When it counts.
    pub when: Condition,
    /// What it asks for then.
    pub level: ConfirmationLevel,
}

/// A parameter that needs a permission of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamPermission {
    /// The top-level parameter's name.
    pub parameter: &'static str,
    /// When it counts.
    pub when: Condition,
    /// The permission needed then.
    pub permission: Permission,
}

/// What one action declares about itself. Made by [`Spec::read`], [`Spec::write`], [`Spec::destructive`] or
/// [`Spec::program`], refined by the builders, checked by [`crate::lint`] at start-up.
#[derive(Clone, Copy, Debug)]
#[must_use]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the table of actions")]
pub struct Spec {
    /// The full name: `platform_<verb>_<noun>`, or `<resource>.<verb>` for programs.
    pub name: &'static str,
    /// The section of the catalogue.
    pub category: Category,
    /// Permission level.
    pub level: Level,
    /// The right it needs.
    pub permission: Permission,
    /// A tool or an operation.
    pub kind: ActionKind,
    /// Has a schema of its own in tool lists; the others sit behind the dispatcher.
    pub promoted: bool,
    /// Also has a schema of its own in the lists of callers without a person, such as missions.
    pub promoted_unattended: bool,
    /// Offered whatever the intent; never cut from a list.
    pub always_offered: bool,
    /// Needs the role admin or owner, or a system admin.
    pub admin_only: bool,
    /// Calls a connector: no transaction.
    pub external: bool,
    /// Any caller with a credential may call it (`me`, one's own workspaces).
    pub open: bool,
    /// Only a system admin, or an operator key with this scope.
    pub system_scope: Option<&'static str>,
    /// Also for a system admin who is no member here, or an operator key with this scope: what it then does is bounded
    /// by the operation itself.
    pub also_system: Option<&'static str>,
    /// Also for a system admin in a workspace that was deleted, which nobody else can reach.
    pub deleted_workspaces: bool,
    /// Only a key that holds this special scope.
    pub special_scope: Option<&'static str>,
    /// What a human must do first.
    pub confirmation: ConfirmationLevel,
    /// What a human is told before confirming.
    pub warning: Option<&'static str>,
    /// A successful call by a non-admin notifies the workspace's admins.
    pub notifies_admins: bool,
    /// Which callers it names; `None` does not register.
    pub accessible_by: Option<AccessibleBy>,
    /// What it does, when to use it and when not, in few words.
    pub description: &'static str,
    /// Words that find it.
    pub tags: &'static [&'static str],
    /// What a user would say.
    pub examples: &'static [&'static str],
    /// Parameters that are always among those a human is shown.
    pub danger: &'static [&'static str],
    /// Parameters that raise the confirmation level.
    pub escalations: &'static [Escalation],
    /// Parameters that need a permission of their own.
    pub param_permissions: &'static [ParamPermission],
    /// The bucket it spends.
    pub limit_class: LimitClass,
    /// How long it may run, in seconds.
    pub timeout_seconds: u32,
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
            limit_class: match level {
                Level::Read => LimitClass::Read,
                Level::Write | Level::Destructive => LimitClass::Write,
            },
            timeout_seconds: 10,
            large_body: false,
        }
    }

    /// An action that only reads.
    pub const fn read(name: &'static str, category: Category, permission: Permission) -> Self {
        Self::new(name, category, Level::Read, permission)
    }

    /// An action that creates or changes.
    pub const fn write(name: &'static str, category: Category, permission: Permission) -> Self {
        Self::new(name, category, Level::Write, permission)
    }

    /// An action that removes for good: it carries a warning and is confirmed by typing its name.
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

    /// An operation for programs, such as `members.add`. Never in a tool list.
    pub const fn program(name: &'static str, level: Level, permission: Permission) -> Self {
        let mut spec = Self::new(name, Category::Administration, level, permission);
        spec.kind = ActionKind::Operation;
        spec.limit_class = LimitClass::Admin;
        spec
    }

    /// Gives it a schema of its own in tool lists.
    pub const fn promoted(mut self) -> Self {
        self.promoted = true;
        self
    }

    /// Gives it a schema of its own in the lists of callers without a person.
    pub const fn promoted_unattended(mut self) -> Self {
        self.promoted_unattended = true;
        self
    }

    /// Offers it whatever the intent.
    pub const fn always_offered(mut self) -> Self {
        self.always_offered = true;
        self
    }

    /// Only for admins, owners and system admins.
    pub const fn admin_only(mut self) -> Self {
        self.admin_only = true;
        self
    }

    /// It calls a connector.
    pub const fn external(mut self) -> Self {
        self.external = true;
        self.limit_class = LimitClass::External;
        self.timeout_seconds = 20;
        self
    }

    /// Any authenticated caller may call it.
    pub const fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Only a system admin or an operator key with `scope`.
    pub const fn system(mut self, scope: &'static str) -> Self {
        self.system_scope = Some(scope);
        self
    }

    /// Also for a system admin who is no member, or an operator key with `scope`.
    pub const fn also_system(mut self, scope: &'static str) -> Self {
        self.also_system = Some(scope);
        self
    }

    /// Also for a system admin in a workspace that was deleted.
    pub const fn deleted_workspaces(mut self) -> Self {
        self.deleted_workspaces = true;
        self
    }

    /// Only a key with the special `scope`; it spends the records bucket.
    pub const fn records(mut self, scope: &'static str) -> Self {
        self.special_scope = Some(scope);
        self.limit_class = LimitClass::Records;
        self
    }

    /// Asks a human although it is a write.
    pub const fn confirm_simple(mut self, warning: &'static str) -> Self {
        self.confirmation = ConfirmationLevel::Simple;
        self.warning = Some(warning);
        self
    }

    /// Tells the admins when somebody else did it.
    pub const fn notifies_admins(mut self) -> Self {
        self.notifies_admins = true;
        self
    }

    /// Restricts it to named caller types and names.
    pub const fn accessible_by(mut self, rule: AccessibleBy) -> Self {
        self.accessible_by = Some(rule);
        self
    }

    /// What it does, when to use it and when not.
    pub const fn describe(mut self, text: &'static str) -> Self {
        self.description = text;
        self
    }

    /// Words that find it.
    pub const fn tags(mut self, tags: &'static [&'static str]) -> Self {
        self.tags = tags;
        self
    }

    /// What users would say.
    pub const fn examples(mut self, examples: &'static [&'static str]) -> Self {
        self.examples = examples;
        self
    }

    /// Parameters that a human is always shown.
    pub const fn danger(mut self, parameters: &'static [&'static str]) -> Self {
        self.danger = parameters;
        self
    }

    /// Parameters that raise the confirmation level.
    pub const fn escalations(mut self, escalations: &'static [Escalation]) -> Self {
        self.escalations = escalations;
        self
    }

    /// Parameters that need a permission of their own.
    pub const fn param_permissions(mut self, rules: &'static [ParamPermission]) -> Self {
        self.param_permissions = rules;
        self
    }

    /// Allows a request body as large as the server's limit for large bodies.
    pub const fn large_body(mut self) -> Self {
        self.large_body = true;
        self
    }

    /// How long it may run, in seconds.
    pub const fn timeout_seconds(mut self, seconds: u32) -> Self {
        self.timeout_seconds = seconds;
        self
    }

    /// The name without its prefix, as people and dispatcher lines show it.
    pub fn short_name(&self) -> &'static str {
        self.name.strip_prefix(crate::PREFIX).unwrap_or(self.name)
    }
}
