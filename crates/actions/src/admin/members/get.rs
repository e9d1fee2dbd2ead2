//! Gets one member, and what depends on them.

use toolcrib_engine::prelude::*;
use toolcrib_store::members::MemberRow;

use super::{delegates::Delegates, rules};

pub struct GetMember;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// User ID.
    pub user_id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The member.
    #[serde(flatten)]
    pub member: MemberRow,
    /// What depends on the member; check it before you change or remove the membership. Null if the caller may not
    /// read keys.
    pub delegates: Option<Delegates>,
}

impl ReadAction for GetMember {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("members.get", Level::Read, Permission::MEMBERS_READ).describe(
            "Get a member and what depends on them: keys that they created and objects that they own.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let member = rules::find(cx.tx, input.user_id).await?;
        Ok(Output { member, delegates: Delegates::of(cx, input.user_id).await? })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let member = &output.member;
        format!("`{}` is {}", rules::called(member), member.role)
    }
}
