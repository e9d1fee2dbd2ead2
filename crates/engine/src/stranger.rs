//! Refusals before gate 4 that the workspace's admins learn of, once a minute for each caller: a valid user who is no
//! member of the workspace that they named, and a key whose minters hold nothing any more.

use serde_json::json;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{Level, Surface};
use toolcrib_store::{AuditRow, StoreError, users};

use crate::{
    ActionError, CallRequest, Credential, Engine, call::Info, claimant::Claimant, gates::audit::Behind,
};

impl Engine {
    /// Writes down that somebody was refused as no member, where that is what happened. The refusal stands whether or
    /// not this succeeds.
    pub(crate) async fn note_stranger(
        &self,
        info: &Info,
        request: &CallRequest,
        claimant: &Claimant,
        error: &ActionError,
    ) {
        let Some((known_as, reason)) = known_as(&request.identity.credential, error) else { return };
        if error.code != ErrorCode::PermissionDenied
            || !self.strangers.first_this_minute(known_as, self.clock.monotonic())
        {
            return;
        }
        if let Err(fault) = self.write_stranger(info, request, claimant, reason).await {
            tracing::warn!(%fault, "the audit row of somebody who is no member can't be written");
        }
    }

    async fn write_stranger(
        &self,
        info: &Info,
        request: &CallRequest,
        claimant: &Claimant,
        reason: &'static str,
    ) -> Result<(), StoreError> {
        // There is no such workspace, and nobody to tell.
        if self.db.standing(claimant.workspace, claimant.who()).await?.is_none() {
            return Ok(());
        }
        self.db.audit(vec![self.stranger_row(info, request, claimant, reason)]).await
    }

    fn stranger_row(
        &self,
        info: &Info,
        request: &CallRequest,
        claimant: &Claimant,
        reason: &'static str,
    ) -> AuditRow {
        let behind = Behind::of(&claimant.provenance);
        let arguments = match &request.identity.credential {
            Credential::User(token) => json!({ "issuer": &*token.issuer, "subject": &*token.subject }),
            _ => json!({}),
        };
        // Only words of ours: a stranger writes nothing into a workspace's log but who they are.
        let spec = self.catalog.registry().get(&request.name).map(|meta| &meta.spec);
        let spec = spec.filter(|spec| spec.surface == info.offers);
        AuditRow {
            workspace_id: claimant.workspace,
            id: info.call_id,
            occurred_at: info.now,
            kind: if spec.is_some_and(|spec| spec.surface == Surface::Program) { "admin" } else { "call" },
            action: spec.map_or("unknown", |spec| spec.name).to_owned(),
            permission_level: spec.map_or(Level::Read, |spec| spec.level).as_str(),
            via: "direct",
            surface: info.door.as_str(),
            principal_kind: claimant.principal.kind(),
            principal_id: claimant.principal.id(),
            user_id: claimant.principal.user(),
            credential_id: claimant.credential,
            role: None,
            system_admin: claimant.system_admin,
            caller_type: claimant.caller_type.to_string(),
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
            duration_ms: i64::try_from(info.started.elapsed().as_millis()).unwrap_or(i64::MAX),
            request_id: info.request_id.clone(),
            trace_id: info.trace_id.clone(),
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
