//! Remove a member.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_model::Id;
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::members;

use super::{rules, view::called};
use crate::admin::guard;

/// The operation.
pub struct RemoveMember;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Our id of the person.
    pub user_id: Id,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Who was removed.
    pub user_id: Id,
    /// What they were called.
    pub name: String,
    /// Always true.
    pub removed: bool,
}

impl WriteAction for RemoveMember {
    const SPEC: Spec = Spec::program("members.remove", Level::Write, Permission::MEMBERS_MANAGE).describe(
        "Remove a member: they, and agents that run as them, hold nothing here from the next call on.",
    );
    type Input = Input;
    type Output = Output;

    async fn resolve(cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = rules::find(cx.tx, input.user_id).await?;
        rules::may_change(cx.caller, &row)?;
        rules::not_last_owner(cx.tx, &row).await?;
        rules::not_second_last_approver(cx.tx, &row).await?;
        Ok(Target { id: Some(row.user_id), label: format!("member `{}`", called(&row)), ..Target::default() })
    }

    async fn run(cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let row = rules::find(cx.tx, input.user_id).await?;
        rules::may_change(cx.caller, &row)?;
        rules::not_last_owner(cx.tx, &row).await?;
        rules::not_second_last_approver(cx.tx, &row).await?;
        members::delete(cx.tx, row.user_id).await?;
        cx.emit("member.removed", "members:read", json!({ "user_id": row.user_id }));
        Ok(Output { user_id: row.user_id, name: called(&row).to_owned(), removed: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Removed `{}`", output.name)
    }
}
