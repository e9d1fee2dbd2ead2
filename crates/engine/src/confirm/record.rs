//! The record of a call that waits for a confirmation, and the response to its caller.

use serde_json::json;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_model::{ConfirmationStatus, Id};
use toolcrib_registry::{ConfirmationLevel, Level};
use toolcrib_store::confirmations::{ConfirmationRow, RequestedCall, Requester};

use super::{
    ConfirmationRecords, remember,
    summary::{self, Summary},
};
use crate::{
    audit::repaired_text,
    base::{ActionError, CallContext, CallFacts},
    caller::CallerClaims,
    gates::confirmation::ConfirmationRequest,
    response::{self, CallResponse, ConfirmationSummary, Outcome, Waiting},
};

impl ConfirmationRecords<'_> {
    /// Makes the record of an undecided confirmation.
    pub fn row(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        request: &ConfirmationRequest,
    ) -> ConfirmationRow {
        let facts = request.facts();
        let meta = request.call().meta();
        ConfirmationRow {
            id: self.ids.new_id(context.now),
            action: facts.action.clone(),
            call: requested_call(request, claims),
            warning: meta.spec.warning.as_deref().map(str::to_owned),
            level: request.level.as_str().to_owned(),
            requester_kind: facts.caller.principal.kind().as_str().to_owned(),
            requester_id: facts.caller.principal.id(),
            requester_user_id: facts.caller.principal.user(),
            session: facts.caller.session.as_deref().map(str::to_owned),
            tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
            tool_format: context.tool_call.as_ref().map(|call| call.format.as_str().to_owned()),
            via: facts.via,
            surface: context.surface,
            request_id: context.request_id.clone(),
            idempotency_key: request.resolved.key().map(|key| key.text().to_owned()),
            status: ConfirmationStatus::Pending,
            phrase_attempts: 0,
            created_at: context.now,
            expires_at: context.now.plus_seconds(self.seconds),
            decided_at: None,
            decided_by: None,
            reason: None,
            call_id: None,
            result: None,
            history: json!([{ "at": context.now, "status": ConfirmationStatus::Pending, "by": claims.principal.user() }])
                .to_string(),
            superseded_by: None,
        }
    }

    /// Makes the response of a call that waits, from its record and the confirmations that it superseded.
    pub fn waiting(
        &self,
        context: &CallContext,
        facts: &CallFacts,
        row: &ConfirmationRow,
        supersedes: Vec<Id>,
        policy: &WorkspacePolicy,
    ) -> CallResponse {
        let meta = facts.meta.as_ref();
        let level = ConfirmationLevel::of_waiting(&row.level);
        let permission_level = meta.map_or(Level::Write, |meta| meta.spec.level);
        let waiting = Waiting {
            ok: false,
            status: "confirmation_required",
            call_id: context.call_id,
            action: facts.action.clone(),
            permission_level,
            description: response::sentence(
                &facts.action,
                row.call.target_label.as_deref(),
                row.call.target_detail.as_deref(),
            ),
            confirmation: ConfirmationSummary {
                id: row.id,
                level,
                warning: row.warning.clone(),
                summary: serde_json::from_str(&row.call.summary).unwrap_or_default(),
                more: row.call.more,
                expires_at: row.expires_at,
                allow_session_grant: remember::possible(row, meta.map(AsRef::as_ref), policy),
                approve_url: self.approve_url(row.id, policy.approve_url_template.as_deref()),
            },
            supersedes,
            repaired: facts.repaired.clone(),
            tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
        };
        Outcome::Waiting(Box::new(waiting)).into()
    }

    /// Returns the URL at which a person decides.
    pub fn approve_url(&self, id: Id, template: Option<&str>) -> String {
        approve_url(self.public_url, template, id)
    }
}

/// Returns the URL at which a person decides a confirmation: by the workspace's template, or a page of the console.
pub fn approve_url(public_url: &str, template: Option<&str>, id: Id) -> String {
    match template {
        Some(template) => template.replace("{id}", &id.to_string()),
        None => format!("{public_url}/approve/{id}"),
    }
}

/// Returns the stored form of a confirmation request: the resolved call, its summary and its requester.
pub fn requested_call(request: &ConfirmationRequest, claims: &CallerClaims) -> RequestedCall {
    let meta = request.call().meta();
    let target = request.resolved.target();
    let (arguments, arguments_digest) = request.arguments();
    let Summary { lines, more } = summary::of(meta, &request.facts().arguments, target);
    RequestedCall {
        schema_digest: request.call().definition().into_owned(),
        arguments: arguments.to_owned(),
        arguments_digest: arguments_digest.to_owned(),
        target_id: target.id,
        target_label: target.shown_label().map(str::to_owned),
        target_detail: target.detail.clone(),
        target_version: target.version,
        upstream_target: request.resolved.upstream_target().map(str::to_owned),
        summary: json!(lines).to_string(),
        more,
        repaired: repaired_text(&request.facts().repaired),
        requester: json!(claims).to_string(),
    }
}

pub fn requester_of(row: &ConfirmationRow) -> Result<CallerClaims, ActionError> {
    serde_json::from_str(&row.call.requester)
        .map_err(|error| ActionError::internal(format!("stored requester: {error}")))
}

/// Returns the requester whose open confirmations are compared and counted.
pub fn requester(caller: &Caller) -> Requester {
    Requester { id: caller.principal.id(), user_id: caller.principal.user() }
}
