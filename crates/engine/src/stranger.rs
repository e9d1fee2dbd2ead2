//! A valid user who is no member of the workspace that they named: the one refusal before gate 4 that the workspace's
//! admins learn of, once a minute for each user.

use serde_json::json;
use sha2::{Digest as _, Sha256};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{Level, Surface};
use toolcrib_store::{AuditRow, StoreError};

use crate::{ActionError, CallRequest, Credential, Engine, UserToken, call::Info, claimant::Claimant};

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
        let Credential::User(token) = &request.identity.credential else { return };
        if error.code != ErrorCode::PermissionDenied
            || !self.strangers.first_this_minute(known_as(token), info.now)
        {
            return;
        }
        if let Err(fault) = self.write_stranger(info, request, claimant, token).await {
            tracing::warn!(%fault, "the audit row of somebody who is no member can't be written");
        }
    }

    async fn write_stranger(
        &self,
        info: &Info,
        request: &CallRequest,
        claimant: &Claimant,
        token: &UserToken,
    ) -> Result<(), StoreError> {
        // There is no such workspace, and nobody to tell.
        if self.db.standing(claimant.workspace, claimant.who()).await?.is_none() {
            return Ok(());
        }
        self.db.audit(vec![self.stranger_row(info, request, claimant, token)]).await
    }

    fn stranger_row(
        &self,
        info: &Info,
        request: &CallRequest,
        claimant: &Claimant,
        token: &UserToken,
    ) -> AuditRow {
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
            user_id: token.user_id,
            credential_id: None,
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
            reason: Some("no_member".to_owned()),
            arguments: json!({ "issuer": &*token.issuer, "subject": &*token.subject }).to_string(),
            target: None,
            error_code: Some(ErrorCode::PermissionDenied.as_str()),
            outcome: "not_run",
            duration_ms: i64::try_from(info.started.elapsed().as_millis()).unwrap_or(i64::MAX),
            request_id: info.request_id.clone(),
            trace_id: info.trace_id.clone(),
            confirmation_id: None,
        }
    }
}

/// The user, also one of whom we never heard.
fn known_as(token: &UserToken) -> Id {
    let digest = Sha256::new().chain_update(token.issuer.as_bytes()).chain_update([0]);
    let digest = digest.chain_update(token.subject.as_bytes()).finalize();
    Id::from_slice(&digest[..16]).unwrap_or_default()
}
