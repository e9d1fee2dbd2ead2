//! Audits refusals before gate 4 that the workspace's admins must see, once a minute for each caller: a valid
//! user who is not a member of the named workspace, and a key that was revoked during the call or whose
//! minters lost their permissions.

use serde_json::json;
use toolcrib_auth::Credential;
use toolcrib_model::{AuditDecision, ErrorCode, Id};
use toolcrib_store::{AuditRow, StoreError, users};

use crate::engine::Engine;
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext, CallFacts, CallRequest},
    caller::CallerClaims,
};

impl Engine {
    /// Writes the audit row of such a refusal. The call is refused even if this fails.
    pub(crate) async fn audit_non_member(
        &self,
        context: &CallContext,
        request: &CallRequest,
        claims: &CallerClaims,
        error: &ActionError,
    ) {
        let Some((known_as, reason)) = known_as(&request.authenticated.credential, error) else { return };
        if error.code != ErrorCode::PermissionDenied
            || !self.non_member_throttle.first_this_minute(known_as, self.clock.monotonic())
        {
            return;
        }
        if let Err(error) = self.write_non_member(context, request, claims, reason).await {
            tracing::warn!(%error, "the audit row of somebody who is no member can't be written");
        }
    }

    async fn write_non_member(
        &self,
        context: &CallContext,
        request: &CallRequest,
        claims: &CallerClaims,
        reason: &'static str,
    ) -> Result<(), StoreError> {
        // The workspace does not exist, so its log does not either.
        if self.db.access_row(claims.workspace, claims.actor_ids()).await?.is_none() {
            return Ok(());
        }
        self.db.audit(vec![self.non_member_row(context, request, claims, reason)]).await
    }

    fn non_member_row(
        &self,
        context: &CallContext,
        request: &CallRequest,
        claims: &CallerClaims,
        reason: &'static str,
    ) -> AuditRow {
        // The row contains only text of this service and the caller's identity, because a non-member must not
        // write text into the workspace's log.
        let meta =
            self.catalog().registry().get(&request.name).filter(|meta| meta.spec.kind == context.offers);
        let claims = CallerClaims { session: None, mission: None, ..claims.clone() };
        let action = meta.map_or("unknown", |meta| &meta.spec.name);
        let facts = CallFacts::new(claims.into_caller_without_role(), action, meta);
        let arguments = match &request.authenticated.credential {
            Credential::User(token) => json!({ "issuer": &*token.issuer, "subject": &*token.subject }),
            _ => json!({}),
        };
        let code = Some(ErrorCode::PermissionDenied);
        AuditRow {
            arguments: arguments.to_string(),
            ..audit::row(context, &facts, AuditOutcome::not_run(context, AuditDecision::Denied, reason, code))
        }
    }
}

/// Returns the id under which the refusals are counted, and the reason; `None` if the workspace gets no row.
fn known_as(credential: &Credential, error: &ActionError) -> Option<(Id, &'static str)> {
    match credential {
        Credential::User(token) => Some((users::id_of(&token.issuer, &token.subject), "no_member")),
        Credential::Agent(key) => Some((key.key_id, error.reason?)),
        Credential::Service(key) => Some((key.key_id, error.reason?)),
        Credential::Client(token) => Some((token.key.key_id, error.reason?)),
        Credential::Operator(_) | Credential::Stored(_) => None,
    }
}
