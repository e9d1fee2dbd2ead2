//! The calls that a run of the assistant planned: what became of each, and closing those that must not run any more.
//!
//! A planned call has the key [`CallKey::Run`](crate::CallKey::Run). Its state is read without the gates, because the
//! caller may have lost the permission since: it is for the run's own transcript.

use toolcrib_auth::StoredCaller;
use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, Id, Surface};
use toolcrib_store::{
    Tx, WORKER_LIMIT, WriteTx,
    confirmations::{self, ConfirmationRow, Transition},
    within,
};

use crate::{
    base::ActionError,
    caller::CallerClaims,
    confirm::{
        DecisionAudit,
        transition::{self, undecided},
        view,
    },
    engine::Engine,
    gates::{
        early_exit::EarlyExit,
        idempotency::{self, KeyState},
    },
    response::{Outcome, Problem},
};

/// How many confirmations of one call may replace each other.
const SUCCESSORS: usize = 20;

/// What became of a planned call.
#[derive(Clone, Debug)]
pub enum PlannedCall {
    /// It has not begun, or it is a read, which has no key.
    NotBegun,
    /// It runs outside of this service.
    Running,
    Waiting(Id),
    /// It has ended, or was closed.
    Ended(Box<Outcome>),
}

impl Engine {
    pub async fn planned_call(&self, caller: &StoredCaller, id: Id) -> Result<PlannedCall, ActionError> {
        let claims = CallerClaims::of_stored(caller)?;
        let mut tx = self.db.read(claims.workspace).await?;
        let found = self.planned_call_in(&mut tx, &claims, id).await;
        tx.end().await?;
        found
    }

    /// Answers a planned call that has not begun, so that it never runs, and returns what became of it: this answer, or
    /// what was so before.
    pub async fn close_call(
        &self,
        caller: &StoredCaller,
        id: Id,
        error: &ActionError,
    ) -> Result<PlannedCall, ActionError> {
        let claims = CallerClaims::of_stored(caller)?;
        let answer = Outcome::Refused(Box::new(Problem::of(error)));
        let (principal, now) = (claims.principal.key(), self.clock.now());
        let mut tx = self.db.begin_write(claims.workspace).await?;
        let closed = idempotency::close_run(&mut tx, principal, id, now, &answer);
        let closed = within(WORKER_LIMIT, closed).await?;
        if tx.end(closed).await? {
            return Ok(PlannedCall::Ended(Box::new(answer)));
        }
        self.planned_call(caller, id).await
    }

    async fn planned_call_in(
        &self,
        tx: &mut Tx,
        claims: &CallerClaims,
        id: Id,
    ) -> Result<PlannedCall, ActionError> {
        match idempotency::run_state(tx, claims.principal.key(), id, self.clock.now()).await? {
            None => Ok(PlannedCall::NotBegun),
            Some(KeyState::Begun) => Ok(PlannedCall::Running),
            Some(KeyState::Waiting(confirmation)) => self.confirmed_call(tx, confirmation).await,
            Some(KeyState::Ended(outcome)) => Ok(PlannedCall::Ended(Box::new(outcome))),
        }
    }

    /// Returns what became of a call that had to be confirmed. A person who changes the arguments may replace the
    /// confirmation by another one of the same call, which counts then. One of another call does not.
    async fn confirmed_call(&self, tx: &mut Tx, first: Id) -> Result<PlannedCall, ActionError> {
        let mut row = stored_confirmation(tx, first).await?;
        for _ in 0..SUCCESSORS {
            if row.open(self.clock.now()) {
                return Ok(PlannedCall::Waiting(row.id));
            }
            if row.status == ConfirmationStatus::Running {
                return Ok(PlannedCall::Running);
            }
            let successor = match row.superseded_by {
                Some(next) => Some(stored_confirmation(tx, next).await?),
                None => None,
            };
            let is_same = |next: &ConfirmationRow| {
                next.idempotency_key.is_some() && next.idempotency_key == row.idempotency_key
            };
            let Some(next) = successor.filter(is_same) else {
                let ended = view::stored(&row).unwrap_or_else(|| {
                    let error = transition::ended(row.status, row.reason.as_deref());
                    Outcome::Refused(Box::new(Problem::of(&error)))
                });
                return Ok(PlannedCall::Ended(Box::new(ended)));
            };
            row = next;
        }
        Err(ActionError::internal("the confirmations of a call replace each other without end"))
    }

    /// Ends a confirmation that nobody waits for any more, if it is open.
    pub async fn withdraw(
        &self,
        caller: &StoredCaller,
        confirmation: Id,
        reason: &str,
    ) -> Result<(), ActionError> {
        let claims = CallerClaims::of_stored(caller)?;
        let mut tx = self.db.begin_write(claims.workspace).await?;
        let withdrawn = within(WORKER_LIMIT, self.withdraw_in(&mut tx, claims, confirmation, reason)).await?;
        tx.end(withdrawn).await.map_err(ActionError::from)
    }

    async fn withdraw_in(
        &self,
        tx: &mut WriteTx,
        claims: CallerClaims,
        confirmation: Id,
        reason: &str,
    ) -> Result<(), EarlyExit> {
        let now = self.clock.now();
        // A call of a run can join the open confirmation of its person's own call, which stays theirs.
        let is_of_run = |row: &ConfirmationRow| row.open(now) && row.surface == Surface::Assistant;
        let Some(row) = confirmations::lock(tx, confirmation).await?.filter(is_of_run) else {
            return Ok(());
        };
        let context = self.system_context(row.surface, row.request_id.clone());
        let by = Some(claims.principal.id());
        let step = undecided(&row, &context, ConfirmationStatus::Void, by, None);
        let step = Transition { reason: Some(reason), ..step };
        let audit = DecisionAudit::new(AuditDecision::Denied, "withdrawn", Some(ErrorCode::Void));
        let catalog = self.catalog_in(tx).await?;
        let caller = claims.into_caller_without_role();
        let records = self.records(&catalog);
        records.end_without_run(tx, &context, &caller, &row, &step, audit).await.map(drop)
    }
}

async fn stored_confirmation(tx: &mut Tx, id: Id) -> Result<ConfirmationRow, ActionError> {
    confirmations::get(tx, id).await?.ok_or_else(|| view::not_found(id))
}
