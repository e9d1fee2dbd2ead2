//! Requests a confirmation: writes the record and its audit row, and returns the response that the call
//! waits.

use std::sync::Arc;

use futures_util::FutureExt;
use toolcrib_model::{AuditDecision, ErrorCode};
use toolcrib_store::{WriteTx, confirmations, confirmations::ConfirmationRow, write_job};

use super::Engine;
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext},
    caller::{CallerClaims, people},
    confirmations::requester,
    events::emit,
    gates::{confirmation::ConfirmationRequest, early_exit::EarlyExit, idempotency},
    response::CallResponse,
};

impl Engine {
    /// Writes the record of a confirmation and returns the response that the call waits.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        context: &CallContext,
        question: ConfirmationRequest,
    ) -> CallResponse {
        let subject = question.subject().clone();
        let template = question.action().policy().approve_url_template.clone();
        let claims = CallerClaims::of_caller(&subject.caller);
        let (workspace, who) = (claims.workspace, claims.actor_ids());
        let (engine, own) = (self.clone(), context.clone());
        let job = write_job(move |tx, access| {
            async move {
                claims.caller(access.as_ref())?;
                engine.write_question(&own, tx, &claims, &question).await
            }
            .boxed()
        });
        match self.db.write_with_access(workspace, who, self.write_limit(10), job).await {
            Ok(row) => self.records().waiting(context, &subject, &row, template.as_deref()),
            // Can't occur, because writing the record never requires a confirmation.
            Err(EarlyExit::Confirm(_)) => {
                crate::response::failed(&ActionError::internal("asked twice"), &context.request_id)
            }
            Err(exit) => Box::pin(self.respond_early(context, exit)).await,
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
        confirmations::lock_inserts(tx).await?;
        let known = confirmations::same_call(tx, requester, &subject.action, digest, context.now).await?;
        let row = match known {
            Some(row) => row,
            None => self.new_question(context, tx, claims, question).await?,
        };
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(row.id),
            ..AuditOutcome::not_run(context, AuditDecision::ConfirmationRequired, "confirmation", None)
        };
        tx.audit(audit::row(context, subject, audit_outcome));
        if let Some(key) = question.key()
            && !idempotency::remember(context, tx, question.action(), key, None, Some(row.id)).await?
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
        let (spec, policy) = (question.action().spec(), question.action().policy());
        match people::someone_may_approve(tx, spec, policy, &people).await {
            Err(error) if error.code.status() >= 500 => return Err(error.into()),
            Err(error) => {
                return Err(question.action().clone().refuse(error, AuditDecision::Denied, "four_eyes"));
            }
            Ok(()) => {}
        }
        let claims = &CallerClaims { people, ..claims.clone() };
        let requester = requester(&subject.caller);
        if let Some(target) = question.target().id {
            self.records().supersede(tx, context, subject, target).await?;
        }
        let (own, all) = confirmations::count_open(tx, requester, context.now).await?;
        let most = question.action().policy().open_confirmations;
        if own >= most.per_caller.into() || all >= most.per_workspace.into() {
            let error =
                ActionError::new(ErrorCode::TooManyPending, "too many confirmations wait for a decision")
                    .hint("wait until some are decided, or deny those that are no longer needed");
            return Err(question.action().clone().refuse(
                error,
                AuditDecision::RateLimited,
                "too_many_pending",
            ));
        }
        let row = self.records().row(context, claims, question);
        confirmations::insert(tx, &row).await?;
        let url =
            self.records().approve_url(row.id, question.action().policy().approve_url_template.as_deref());
        emit::asked(self.stamp(context.now), context, tx, &question.for_events(&url), &row).await?;
        Ok(row)
    }
}
