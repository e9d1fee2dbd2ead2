//! What all decisions share: locking the record, authorizing the decider, and auditing refused attempts.

use std::sync::Arc;

use toolcrib_access::{Caller, Limits, Principal, WorkspacePolicy};
use toolcrib_model::{AuditDecision, ErrorCode, Id, Role, Ts};
use toolcrib_registry::ActionKind;
use toolcrib_store::{AccessRow, Tx, WriteTx, confirmations, confirmations::ConfirmationRow};

use super::decider::{DecisionMaker, DecisionMeta};
use crate::{
    base::{ActionError, CallContext},
    caller::people::{behind, role_may},
    catalog::Catalog,
    confirmations::{
        DecisionAudit, requester_of,
        transition::closed,
        view::{not_found, visible},
    },
    gates::early_exit::EarlyExit,
    pipeline::Engine,
};

/// A record that is locked for a decision, with its decider.
pub(super) struct LockedConfirmation {
    pub context: CallContext,
    pub caller: Caller,
    pub policy: WorkspacePolicy,
    pub row: ConfirmationRow,
    /// The catalogue of the workspace.
    pub catalog: Arc<Catalog>,
}

impl Engine {
    /// Locks the record until the transaction ends, if it is open and the decider may decide it. Otherwise
    /// audits the refusal and returns the inner error.
    pub(super) async fn lock_confirmation(
        &self,
        tx: &mut WriteTx,
        decider: &DecisionMaker,
        access: Option<&AccessRow>,
        id: Id,
        (meta, what): (&DecisionMeta, &'static str),
    ) -> Result<Result<LockedConfirmation, ActionError>, EarlyExit> {
        let row = confirmations::lock(tx, id).await?;
        // Read the time after the lock was acquired: the confirmation may have expired meanwhile.
        let context = CallContext { relayed_by: decider.relayed_by(), ..self.decision_context(meta) };
        let (caller, policy, refused) = decider.authorize(access)?;
        let Some(row) = row else { return Err(refused.unwrap_or_else(|| not_found(id)).into()) };
        let catalog = self.catalog_in(tx).await?;
        let judged = match refused {
            Some(error) => Err(error),
            None if !visible(&caller, &row) => Err(not_found(id)),
            None => self.judge_decider(tx, decider, (&caller, &policy, &catalog), &row, context.now).await?,
        };
        let refusal = judged.err().or_else(|| closed(&row, context.now));
        let Some(error) = refusal else {
            return Ok(Ok(LockedConfirmation { context, caller, policy, row, catalog }));
        };
        let decision_audit = DecisionAudit::new(AuditDecision::Denied, what, Some(error.code));
        self.records(&catalog).write_decision(tx, &context, &caller, &row, decision_audit);
        Ok(Err(error))
    }

    /// Returns the workspace's limits if the record is open and the decider may decide it.
    pub(super) async fn limits_of_decidable(
        &self,
        tx: &mut Tx,
        decider: &DecisionMaker,
        (access, row): (Option<&AccessRow>, &ConfirmationRow),
        context: &CallContext,
    ) -> Result<Option<Limits>, EarlyExit> {
        let (caller, policy, refused) = decider.authorize(access)?;
        if refused.is_some() || !visible(&caller, row) || closed(row, context.now).is_some() {
            return Ok(None);
        }
        let catalog = self.catalog_in(tx).await?;
        let may = self.judge_decider(tx, decider, (&caller, &policy, &catalog), row, context.now).await?;
        Ok(may.is_ok().then_some(policy.limits))
    }

    /// Returns why the decider may not decide the record.
    async fn judge_decider(
        &self,
        tx: &mut Tx,
        decider: &DecisionMaker,
        (caller, policy, catalog): (&Caller, &WorkspacePolicy, &Catalog),
        row: &ConfirmationRow,
        now: Ts,
    ) -> Result<Result<(), ActionError>, EarlyExit> {
        let people = if policy.four_eyes { behind(tx, &requester_of(row)?, now).await? } else { Vec::new() };
        let may = Self::may_decide(caller, (policy, catalog), row, &people);
        Ok(may.and_then(|()| decider.may_relay(row, policy)))
    }

    /// Checks that the decider is a user whose current role may run the action, and is the user for whom the
    /// call was made or an admin; under the four-eyes rule, nobody behind the call.
    fn may_decide(
        caller: &Caller,
        (policy, catalog): (&WorkspacePolicy, &Catalog),
        row: &ConfirmationRow,
        people: &[Id],
    ) -> Result<(), ActionError> {
        let refuse = |detail: &str| Err(ActionError::new(ErrorCode::PermissionDenied, detail));
        let Principal::User { user_id } = caller.principal else {
            return refuse("only a person with their own token can decide this; a key can't");
        };
        let own = row.requester_user_id == Some(user_id);
        if !own && caller.role < Some(Role::Admin) {
            return refuse("only the person on whose behalf the call was made, or an admin, may decide this");
        }
        if policy.four_eyes && people.contains(&user_id) {
            let detail = "with four eyes somebody else decides: you are behind this call, as its requester, as who \
                 made its key, or as who changed its arguments";
            return refuse(detail);
        }
        let meta = catalog.registry().get(&row.action);
        let allowed = meta.is_some_and(|meta| role_may(caller, &meta.spec, policy));
        if allowed {
            Ok(())
        } else {
            refuse("you can't approve this action because your own role may not run it")
        }
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
