//! Adds a member.

use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_store::{
    Tx,
    members::{self, MemberRow},
    users::{self, UserRow},
};

use super::rules;
use crate::{
    admin::{command_line::CheckedInput, guard},
    shared::{check_characters, or_conflict},
};

pub struct AddMember;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Subject (`sub`) of the member's tokens.
    pub subject: String,
    /// Issuer (`iss`) of the member's tokens. Default: the issuer of your own token.
    pub issuer: Option<String>,
    /// Role of the member.
    pub role: Role,
    /// Display name in this workspace.
    pub display_name: Option<String>,
}

impl CheckedInput for Input {
    fn check(&self) -> Result<(), ActionError> {
        check_characters("/subject", &self.subject)?;
        check_characters("/issuer", self.issuer.as_deref().unwrap_or_default())
    }
}

impl WriteAction for AddMember {
    type Input = Input;
    type Output = MemberRow;

    fn spec() -> Spec {
        Spec::program("members.add", Level::Write, Permission::MEMBERS_MANAGE)
            .creates()
            .describe("Add a member to the workspace, identified by issuer and subject of their tokens.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        input.check()?;
        rules::may_give(cx.caller, input.role)?;
        if input.issuer.is_none() {
            input.issuer = Some(guard::own_issuer(cx, "/issuer").await?);
        }
        Ok(Target { label: format!("member `{}`", input.subject), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<MemberRow, ActionError> {
        guard::lock(cx).await?;
        rules::may_give(cx.caller, input.role)?;
        let issuer = input.issuer.as_deref().unwrap_or_default();
        if let Some(error) = already(cx.tx, issuer, &input.subject).await? {
            return Err(error);
        }
        let user = UserRow {
            id: users::id_of(issuer, &input.subject),
            issuer: issuer.to_owned(),
            subject: input.subject.clone(),
            display_name: None,
            created_at: cx.now,
        };
        let user_id = users::ensure(cx.tx, &user).await?;
        let name = input.display_name.as_deref();
        let inserted = members::insert(cx.tx, user_id, input.role.as_str(), name, cx.now).await;
        or_conflict(inserted, || is_member(&input.subject, true))?;
        cx.emit("member.added", "members:read", json!({ "user_id": user_id, "role": input.role }));
        rules::find(cx.tx, user_id).await
    }

    fn describe(_: &Input, member: &MemberRow) -> String {
        format!("Added `{}` as {}", rules::called(member), member.role)
    }
}

async fn already(tx: &mut Tx, issuer: &str, subject: &str) -> Result<Option<ActionError>, ActionError> {
    let Some(user_id) = users::find_in(tx, issuer, subject).await? else { return Ok(None) };
    let member = members::get(tx, user_id).await?;
    Ok(member
        .map(|member| is_member(subject, member.active).hint(format!("change them by their id `{user_id}`"))))
}

fn is_member(subject: &str, active: bool) -> ActionError {
    let inactive = if active { "" } else { ", though an inactive one" };
    ActionError::conflict(format!("`{subject}` is a member already{inactive}"))
}
