//! Refusals before gate 4 that the workspace's admins learn of, once a minute for each caller: a valid user who is no
//! member of the workspace that they named, and a key whose minters hold nothing any more.

use serde_json::json;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{ActionKind, Level};
use toolcrib_store::{AuditRow, StoreError, users};

use super::Engine;
use crate::{
    audit::Behind,
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
        let behind = Behind::of(&claims.provenance);
        let arguments = match &request.authenticated.credential {
            Credential::User(token) => json!({ "issuer": &*token.issuer, "subject": &*token.subject }),
            _ => json!({}),
        };
        // Only words of ours: a stranger writes nothing into a workspace's log but who they are.
        let spec = self.catalog.registry().get(&request.name).map(|meta| &meta.spec);
        let spec = spec.filter(|spec| spec.kind == context.offers);
        AuditRow {
            workspace_id: claims.workspace,
            id: context.call_id,
            occurred_at: context.now,
            kind: if spec.is_some_and(|spec| spec.kind == ActionKind::Operation) { "admin" } else { "call" },
            action: spec.map_or("unknown", |spec| spec.name).to_owned(),
            permission_level: spec.map_or(Level::Read, |spec| spec.level).as_str(),
            via: "direct",
            surface: context.surface.as_str(),
            principal_kind: claims.principal.kind(),
            principal_id: claims.principal.id(),
            user_id: claims.principal.user(),
            credential_id: claims.credential,
            role: None,
            system_admin: claims.system_admin,
            caller_type: claims.caller_type.to_string(),
            caller_name: None,
            session: None,
            mission_id: None,
            decision: "denied",
            granted_by: None,
            always_allow: false,
            relayed_by: None,
            reason: Some(reason.to_owned()),
            arguments: arguments.to_string(),
            target: None,
            error_code: Some(ErrorCode::PermissionDenied.as_str()),
            outcome: "not_run",
            duration_ms: i64::try_from(context.started.elapsed().as_millis()).unwrap_or(i64::MAX),
            request_id: context.request_id.clone(),
            trace_id: context.trace_id.clone(),
            confirmation_id: None,
            minters: behind.minters,
            edited_by: None,
            issuer: behind.issuer,
            subject: behind.subject,
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
