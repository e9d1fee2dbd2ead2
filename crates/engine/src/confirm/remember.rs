//! "Always allow this for the session", said while approving.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::Id;
use toolcrib_registry::{ActionMeta, Level};
use toolcrib_store::{StoreError, WriteTx, confirmations::ConfirmationRow, members};

use super::approve::ApprovalStep;
use crate::{
    ActionError, Engine,
    gates::lookup::AuditSubject,
    grants::{GRANT_SECONDS, Grant, GrantKey},
};

/// How long an approval counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Remember {
    /// For this call and, until the conversation's grant ends, for others of the same action by the same caller.
    Session,
}

/// Whether an approval of this record may be remembered: a simple one of a write that was asked in a conversation.
pub(super) fn possible(row: &ConfirmationRow, level: Option<Level>) -> bool {
    refusal(row, level).is_none()
}

fn refusal(row: &ConfirmationRow, level: Option<Level>) -> Option<&'static str> {
    if row.level != "simple" {
        return Some("is for simple confirmations; a typed one is asked each time");
    }
    if level != Some(Level::Write) {
        return Some("is for writes; what is destructive is asked each time");
    }
    row.session.is_none().then_some("needs a conversation: the call named none in `X-Session-Id`")
}

/// 422 where an approval of this record can't be remembered.
pub(super) fn check(row: &ConfirmationRow, meta: Option<&ActionMeta>) -> Result<(), ActionError> {
    match refusal(row, meta.map(|meta| meta.spec.level)) {
        None => Ok(()),
        Some(why) => {
            Err(ActionError::invalid("/remember", "session_grant", why).hint("approve it without `remember`"))
        }
    }
}

impl Engine {
    /// The grant that this approval gives, with its audit row in the approval's own commit. It is kept after that.
    pub(super) async fn new_grant(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        subject: &AuditSubject,
    ) -> Result<Option<Grant>, StoreError> {
        let digest = subject.meta.as_ref().map_or("", |meta| meta.input.digest());
        let Some(key) = GrantKey::of(&subject.caller, &subject.action, digest) else { return Ok(None) };
        let membership = match key.principal.user() {
            Some(user) => members::get(tx, user).await?.map(|member| member.updated_at),
            None => None,
        };
        let now = approval.context.now;
        let grant = Grant {
            id: self.ids.new_id(now),
            key,
            role: subject.caller.role,
            membership,
            granted_by: approval.approver.principal.user().unwrap_or_else(Id::nil),
            granted_at: now,
            expires_at: now.plus_seconds(GRANT_SECONDS),
        };
        let row = self.grant_row(approval.context, approval.approver, &grant, "given", Some(approval.row.id));
        tx.audit(row);
        Ok(Some(grant))
    }
}
