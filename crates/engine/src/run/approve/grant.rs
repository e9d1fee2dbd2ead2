//! The session grant of an approval.

use toolcrib_model::Id;
use toolcrib_store::{StoreError, WriteTx, members};

use super::approval::ApprovalStep;
use crate::{
    base::CallFacts,
    engine::Engine,
    grants::{GRANT_SECONDS, Grant, GrantKey},
};

impl Engine {
    /// Makes the grant of an approval, and writes its audit row in the approval's transaction. The caller
    /// stores the grant after the commit.
    pub(super) async fn new_grant(
        &self,
        tx: &mut WriteTx,
        approval: &ApprovalStep<'_>,
        facts: &CallFacts,
    ) -> Result<Option<Grant>, StoreError> {
        let definition = &approval.row.call.schema_digest;
        let Some(key) = GrantKey::of(&facts.caller, &facts.action, definition) else { return Ok(None) };
        let membership = match key.principal.user() {
            Some(user) => members::get(tx, user).await?.map(|member| member.updated_at),
            None => None,
        };
        let now = approval.context.now;
        let grant = Grant {
            id: self.ids.new_id(now),
            key,
            role: facts.caller.role,
            membership,
            granted_by: approval.approver.principal.user().unwrap_or_else(Id::nil),
            granted_at: now,
            expires_at: now.plus_seconds(GRANT_SECONDS),
        };
        let row = self.grant_row(
            approval.context,
            approval.catalog,
            approval.approver,
            &grant,
            "given",
            Some(approval.row.id),
        );
        tx.audit(row);
        Ok(Some(grant))
    }
}
