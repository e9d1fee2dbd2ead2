//! Lists which role may call which action.

use std::sync::Arc;

use toolcrib_access::decide;
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_registry::ActionMeta;

use super::words::imagined;
use crate::shared::NoArguments;

pub struct AccessMatrix;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Roles, from least to most permissions.
    pub roles: Vec<Role>,
    /// Number of actions.
    pub total: usize,
    /// Every action of the catalogue, in order.
    pub items: Vec<Row>,
}

/// One action.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Name.
    pub action: Arc<str>,
    /// Its section of the catalogue.
    pub category: &'static str,
    /// Permission level.
    pub permission_level: Level,
    /// Permission that the action needs.
    pub permission: String,
    /// Whether only admins, owners and system admins may call it.
    pub admin_only: bool,
    /// Which roles may call it with a user token.
    pub roles: Roles,
}

/// A verdict for each role.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a column of the matrix")]
pub struct Roles {
    /// Whether a viewer may call it.
    pub viewer: bool,
    /// Whether a member may call it.
    pub member: bool,
    /// Whether an editor may call it.
    pub editor: bool,
    /// Whether an admin may call it.
    pub admin: bool,
    /// Whether an owner may call it.
    pub owner: bool,
}

impl ReadAction for AccessMatrix {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("access.matrix", Level::Read, Permission::AUDIT_READ)
            .describe("List which role may call which action in this workspace now.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let items: Vec<Row> = cx.tools.of_workspace().map(|meta| row(cx, meta)).collect();
        Ok(Output { roles: Role::ALL.to_vec(), total: items.len(), items })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("{} actions by {} roles", output.total, output.roles.len())
    }
}

fn row(cx: &ReadCx<'_>, meta: &ActionMeta) -> Row {
    let spec = &meta.spec;
    let may = |role| {
        let caller = imagined(cx.caller.workspace, Id::nil(), Some(role), "api", None);
        decide(&caller, spec, cx.policy).allowed
    };
    Row {
        action: spec.name.clone(),
        category: spec.category.as_str(),
        permission_level: spec.level,
        permission: spec.permission.to_string(),
        admin_only: spec.admin_only,
        roles: Roles {
            viewer: may(Role::Viewer),
            member: may(Role::Member),
            editor: may(Role::Editor),
            admin: may(Role::Admin),
            owner: may(Role::Owner),
        },
    }
}
