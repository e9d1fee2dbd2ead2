//! A human says no.

use std::sync::Arc;

use futures_util::FutureExt;
use toolcrib_model::Id;
use toolcrib_store::{Standing, WriteTx, confirmations::Step, job};

use super::{
    ConfirmationView,
    decide::{Decider, closed, history, take},
};
use crate::{ActionError, Engine, Identity, claimant::Claimant, notify, stop::Stop};

impl Engine {
    /// Denies a confirmation; the reason goes back to whoever asked. Not a standing denial.
    pub async fn deny(
        self: &Arc<Self>,
        identity: &Identity,
        id: Id,
        reason: Option<String>,
        decider: Decider,
    ) -> Result<ConfirmationView, ActionError> {
        let types = &self.settings.caller_types;
        let claimant = Claimant::from_identity(&self.db, types, identity, false).await?;
        let (workspace, who) = (claimant.workspace, claimant.who());
        let engine = self.clone();
        let job = job(move |tx, standing| {
            async move { engine.deny_in(tx, &claimant, standing.as_ref(), id, reason.as_deref(), &decider).await }.boxed()
        });
        // On a task of its own: a client that goes away changes nothing.
        let (db, limit) = (self.db.clone(), self.write_limit(10));
        let task = tokio::spawn(async move { db.write_as(workspace, who, limit, job).await });
        match task.await {
            Ok(Ok(Ok(()))) => self.confirmation(identity, id).await,
            Ok(Ok(Err(error)) | Err(Stop::Early(error))) => Err(error),
            _ => Err(ActionError::internal("the decision's task stopped")),
        }
    }

    async fn deny_in(
        &self,
        tx: &mut WriteTx,
        claimant: &Claimant,
        standing: Option<&Standing>,
        id: Id,
        reason: Option<&str>,
        decider: &Decider,
    ) -> Result<Result<(), ActionError>, Stop> {
        let info = self.decision_info(decider);
        let (caller, policy) = claimant.caller(standing)?;
        let row = self.held(tx, &caller, id).await?;
        if let Err(error) = self.may_decide(&caller, &policy, &row) {
            self.write_decision(tx, &info, &caller, &row, ("denied", "deny", Some(error.code)));
            return Ok(Err(error));
        }
        if let Some(error) = closed(&row, info.now) {
            return Err(error.into());
        }
        let history = history(&row, info.now, "denied", caller.principal.id(), None);
        let step = Step {
            from: &row.status,
            to: "denied",
            now: info.now,
            by: caller.principal.user(),
            reason,
            phrase_attempts: row.phrase_attempts,
            call_id: None,
            result: None,
            arguments: None,
            history: &history,
        };
        take(tx, id, &step).await?;
        self.write_decision(tx, &info, &caller, &row, ("denied", "deny", None));
        notify::denied(&self.catalog, self.moment(info.now), tx, &row, reason).await?;
        Ok(Ok(()))
    }
}
