//! Makes an invitation.

use toolcrib_auth::{InvitationCode, is_email};
use toolcrib_engine::{Catalog, prelude::*};
use toolcrib_model::Role;
use toolcrib_store::invitations::{self, InvitationRow};

use super::view::InvitationView;
use crate::admin::members::rules;

/// How long an invitation can be used, in days.
const DAYS: i64 = 7;

pub struct CreateInvitation;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Role of the new member; what you may give when the invitation is used bounds it.
    pub role: Role,
    /// E-mail address that the identity provider must confirm for whoever uses the invitation. Without one, anybody
    /// with the code can.
    #[schemars(length(min = 3, max = 254))]
    pub email: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Code of the invitation. Shown only once.
    #[schemars(extend("x-secret" = true))]
    pub code: String,
    /// Address at which the person signs in with the code. Shown only once.
    #[schemars(extend("x-secret" = true))]
    pub url: String,
    /// The invitation.
    #[serde(flatten)]
    pub invitation: InvitationView,
}

impl WriteAction for CreateInvitation {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("invitations.create", Level::Write, Permission::MEMBERS_MANAGE).creates().describe(
            "Invite a person. Whoever signs in to the console with the code, once within seven days, becomes a \
             member with the lower of this role and what you may give then.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        rules::may_give(cx.caller, input.role)?;
        can_be_used(cx.tools.catalog)?;
        if input.email.as_deref().is_some_and(|email| !is_email(email)) {
            return Err(ActionError::invalid("/email", "format", "must be an e-mail address"));
        }
        let label = InvitationView::label(input.role.as_str(), input.email.as_deref());
        Ok(Target { label, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        rules::may_give(cx.caller, input.role)?;
        has_room(cx).await?;
        let code = InvitationCode { workspace: cx.tx.workspace(), secret: cx.ids.secret() };
        let row = InvitationRow {
            workspace_id: code.workspace,
            id: cx.new_id(),
            code_hash: code.hash().to_vec(),
            role: input.role.as_str().to_owned(),
            email: input.email.clone(),
            inviter: Some(cx.stored_caller().as_str().to_owned()),
            invited_by: cx.caller.principal.user(),
            issuer: None,
            created_at: cx.now,
            expires_at: cx.now.plus_days(DAYS),
            used_by: None,
            used_at: None,
            revoked_at: None,
        };
        invitations::insert(cx.tx, &row).await?;
        cx.emit("invitation.created", "members:manage", json!({ "id": row.id, "role": row.role }));
        let public_url = cx.tools.catalog.rules().public_url.clone().unwrap_or_default();
        let invitation = InvitationView::of(cx.tx, row, cx.now).await?;
        Ok(Output { code: code.to_text(), url: code.link(&public_url), invitation })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let invitation = &output.invitation;
        format!("Made the {}", InvitationView::label(&invitation.role, invitation.email.as_deref()))
    }
}

/// Returns 409 if nobody could use an invitation: a token that is pasted or a one-time link does not count for one.
fn can_be_used(catalog: &Catalog) -> Result<(), ActionError> {
    if catalog.rules().provider_sign_in {
        return Ok(());
    }
    let detail =
        "nobody can use an invitation: people do not sign in to this console through an identity provider";
    Err(ActionError::conflict(detail).hint(
        "add the person with the subject of their tokens, or ask whoever runs the service to set `console_client_id`",
    ))
}

/// Returns 409 if the workspace has reached its limit of open invitations.
async fn has_room(cx: &mut WriteCx<'_>) -> Result<(), ActionError> {
    if invitations::has_room(cx.tx, cx.now).await? {
        return Ok(());
    }
    let most = invitations::MAX_OPEN;
    let detail = format!("this workspace has reached its limit of {most} open invitations");
    Err(ActionError::conflict(detail)
        .hint("revoke invitations that nobody needs: `DELETE /v1/invitations/{id}`"))
}
