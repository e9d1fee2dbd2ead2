//! Removes a member.

use toolcrib_engine::prelude::*;
use toolcrib_store::{members, upstreams};

use super::{
    delegates::{Dependents, Weakened},
    rules::{self, called},
};
use crate::admin::{guard, keys::KeyView};

pub struct RemoveMember;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// User ID.
    pub user_id: Id,
    /// Whether you adopt every key of the member that you may adopt, in the same transaction.
    pub adopt: Option<bool>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// User ID of the removed member.
    pub user_id: Id,
    /// Display name of the removed member.
    pub name: String,
    /// Always `true`.
    pub removed: bool,
    /// Keys that have fewer permissions now, at most 200. An admin who may create such a key can adopt it. Empty if
    /// the caller may not read keys.
    pub weakened: Vec<KeyView>,
    /// Number of keys beyond this list.
    pub more_weakened: usize,
}

impl WriteAction for RemoveMember {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("members.remove", Level::Write, Permission::MEMBERS_MANAGE).deletes().describe(
            "Remove a member. From the next call on, the member, agents that run as them and keys that \
         they created have no permissions here.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.user_id).await?;
        rules::may_change(cx.caller, &row)?;
        rules::not_last_owner(cx.tx, &row).await?;
        rules::not_second_last_approver(cx.tx, &row).await?;
        Ok(Target { id: Some(row.user_id), label: format!("member `{}`", called(&row)), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let row = rules::find(cx.tx, input.user_id).await?;
        rules::may_change(cx.caller, &row)?;
        rules::not_last_owner(cx.tx, &row).await?;
        rules::not_second_last_approver(cx.tx, &row).await?;
        let adopts = input.adopt.unwrap_or(false);
        let dependents = Dependents::before(cx, row.user_id, adopts).await?;
        members::delete(cx.tx, row.user_id).await?;
        upstreams::delete_secrets_of(cx.tx, row.user_id).await?;
        cx.emit("member.removed", "members:read", json!({ "user_id": row.user_id }));
        let Weakened { keys: weakened, more: more_weakened } = dependents.weakened(cx).await?;
        let name = called(&row).to_owned();
        Ok(Output { user_id: row.user_id, name, removed: true, weakened, more_weakened })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Removed `{}`", output.name)
    }
}
