//! Giving grants, and looking at and revoking those of a conversation: one's own, an admin anyone's.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{ErrorCode, Id, Role, Ts};
use toolcrib_store::AuditRow;

use super::{Grant, Unavailable};
use crate::{
    ActionError, Authenticated, DecisionMeta, Engine, Via,
    call::CallContext,
    gates::{
        audit::{self, AuditOutcome},
        lookup::AuditSubject,
    },
};

/// A grant as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GrantView {
    /// Its id.
    pub id: Id,
    /// The action that runs without asking.
    pub action: String,
    /// The conversation.
    pub session: String,
    /// Whose calls: `user`, `agent` or `service`.
    pub principal_kind: String,
    /// The principal.
    pub principal_id: Id,
    /// The member for whom it acts.
    pub user_id: Option<Id>,
    /// Who gave it.
    pub granted_by: Id,
    /// When it was given.
    pub granted_at: Ts,
    /// When it ends, at the latest: it does not outlive the service, a lesser role or another schema.
    pub expires_at: Ts,
}

/// The grants of a conversation; all on one page.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantsPage {
    /// The newest first.
    pub items: Vec<GrantView>,
    /// Always null.
    pub next_cursor: Option<String>,
}

/// What was revoked.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Revoked {
    /// How many grants.
    pub revoked: usize,
}

impl Engine {
    /// The grants of a conversation that this caller may see. 503 `store_unavailable` where they can't be read.
    pub async fn session_grants(
        &self,
        authenticated: &Authenticated,
        session: &str,
    ) -> Result<GrantsPage, ActionError> {
        let (caller, _) = self.admit(authenticated).await?;
        let items = self.theirs(&caller, session).await?.iter().map(view).collect();
        Ok(GrantsPage { items, next_cursor: None })
    }

    /// Revokes one grant of a conversation, or all that this caller may see. Of one that is not there: 404.
    pub async fn revoke_grants(
        &self,
        authenticated: &Authenticated,
        session: &str,
        only: Option<Id>,
        decider: &DecisionMeta,
    ) -> Result<Revoked, ActionError> {
        let (caller, _) = self.admit(authenticated).await?;
        let mut grants = self.theirs(&caller, session).await?;
        if let Some(id) = only {
            grants.retain(|grant| grant.id == id);
            if grants.is_empty() {
                return Err(ActionError::not_found("grant", &id.to_string()));
            }
        }
        let context = self.decision_info(decider);
        let rows: Vec<AuditRow> =
            grants.iter().map(|grant| self.grant_row(&context, &caller, grant, "revoked", None)).collect();
        if !rows.is_empty() {
            self.db.audit(rows).await.map_err(crate::response::audit_unavailable)?;
        }
        for grant in &grants {
            self.grants.remove(&grant.key).await.map_err(unavailable)?;
        }
        Ok(Revoked { revoked: grants.len() })
    }

    async fn theirs(&self, caller: &Caller, session: &str) -> Result<Vec<Grant>, ActionError> {
        let mut grants = self.grants.list(caller.workspace, session).await.map_err(unavailable)?;
        grants.retain(|grant| sees(caller, grant));
        Ok(grants)
    }

    /// The audit row of giving or revoking. It does not name the grant: nothing of it is in the database.
    pub(crate) fn grant_row(
        &self,
        context: &CallContext,
        by: &Caller,
        grant: &Grant,
        what: &'static str,
        confirmation: Option<Id>,
    ) -> AuditRow {
        let subject = AuditSubject {
            caller: by.clone(),
            action: grant.key.action.clone(),
            meta: self.catalog.registry().get(&grant.key.action).cloned(),
            via: Via::Direct,
            arguments: json!({}),
            creates: false,
            target: None,
        };
        let (decision, granted_by) =
            if what == "given" { ("approved", Some("user")) } else { ("denied", None) };
        let audit_outcome = AuditOutcome {
            confirmation_id: confirmation,
            outcome: "succeeded",
            granted_by,
            ..AuditOutcome::not_run(context, decision, what, None)
        };
        let principal = grant.key.principal;
        AuditRow {
            kind: "grant",
            id: self.ids.new_id(context.now),
            session: Some(grant.key.session.clone()),
            always_allow: what == "given",
            arguments: json!({ "principal": principal.kind(), "principal_id": principal.id(), "user_id": principal.user() })
                .to_string(),
            ..audit::row(context, &subject, audit_outcome)
        }
    }
}

/// One's own: of the user whom the caller is or acts for; an agent its own only; an admin anyone's.
fn sees(caller: &Caller, grant: &Grant) -> bool {
    if let Principal::Agent { .. } = caller.principal {
        return grant.key.principal == caller.principal;
    }
    let user = caller.principal.user();
    let own = user.is_some() && grant.key.principal.user() == user;
    own || grant.key.principal == caller.principal || caller.role >= Some(Role::Admin)
}

fn view(grant: &Grant) -> GrantView {
    let principal = grant.key.principal;
    GrantView {
        id: grant.id,
        action: grant.key.action.clone(),
        session: grant.key.session.clone(),
        principal_kind: principal.kind().to_owned(),
        principal_id: principal.id(),
        user_id: principal.user(),
        granted_by: grant.granted_by,
        granted_at: grant.granted_at,
        expires_at: grant.expires_at,
    }
}

fn unavailable(_: Unavailable) -> ActionError {
    ActionError::new(ErrorCode::StoreUnavailable, "session grants can't be reached now; nothing was done")
}
