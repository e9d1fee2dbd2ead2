//! Changes a member's role, deactivates or activates a member.

use toolcrib_access::Caller;
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_store::{
    Tx,
    members::{self, MemberRow},
};

use super::{
    delegates::{Dependents, Weakened},
    rules::{self, called},
};
use crate::admin::{guard, keys::KeyView};

pub struct UpdateMember;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// User ID.
    pub user_id: Id,
    /// Role of the member.
    pub role: Option<Role>,
    /// Whether the membership is active. An inactive member has no permissions.
    pub active: Option<bool>,
    /// Whether you adopt every key of the member that you may adopt, in the same transaction.
    pub adopt: Option<bool>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The member as they are now.
    #[serde(flatten)]
    pub member: MemberRow,
    /// Whether anything changed.
    pub changed: bool,
    /// Keys that have fewer permissions now, at most 200. An admin who may create such a key can adopt it. Empty if
    /// the caller may not read keys.
    pub weakened: Vec<KeyView>,
    /// Number of keys beyond this list.
    pub more_weakened: usize,
}

impl WriteAction for UpdateMember {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("members.update", Level::Write, Permission::MEMBERS_MANAGE).describe(
            "Change a member's role, or deactivate or activate the membership. It takes effect with the \
             next call.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.user_id).await?;
        check(cx.tx, cx.caller, &row, input).await?;
        Ok(Target { id: Some(row.user_id), label: format!("member `{}`", called(&row)), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = rules::find(cx.tx, input.user_id).await?;
        if !differs(&row, input) {
            let (weakened, more_weakened) = (Vec::new(), 0);
            return Ok(Output { member: row, changed: false, weakened, more_weakened });
        }
        guard::lock(cx).await?;
        let row = rules::find(cx.tx, input.user_id).await?;
        check(cx.tx, cx.caller, &row, input).await?;
        let role = input.role.map_or(row.role.as_str(), |role| role.as_str());
        let active = input.active.unwrap_or(row.active);
        let dependents = Dependents::before(cx, row.user_id, input.adopt.unwrap_or(false)).await?;
        members::update(cx.tx, row.user_id, role, active, cx.now).await?;
        let data = json!({ "user_id": row.user_id, "role": role, "active": active });
        cx.emit("member.updated", "members:read", data);
        let Weakened { keys: weakened, more: more_weakened } = dependents.weakened(cx).await?;
        let member = rules::find(cx.tx, row.user_id).await?;
        Ok(Output { member, changed: true, weakened, more_weakened })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let member = &output.member;
        let name = called(member);
        let state = if member.active { "active" } else { "inactive" };
        if output.changed {
            format!("`{name}` is {} now, {state}", member.role)
        } else {
            format!("Nothing to change: `{name}` is {} already, {state}", member.role)
        }
    }
}

fn differs(row: &MemberRow, input: &Input) -> bool {
    input.role.is_some_and(|role| role.as_str() != row.role)
        || input.active.is_some_and(|active| active != row.active)
}

async fn check(tx: &mut Tx, caller: &Caller, row: &MemberRow, input: &Input) -> Result<(), ActionError> {
    if let Some(role) = input.role {
        rules::may_give(caller, role)?;
    }
    if !differs(row, input) {
        return Ok(());
    }
    rules::may_change(caller, row)?;
    if input.role.is_some_and(|role| role != Role::Owner) || input.active == Some(false) {
        rules::not_last_owner(tx, row).await?;
    }
    if input.role.is_some_and(|role| role < Role::Admin) || input.active == Some(false) {
        rules::not_second_last_approver(tx, row).await?;
    }
    Ok(())
}
