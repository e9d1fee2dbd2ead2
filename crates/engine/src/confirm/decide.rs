//! What all decisions share: locking the record, authorizing the decider, and auditing refused attempts.

use std::sync::Arc;

use toolcrib_model::{AuditDecision, Id, Surface};
use toolcrib_registry::ActionKind;
use toolcrib_store::{AccessRow, WriteTx, confirmations::ConfirmationRow};

use super::{
    decider::{Decider, DecisionMeta},
    judge::AuthorizedDecider,
};
use crate::{
    base::{ActionError, CallContext},
    catalog::Catalog,
    confirm::{DecisionAudit, requester_of, view::not_found},
    engine::Engine,
    gates::early_exit::EarlyExit,
};

/// A record that is locked for a decision, with its decider.
pub(crate) struct LockedConfirmation<'m> {
    pub context: CallContext,
    pub decider: AuthorizedDecider<'m>,
    pub row: ConfirmationRow,
    pub requester: Option<AccessRow>,
    /// The catalogue of the workspace.
    pub catalog: Arc<Catalog>,
}

impl Engine {
    /// Returns the record, whose row the caller has locked, if it is open and the decider may decide it. Otherwise
    /// audits the refusal and returns the inner error.
    pub(crate) async fn check_decidable<'m>(
        &self,
        tx: &mut WriteTx,
        decider: &'m Decider,
        access: Option<&AccessRow>,
        (id, row): (Id, Option<ConfirmationRow>),
        (meta, what): (&DecisionMeta, &'static str),
    ) -> Result<Result<LockedConfirmation<'m>, ActionError>, EarlyExit> {
        // Read the time after the lock was acquired: the confirmation may have expired meanwhile.
        let context = CallContext { relayed_by: decider.relayed_by(), ..self.decision_context(meta) };
        let decider = AuthorizedDecider::of(decider, access)?;
        let Some(row) = row else { return Err(decider.refused.unwrap_or_else(|| not_found(id)).into()) };
        // The toolset may have changed meanwhile too. This reads the rights with which the call runs.
        let requester = match requester_of(&row) {
            Ok(claims) => AccessRow::read(tx, claims.actor_ids()).await?,
            Err(_) => None,
        };
        let catalog = match &requester {
            Some(access) => self.catalog_of(tx, access.toolset_version).await?,
            None => self.catalog_in(tx).await?,
        };
        let judged = decider.authorize(tx, &catalog, &row, context.now).await?;
        let Some(error) = judged.refusal() else {
            return Ok(Ok(LockedConfirmation { context, decider, row, requester, catalog }));
        };
        let decision_audit = DecisionAudit::new(AuditDecision::Denied, what, Some(error.code));
        self.records(&catalog).write_decision(tx, &context, &decider.caller, &row, decision_audit);
        Ok(Err(error))
    }

    /// Returns the context of what this service does by itself.
    pub(crate) fn system_context(&self, surface: Surface, request_id: String) -> CallContext {
        self.decision_context(&DecisionMeta { surface, request_id, trace_id: None, user_token: None })
    }

    pub(crate) fn decision_context(&self, meta: &DecisionMeta) -> CallContext {
        let now = self.clock.now();
        CallContext {
            call_id: self.ids.new_id(now),
            now,
            started: tokio::time::Instant::now(),
            surface: meta.surface,
            // Operations never need a confirmation.
            offers: ActionKind::Tool,
            idempotency_key: None,
            tool_call: None,
            request_id: meta.request_id.clone(),
            trace_id: meta.trace_id.clone(),
            names_mission: false,
            confirmation: None,
            upstream_target: None,
            relayed_by: None,
        }
    }
}
