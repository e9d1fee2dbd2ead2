//! What all decisions share: locking the record, authorizing the decider, and auditing refused attempts.

use std::sync::Arc;

use toolcrib_access::{Rule, decide};
use toolcrib_model::{AuditDecision, Id};
use toolcrib_store::{AccessRow, WriteTx, confirmations::ConfirmationRow};

use super::{
    authorize::AuthorizedDecider,
    decider::{Decider, DecisionMeta},
};
use crate::{
    base::{ActionError, CallContext},
    catalog::{CallerTools, Catalog, denial},
    confirm::{DecisionAudit, requester_of, view::not_found, write_decision},
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

impl LockedConfirmation<'_> {
    /// Returns the answer of gate 5 if that refuses the call because the workspace is read-only. An approval then
    /// leaves the record open, because the mode may end in time.
    pub fn read_only(&self) -> Option<ActionError> {
        let meta = self.catalog.registry().get(&self.row.action)?;
        let claims = requester_of(&self.row).ok()?;
        let (caller, policy) = claims.caller(self.requester.as_ref()).ok()?;
        let decision = decide(&caller, &meta.spec, &policy);
        if decision.reason != Some(Rule::ApprovalMode) {
            return None;
        }
        let tools = CallerTools::new(&self.catalog, &caller, &policy);
        let error = denial::denial(&tools, &meta.spec, &decision);
        let who = error.hint.clone().unwrap_or_default();
        Some(error.hint(format!("{who}; the confirmation stays open until it expires")))
    }
}

impl Engine {
    /// Returns the record, whose row the caller has locked, if it is open and the decider may decide it. Otherwise
    /// audits the refusal and returns the inner error.
    pub(crate) async fn check_decidable<'m>(
        &self,
        tx: &mut WriteTx,
        decider: &'m Decider,
        access: Option<&AccessRow>,
        id: Id,
        row: Option<ConfirmationRow>,
        meta: &DecisionMeta,
        what: &'static str,
    ) -> Result<Result<LockedConfirmation<'m>, ActionError>, EarlyExit> {
        // Read the time after the lock was acquired: the confirmation may have expired meanwhile.
        let context = CallContext { relayed_by: decider.relayed_by(), ..self.decision_context(meta) };
        let decider = decider.authorize(access)?;
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
        let checked = decider.authorize(tx, &catalog, &row, context.now).await?;
        let Some(error) = checked.refusal() else {
            return Ok(Ok(LockedConfirmation { context, decider, row, requester, catalog }));
        };
        let decision_audit = DecisionAudit::new(AuditDecision::Denied, what, Some(error.code));
        write_decision(&catalog, self.ids.as_ref(), tx, &context, &decider.caller, &row, decision_audit);
        Ok(Err(error))
    }

    pub(crate) fn decision_context(&self, meta: &DecisionMeta) -> CallContext {
        let context = self.system_context(meta.surface, meta.request_id.clone());
        CallContext { trace_id: meta.trace_id.clone(), ..context }
    }
}
