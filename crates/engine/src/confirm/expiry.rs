//! Records that end without anybody's decision: another call took their place, or their time is over.

use std::sync::Arc;

use toolcrib_access::Caller;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::{
    StoreError, WriteTx,
    confirmations::{self, ConfirmationRow, Transition},
};

use super::decide::{DecisionAudit, history, take};
use crate::{
    ActionError, DecisionMeta, Engine,
    call::{CallContext, Surface},
    caller::CallerClaims,
    early_exit::EarlyExit,
    events::emit,
    gates::lookup::AuditSubject,
};

/// So many are looked for at once.
const BATCH: i64 = 50;

impl Engine {
    /// Ends the caller's open records of the same action on the same target: another call of it is asked now.
    pub(super) async fn supersede(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        subject: &AuditSubject,
        target: Id,
    ) -> Result<(), EarlyExit> {
        let (caller, action) = (&subject.caller, &subject.action);
        let open = confirmations::same_target(tx, super::ask::requester(caller), action, target, context.now)
            .await?;
        for row in open {
            let steps = history(&row, context, "superseded", Some(caller.principal.id()), None);
            take(tx, row.id, &ending(&row, context, "superseded", &steps)).await?;
            let note = DecisionAudit {
                decision: "denied",
                reason: "superseded",
                error: Some(ErrorCode::Void),
                ..DecisionAudit::default()
            };
            self.write_decision(tx, context, caller, &row, note);
            let why = Some("another call of the same action took its place");
            emit::denied(&self.catalog, self.stamp(context.now), tx, &row, why).await?;
        }
        Ok(())
    }

    /// Marks what nobody decided in time as expired, with its audit row and its event: each once, however many processes
    /// do this. Returns how many that were. A worker's task; until it comes by, a record whose time is over is shown as
    /// expired and can't be decided all the same.
    pub async fn expire_overdue(self: &Arc<Self>) -> Result<usize, ActionError> {
        let mut ended = 0;
        loop {
            let found = confirmations::overdue(&self.db, self.clock.now(), BATCH).await?;
            let before = ended;
            for (workspace, id) in &found {
                let (engine, id) = (self.clone(), *id);
                let done = self
                    .db
                    .write(*workspace, move |tx| Box::pin(async move { engine.expire(tx, id).await }))
                    .await;
                ended += usize::from(done?);
            }
            // Where another process was first, it is at the rest too.
            if found.len() < usize::try_from(BATCH).unwrap_or(0) || ended == before {
                return Ok(ended);
            }
        }
    }

    async fn expire(&self, tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
        let Some(row) = confirmations::lock(tx, id).await? else { return Ok(false) };
        let decider = DecisionMeta {
            surface: Surface::parse(&row.surface),
            request_id: row.request_id.clone(),
            trace_id: None,
            user_token: None,
        };
        let context = self.decision_info(&decider);
        let steps = history(&row, &context, "expired", None, None);
        let open = matches!(row.status.as_str(), "pending" | "awaiting_phrase");
        if !open || !confirmations::transition(tx, id, &ending(&row, &context, "expired", &steps)).await? {
            return Ok(false);
        }
        let claims: CallerClaims = serde_json::from_str(&row.requester)
            .map_err(|fault| StoreError::Inconsistent(format!("stored requester: {fault}")))?;
        let note = DecisionAudit {
            decision: "expired",
            reason: "expired",
            error: Some(ErrorCode::Expired),
            ..DecisionAudit::default()
        };
        self.write_decision(tx, &context, &requester(claims), &row, note);
        emit::expired(&self.catalog, self.stamp(context.now), tx, &row).await?;
        Ok(true)
    }
}

/// The step of a record that nobody decided.
fn ending<'s>(
    row: &'s ConfirmationRow,
    context: &CallContext,
    to: &'s str,
    history: &'s str,
) -> Transition<'s> {
    Transition {
        from: &row.status,
        to,
        now: context.now,
        by: None,
        reason: None,
        phrase_attempts: row.phrase_attempts,
        call_id: None,
        result: None,
        edited: None,
        history,
    }
}

/// Whom the row is about. Nobody acts when time runs out, so that nobody's role is asked.
fn requester(claims: CallerClaims) -> Caller {
    Caller {
        workspace: claims.workspace,
        principal: claims.principal,
        role: None,
        system_admin: claims.system_admin,
        caller_type: claims.caller_type,
        caller_name: None,
        scopes: claims.scopes,
        session: claims.session,
        mission: claims.mission,
        credential: claims.credential,
        provenance: claims.provenance,
    }
}
