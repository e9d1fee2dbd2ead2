//! Revokes an invitation.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    invitations::{self, InvitationRow},
};

use super::view::InvitationView;

pub struct RevokeInvitation;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The invitation.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The invitation as it is now.
    #[serde(flatten)]
    pub invitation: InvitationView,
    /// Whether it was neither used nor revoked until now.
    pub changed: bool,
}

impl WriteAction for RevokeInvitation {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("invitations.revoke", Level::Write, Permission::MEMBERS_MANAGE).deletes().describe(
            "Revoke an invitation, so that nobody can use it. Whoever became a member by it stays one.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, input.id).await?;
        let label = InvitationView::label(&row.role, row.email.as_deref());
        Ok(Target { id: Some(row.id), label, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let changed = invitations::revoke(cx.tx, input.id, cx.now).await?;
        if changed {
            cx.emit("invitation.revoked", "members:manage", json!({ "id": input.id }));
        }
        let row = find(cx.tx, input.id).await?;
        Ok(Output { invitation: InvitationView::of(cx.tx, row, cx.now).await?, changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let invitation = &output.invitation;
        let label = InvitationView::label(&invitation.role, invitation.email.as_deref());
        if output.changed { format!("Revoked the {label}") } else { format!("The {label} had ended already") }
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<InvitationRow, ActionError> {
    invitations::get(tx, id).await?.ok_or_else(|| ActionError::not_found("invitation", &id.to_string()))
}
