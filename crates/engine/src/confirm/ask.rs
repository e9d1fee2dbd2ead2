//! Asking a human: the record is written with its audit row, and the caller is told where to wait.

use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::json;
use toolcrib_access::{Caller, Principal};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{ConfirmationLevel, Level};
use toolcrib_store::{WriteTx, confirmations, confirmations::ConfirmationRow, job};

use super::{people, summary};
use crate::{
    ActionError, Answer, Asked, Body, Engine, Waiting,
    call::Info,
    claimant::Claimant,
    gates::{
        audit::{self, Verdict},
        confirmation::Question,
        idempotency,
        lookup::Subject,
    },
    notify,
    stop::Stop,
};

impl Engine {
    /// Writes the question down and answers that it waits.
    pub(crate) async fn ask(self: &Arc<Self>, info: &Info, question: Question) -> Answer {
        let subject = question.subject().clone();
        let template = question.found().policy().approve_url_template.clone();
        let claimant = Claimant::of_caller(&subject.caller);
        let (workspace, who) = (claimant.workspace, claimant.who());
        let (engine, own) = (self.clone(), info.clone());
        let job = job(move |tx, standing| {
            async move {
                claimant.caller(standing.as_ref())?;
                engine.write_question(&own, tx, &claimant, &question).await
            }
            .boxed()
        });
        match self.db.write_as(workspace, who, self.write_limit(10), job).await {
            Ok(row) => self.waiting(info, &subject, &row, template.as_deref()),
            // Never asked again from here: an `Ask` can't come out of writing one.
            Err(Stop::Ask(_)) => {
                crate::build::failed(&ActionError::internal("asked twice"), &info.request_id)
            }
            Err(stop) => Box::pin(self.settle(info, stop)).await,
        }
    }

    async fn write_question(
        &self,
        info: &Info,
        tx: &mut WriteTx,
        claimant: &Claimant,
        question: &Question,
    ) -> Result<ConfirmationRow, Stop> {
        let subject = question.subject();
        let requester = requester(&subject.caller);
        let (_, digest) = question.arguments();
        confirmations::queue(tx).await?;
        let known = confirmations::same_call(tx, requester, &subject.action, digest, info.now).await?;
        let row = match known {
            Some(row) => row,
            None => self.new_question(info, tx, claimant, question).await?,
        };
        let verdict = Verdict {
            confirmation_id: Some(row.id),
            ..Verdict::not_run(info, "confirmation_required", "confirmation", None)
        };
        tx.audit(audit::row(info, subject, verdict));
        if let Some(key) = question.key()
            && !idempotency::remember(info, tx, question.found(), key, None, Some(row.id)).await?
        {
            return Err(Stop::Again);
        }
        Ok(row)
    }

    async fn new_question(
        &self,
        info: &Info,
        tx: &mut WriteTx,
        claimant: &Claimant,
        question: &Question,
    ) -> Result<ConfirmationRow, Stop> {
        let subject = question.subject();
        let people = people::behind(tx, claimant, info.now).await?;
        let (spec, policy) = (question.found().spec(), question.found().policy());
        match people::someone_may_approve(tx, spec, policy, &people).await {
            Err(error) if error.code.status() >= 500 => return Err(error.into()),
            Err(error) => return Err(question.found().clone().refuse(error, "denied", "four_eyes")),
            Ok(()) => {}
        }
        let claimant = &Claimant { people, ..claimant.clone() };
        let requester = requester(&subject.caller);
        if let Some(target) = question.target().id {
            self.supersede(tx, info, subject, target).await?;
        }
        let (own, all) = confirmations::count_open(tx, requester, info.now).await?;
        let most = question.found().policy().open_confirmations;
        if own >= most.per_caller.into() || all >= most.per_workspace.into() {
            let error =
                ActionError::new(ErrorCode::TooManyPending, "too many confirmations wait for a decision")
                    .hint("wait until some are decided, or deny those that are no longer needed");
            return Err(question.found().clone().refuse(error, "rate_limited", "too_many_pending"));
        }
        let row = self.row(info, claimant, question);
        confirmations::insert(tx, &row).await?;
        let url = self.approve_url(row.id, question.found().policy().approve_url_template.as_deref());
        notify::asked(self.moment(info.now), info, tx, question, &row, &url).await?;
        Ok(row)
    }

    /// The record of a question that nobody decided yet.
    pub(super) fn row(&self, info: &Info, claimant: &Claimant, question: &Question) -> ConfirmationRow {
        let subject = question.subject();
        let meta = question.found().meta();
        let asked = super::edit::asked(question, claimant);
        ConfirmationRow {
            id: self.ids.new_id(info.now),
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
            tool_call_id: info.tool_call.as_ref().map(|call| call.id.clone()),
            tool_format: info.tool_call.as_ref().map(|call| call.format.to_owned()),
            via: subject.via.as_str().to_owned(),
            surface: info.door.as_str().to_owned(),
            request_id: info.request_id.clone(),
            idempotency_key: question.key().map(|key| key.text().to_owned()),
            status: "pending".to_owned(),
            phrase_attempts: 0,
            created_at: info.now,
            expires_at: info.now.plus_seconds(self.settings.confirmation_seconds),
            decided_at: None,
            decided_by: None,
            reason: None,
            call_id: None,
            result: None,
            history: json!([{ "at": info.now, "status": "pending", "by": claimant.principal.user() }])
                .to_string(),
        }
    }

    /// The answer of a call that waits, from its record.
    pub(crate) fn waiting(
        &self,
        info: &Info,
        subject: &Subject,
        row: &ConfirmationRow,
        template: Option<&str>,
    ) -> Answer {
        let meta = subject.meta.as_ref();
        let level = ConfirmationLevel::of_waiting(&row.level);
        let permission_level = meta.map_or(Level::Write, |meta| meta.spec.level);
        let waiting = Waiting {
            ok: false,
            status: "confirmation_required",
            call_id: info.call_id,
            action: subject.action.clone(),
            permission_level,
            description: summary::sentence(
                &subject.action,
                row.target_label.as_deref(),
                row.target_detail.as_deref(),
            ),
            confirmation: Asked {
                id: row.id,
                level,
                warning: row.warning.clone(),
                summary: serde_json::from_str(&row.summary).unwrap_or_default(),
                more: row.more,
                expires_at: row.expires_at,
                allow_session_grant: super::remember::possible(row, Some(permission_level)),
                approve_url: self.approve_url(row.id, template),
            },
            tool_call_id: info.tool_call.as_ref().map(|call| call.id.clone()),
        };
        Answer { body: Body::Waiting(Box::new(waiting)), limit: None }
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

impl Claimant {
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
