//! Lists and revokes session grants. Callers see their own grants, admins all grants of the
//! conversation.

use serde_json::json;
use toolcrib_access::Caller;
use toolcrib_auth::Authenticated;
use toolcrib_model::{AuditDecision, AuditKind, GrantedBy, Id, Outcome};
use toolcrib_store::AuditRow;

use super::DecisionMeta;
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext, CallFacts},
    catalog::Catalog,
    engine::Engine,
    grants::{Grant, GrantView, GrantsPage, RevokedGrants, visible_grants},
};

impl Engine {
    /// Returns the grants of a conversation that this caller may see. 503 `store_unavailable` if they can't
    /// be read.
    pub async fn session_grants(
        &self,
        authenticated: &Authenticated,
        session: &str,
    ) -> Result<GrantsPage, ActionError> {
        let (caller, _) = self.admit(authenticated).await?;
        let grants = visible_grants(self.grants.as_ref(), &caller, Some(session)).await?;
        let mut tx = self.db.read(caller.workspace).await?;
        let items = GrantView::of_all(&mut tx, &grants).await?;
        tx.end().await?;
        Ok(GrantsPage { items, next_cursor: None })
    }

    /// Revokes one grant of a conversation, or all that this caller may see. 404 if the grant does not exist.
    pub async fn revoke_grants(
        &self,
        authenticated: &Authenticated,
        session: &str,
        only: Option<Id>,
        meta: &DecisionMeta,
    ) -> Result<RevokedGrants, ActionError> {
        let (caller, _) = self.admit(authenticated).await?;
        let mut grants = visible_grants(self.grants.as_ref(), &caller, Some(session)).await?;
        if let Some(id) = only {
            grants.retain(|grant| grant.id == id);
            if grants.is_empty() {
                return Err(ActionError::not_found("grant", &id.to_string()));
            }
        }
        let context = self.decision_context(meta);
        let mut tx = self.db.read(caller.workspace).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        let rows: Vec<AuditRow> = grants
            .iter()
            .map(|grant| self.grant_row(&context, &catalog, &caller, grant, "revoked", None))
            .collect();
        if !rows.is_empty() {
            self.db.audit(rows).await.map_err(crate::response::audit_unavailable)?;
        }
        for grant in &grants {
            self.grants.remove(&grant.key).await?;
        }
        Ok(RevokedGrants { revoked: grants.len() })
    }

    /// Makes the audit row of a new or revoked grant. The row does not contain the grant's id, because the
    /// database has no grants.
    pub(crate) fn grant_row(
        &self,
        context: &CallContext,
        catalog: &Catalog,
        by: &Caller,
        grant: &Grant,
        what: &'static str,
        confirmation: Option<Id>,
    ) -> AuditRow {
        let action = &grant.key.action;
        let facts = CallFacts::new(by.clone(), action, catalog.registry().get(action));
        let (decision, granted_by) = match what {
            "given" => (AuditDecision::Approved, Some(GrantedBy::User)),
            _ => (AuditDecision::Denied, None),
        };
        let audit_outcome = AuditOutcome {
            confirmation_id: confirmation,
            outcome: Outcome::Succeeded,
            granted_by,
            ..AuditOutcome::not_run(context, decision, what, None)
        };
        let principal = grant.key.principal;
        AuditRow {
            kind: AuditKind::Grant,
            id: self.ids.new_id(context.now),
            session: Some(grant.key.session.clone()),
            always_allow: what == "given",
            arguments: json!({ "principal": principal.kind().as_str(), "principal_id": principal.id(), "user_id": principal.user() })
                .to_string(),
            ..audit::row(context, &facts, audit_outcome)
        }
    }
}
