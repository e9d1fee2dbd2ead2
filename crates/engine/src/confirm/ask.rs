//! Asking a human: the record is written with its audit row, and the caller is told where to wait.

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::json;
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{ConfirmationLevel, Level};
use toolcrib_store::{WriteTx, confirmations, confirmations::ConfirmationRow, write_job};

use super::{people, summary};
use crate::{
    ActionError, CallResponse, ConfirmationSummary, Engine, ResponseBody, Waiting,
    call::CallContext,
    caller::CallerClaims,
    early_exit::EarlyExit,
    events::emit,
    gates::{
        audit::{self, AuditOutcome},
        confirmation::ConfirmationRequest,
        idempotency,
        lookup::AuditSubject,
    },
};

impl Engine {
    /// Writes the question down and answers that it waits.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        context: &CallContext,
        question: ConfirmationRequest,
    ) -> CallResponse {
        let subject = question.subject().clone();
        let template = question.found().policy().approve_url_template.clone();
        let claims = CallerClaims::of_caller(&subject.caller);
        let (workspace, who) = (claims.workspace, claims.who());
        let (engine, own) = (self.clone(), context.clone());
        let job = write_job(move |tx, access| {
            async move {
                claims.caller(access.as_ref())?;
                engine.write_question(&own, tx, &claims, &question).await
            }
            .boxed()
        });
        match self.db.write_with_access(workspace, who, self.write_limit(10), job).await {
            Ok(row) => self.waiting(context, &subject, &row, template.as_deref()),
            // Never asked again from here: an `Ask` can't come out of writing one.
            Err(EarlyExit::Confirm(_)) => {
                crate::response::failed(&ActionError::internal("asked twice"), &context.request_id)
            }
            Err(stop) => Box::pin(self.respond_early(context, stop)).await,
        }
    }

    async fn write_question(
        &self,
        context: &CallContext,
        tx: &mut WriteTx,
        claims: &CallerClaims,
        question: &ConfirmationRequest,
    ) -> Result<ConfirmationRow, EarlyExit> {
        let subject = question.subject();
        let requester = requester(&subject.caller);
        let (_, digest) = question.arguments();
        confirmations::queue(tx).await?;
        let known = confirmations::same_call(tx, requester, &subject.action, digest, context.now).await?;
        let row = match known {
            Some(row) => row,
            None => self.new_question(context, tx, claims, question).await?,
        };
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(row.id),
            ..AuditOutcome::not_run(context, "confirmation_required", "confirmation", None)
        };
        tx.audit(audit::row(context, subject, audit_outcome));
        if let Some(key) = question.key()
            && !idempotency::remember(context, tx, question.found(), key, None, Some(row.id)).await?
        {
            return Err(EarlyExit::Retry);
        }
        Ok(row)
    }

    async fn new_question(
        &self,
        context: &CallContext,
        tx: &mut WriteTx,
        claims: &CallerClaims,
        question: &ConfirmationRequest,
    ) -> Result<ConfirmationRow, EarlyExit> {
        let subject = question.subject();
        let people = people::behind(tx, claims, context.now).await?;
        let (spec, policy) = (question.found().spec(), question.found().policy());
        match people::someone_may_approve(tx, spec, policy, &people).await {
            Err(error) if error.code.status() >= 500 => return Err(error.into()),
            Err(error) => return Err(question.found().clone().refuse(error, "denied", "four_eyes")),
            Ok(()) => {}
        }
        let claims = &CallerClaims { people, ..claims.clone() };
        let requester = requester(&subject.caller);
        if let Some(target) = question.target().id {
            self.supersede(tx, context, subject, target).await?;
        }
        let (own, all) = confirmations::count_open(tx, requester, context.now).await?;
        let most = question.found().policy().open_confirmations;
        if own >= most.per_caller.into() || all >= most.per_workspace.into() {
            let error =
                ActionError::new(ErrorCode::TooManyPending, "too many confirmations wait for a decision")
                    .hint("wait until some are decided, or deny those that are no longer needed");
            return Err(question.found().clone().refuse(error, "rate_limited", "too_many_pending"));
        }
        let row = self.row(context, claims, question);
        confirmations::insert(tx, &row).await?;
        let url = self.approve_url(row.id, question.found().policy().approve_url_template.as_deref());
        emit::asked(self.stamp(context.now), context, tx, question, &row, &url).await?;
        Ok(row)
    }

    /// The record of a question that nobody decided yet.
    pub(super) fn row(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        question: &ConfirmationRequest,
    ) -> ConfirmationRow {
        let subject = question.subject();
        let meta = question.found().meta();
        let asked = super::edit::asked(question, claims);
        ConfirmationRow {
            id: self.ids.new_id(context.now),
            action: subject.action.clone(),
            schema_digest: asked.schema_digest,
            arguments: asked.arguments,
            arguments_digest: asked.arguments_digest,
            target_id: asked.target_id,
            target_label: asked.target_label,
            target_detail: asked.target_detail,
            target_version: asked.target_version,
            summary: asked.summary,
            more: asked.more,
            warning: meta.spec.warning.map(str::to_owned),
            level: question.level.as_str().to_owned(),
            requester: asked.requester,
            requester_kind: subject.caller.principal.kind().to_owned(),
            requester_id: subject.caller.principal.id(),
            requester_user_id: subject.caller.principal.user(),
            session: subject.caller.session.as_deref().map(str::to_owned),
            tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
            tool_format: context.tool_call.as_ref().map(|call| call.format.to_owned()),
            via: subject.via.as_str().to_owned(),
            surface: context.surface.as_str().to_owned(),
            request_id: context.request_id.clone(),
            idempotency_key: question.key().map(|key| key.text().to_owned()),
            status: "pending".to_owned(),
            phrase_attempts: 0,
            created_at: context.now,
            expires_at: context.now.plus_seconds(self.settings.confirmation_seconds),
            decided_at: None,
            decided_by: None,
            reason: None,
            call_id: None,
            result: None,
            history: json!([{ "at": context.now, "status": "pending", "by": claims.principal.user() }])
                .to_string(),
        }
    }

    /// The answer of a call that waits, from its record.
    pub(crate) fn waiting(
        &self,
        context: &CallContext,
        subject: &AuditSubject,
        row: &ConfirmationRow,
        template: Option<&str>,
    ) -> CallResponse {
        let meta = subject.meta.as_ref();
        let level = ConfirmationLevel::of_waiting(&row.level);
        let permission_level = meta.map_or(Level::Write, |meta| meta.spec.level);
        let waiting = Waiting {
            ok: false,
            status: "confirmation_required",
            call_id: context.call_id,
            action: subject.action.clone(),
            permission_level,
            description: summary::sentence(
                &subject.action,
                row.target_label.as_deref(),
                row.target_detail.as_deref(),
            ),
            confirmation: ConfirmationSummary {
                id: row.id,
                level,
                warning: row.warning.clone(),
                summary: serde_json::from_str(&row.summary).unwrap_or_default(),
                more: row.more,
                expires_at: row.expires_at,
                allow_session_grant: super::remember::possible(row, Some(permission_level)),
                approve_url: self.approve_url(row.id, template),
            },
            tool_call_id: context.tool_call.as_ref().map(|call| call.id.clone()),
        };
        CallResponse { body: ResponseBody::Waiting(Box::new(waiting)), limit: None }
    }

    /// Where a human decides.
    pub(crate) fn approve_url(&self, id: Id, template: Option<&str>) -> String {
        match template {
            Some(template) => template.replace("{id}", &id.to_string()),
            None => format!("{}/approve/{id}", self.settings.public_url),
        }
    }
}

/// The principal by which questions are kept apart.
pub(super) fn requester(caller: &Caller) -> confirmations::Requester {
    confirmations::Requester { id: caller.principal.id(), user_id: caller.principal.user() }
}

impl CallerClaims {
    /// The claim of a caller that was admitted: what a confirmation keeps.
    pub(crate) fn of_caller(caller: &Caller) -> Self {
        let key_role = match caller.principal {
            Principal::Service { on_behalf_of: None, .. } => caller.role,
            _ => None,
        };
        Self {
            workspace: caller.workspace,
            principal: caller.principal,
            system_admin: caller.system_admin,
            caller_type: caller.caller_type.clone(),
            scopes: caller.scopes.clone(),
            key_role,
            session: caller.session.clone(),
            mission: caller.mission,
            credential: caller.credential,
            provenance: caller.provenance.clone(),
            people: Vec::new(),
        }
    }
}
