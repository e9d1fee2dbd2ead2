//! Refusals before gate 4 that the workspace's admins learn of, once a minute for each caller: a valid user who is no
//! member of the workspace that they named, and a key whose minters hold nothing any more.

use serde_json::json;
use toolcrib_model::{AuditDecision, ErrorCode, Id, Via};
use toolcrib_store::{AuditRow, StoreError, users};

use super::Engine;
use crate::{
    audit::{self, AuditOutcome, AuditSubject},
    base::{ActionError, CallContext},
    caller::{CallRequest, CallerClaims, Credential},
};

impl Engine {
    /// Writes down that somebody was refused as no member, where that is what happened. The refusal stands whether or
    /// not this succeeds.
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
        if let Err(fault) = self.write_non_member(context, request, claims, reason).await {
            tracing::warn!(%fault, "the audit row of somebody who is no member can't be written");
        }
    }

    async fn write_non_member(
        &self,
        context: &CallContext,
        request: &CallRequest,
        claims: &CallerClaims,
        reason: &'static str,
    ) -> Result<(), StoreError> {
        // There is no such workspace, and nobody to tell.
        if self.db.access_row(claims.workspace, claims.who()).await?.is_none() {
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
        // Only words of ours: a stranger writes nothing into a workspace's log but who they are.
        let meta = self.catalog.registry().get(&request.name).filter(|meta| meta.spec.kind == context.offers);
        let claims = CallerClaims { session: None, mission: None, ..claims.clone() };
        let subject = AuditSubject {
            caller: claims.into_caller_without_role(),
            action: meta.map_or("unknown", |meta| meta.spec.name).to_owned(),
            meta: meta.cloned(),
            via: Via::Direct,
            arguments: json!({}),
            target: None,
            creates: false,
        };
        let arguments = match &request.authenticated.credential {
            Credential::User(token) => json!({ "issuer": &*token.issuer, "subject": &*token.subject }),
            _ => json!({}),
        };
        let code = Some(ErrorCode::PermissionDenied);
        AuditRow {
            arguments: arguments.to_string(),
            ..audit::row(
                context,
                &subject,
                AuditOutcome::not_run(context, AuditDecision::Denied, reason, code),
            )
        }
    }
}

/// Whom the row is about, and why they were refused; nothing where the workspace does not learn of it.
fn known_as(credential: &Credential, error: &ActionError) -> Option<(Id, &'static str)> {
    match credential {
        Credential::User(token) => Some((users::id_of(&token.issuer, &token.subject), "no_member")),
        Credential::Agent(key) => Some((key.key_id, error.reason?)),
        Credential::Service(key) => Some((key.key_id, error.reason?)),
        Credential::Operator(_) => None,
    }
}
