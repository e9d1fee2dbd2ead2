//! Requests a confirmation: writes the record and its audit row, and returns the response that the call
//! waits.

use toolcrib_model::{AuditDecision, ErrorCode, Id};
use toolcrib_store::{
    WriteTx,
    confirmations::{self, ConfirmationRow},
    within,
};

use crate::engine::Engine;
use crate::{
    audit::{self, AuditOutcome},
    base::{ActionError, CallContext},
    caller::{CallerClaims, people},
    confirm::requester,
    events::emit,
    gates::{
        confirmation::ConfirmationRequest,
        early_exit::EarlyExit,
        idempotency::{self, KeyState},
    },
    response::CallResponse,
};

impl Engine {
    /// Writes the record of a confirmation and returns the response that the call waits.
    pub(crate) async fn request_confirmation(
        &self,
        context: &CallContext,
        request: ConfirmationRequest,
    ) -> Result<CallResponse, EarlyExit> {
        let (row, supersedes) = self.commit_confirmation(context, &request).await?;
        let policy = request.call().policy();
        Ok(self.records(self.catalog()).waiting(context, request.facts(), &row, supersedes, policy))
    }

    async fn commit_confirmation(
        &self,
        context: &CallContext,
        request: &ConfirmationRequest,
    ) -> Result<(ConfirmationRow, Vec<Id>), EarlyExit> {
        let claims = CallerClaims::of_caller(&request.facts().caller);
        let (mut tx, access) = self.db.begin_write_as(claims.workspace, claims.actor_ids()).await?;
        let work = async {
            claims.caller(access.as_ref())?;
            self.write_confirmation(context, &mut tx, &claims, request).await
        };
        let written = within(self.write_timeout(10), work).await?;
        tx.end(written).await
    }

    /// Returns the record, and the ids of those that it superseded.
    async fn write_confirmation(
        &self,
        context: &CallContext,
        tx: &mut WriteTx,
        claims: &CallerClaims,
        request: &ConfirmationRequest,
    ) -> Result<(ConfirmationRow, Vec<Id>), EarlyExit> {
        let facts = request.facts();
        let (requester, session) = (requester(&facts.caller), facts.caller.session.as_deref());
        let (action, (_, digest), now) = (&facts.action, request.arguments(), context.now);
        confirmations::lock_inserts(tx).await?;
        let surface = context.surface;
        let known = confirmations::same_call(tx, requester, session, surface, action, digest, now).await?;
        let (reason, (row, superseded)) = match known {
            Some(row) if request.is_recorded_by(&row.call) => ("repeated", (row, Vec::new())),
            known => ("confirmation", self.insert_confirmation(context, tx, claims, request, known).await?),
        };
        let audit_outcome = AuditOutcome {
            confirmation_id: Some(row.id),
            ..AuditOutcome::not_run(context, AuditDecision::ConfirmationRequired, reason, None)
        };
        tx.audit(audit::row(context, facts, audit_outcome));
        if let Some(key) = request.resolved.key()
            && !idempotency::store(context, tx, request.call(), key, &KeyState::Waiting(row.id)).await?
        {
            return Err(EarlyExit::Retry);
        }
        Ok((row, superseded))
    }

    async fn insert_confirmation(
        &self,
        context: &CallContext,
        tx: &mut WriteTx,
        claims: &CallerClaims,
        request: &ConfirmationRequest,
        outdated: Option<ConfirmationRow>,
    ) -> Result<(ConfirmationRow, Vec<Id>), EarlyExit> {
        let facts = request.facts();
        let people = people::behind(tx, claims, context.now).await?;
        let (spec, policy) = (request.call().spec(), request.call().policy());
        match people::someone_may_approve(tx, spec, policy, &people).await {
            Err(error) if error.code.status() >= 500 => return Err(error.into()),
            Err(error) => {
                return Err(request.call().refuse(error, AuditDecision::Denied, "four_eyes"));
            }
            Ok(()) => {}
        }
        let claims = &CallerClaims { people, ..claims.clone() };
        let records = self.records(request.call().catalog());
        let row = records.row(context, claims, request);
        let target = request.resolved.target().id;
        let superseded = records.supersede(tx, context, facts, target, outdated, row.id).await?;
        check_count(tx, context, request).await?;
        confirmations::insert(tx, &row).await?;
        let url = records.approve_url(row.id, request.call().policy().approve_url_template.as_deref());
        let awaiting = request.for_events(&url);
        emit::awaiting_permission(self.stamp(context.now), context, tx, &awaiting, &row).await?;
        Ok((row, superseded))
    }
}

/// Refuses a call whose caller or workspace has too many open confirmations.
async fn check_count(
    tx: &mut WriteTx,
    context: &CallContext,
    request: &ConfirmationRequest,
) -> Result<(), EarlyExit> {
    let by = requester(&request.facts().caller);
    let (own, all) = confirmations::count_open(tx, by, context.surface, context.now).await?;
    let most = request.call().policy().open_confirmations;
    if own < most.per_caller.into() && all < most.per_workspace.into() {
        return Ok(());
    }
    let error = ActionError::new(ErrorCode::TooManyPending, "too many confirmations wait for a decision")
        .hint("wait until some are decided, or deny those that are no longer needed");
    Err(request.call().refuse(error, AuditDecision::RateLimited, "too_many_pending"))
}
