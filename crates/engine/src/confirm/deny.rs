//! A human says no.

use std::sync::Arc;

use futures_util::FutureExt;
use toolcrib_model::Id;
use toolcrib_store::{Standing, WriteTx, confirmations::Step, job};

use super::{
    ConfirmationView,
    decide::{Held, Note, history, take},
    decider::{Decider, Sender},
};
use crate::{ActionError, Engine, Identity, notify, stop::Stop};

impl Engine {
    /// Denies a confirmation; the reason goes back to whoever asked. Not a standing denial.
    pub async fn deny(
        self: &Arc<Self>,
        identity: &Identity,
        id: Id,
        reason: Option<String>,
        decider: Decider,
    ) -> Result<ConfirmationView, ActionError> {
        let sender = Sender::of(self, identity, &decider).await?;
        let (workspace, who) = sender.asks();
        let engine = self.clone();
        let job = job(move |tx, standing| {
            async move { engine.deny_in(tx, &sender, standing.as_ref(), id, reason.as_deref(), &decider).await }
                .boxed()
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
        sender: &Sender,
        standing: Option<&Standing>,
        id: Id,
        reason: Option<&str>,
        decider: &Decider,
    ) -> Result<Result<(), ActionError>, Stop> {
        let Held { info, caller, row, .. } =
            match self.hold(tx, sender, standing, id, (decider, "deny")).await? {
                Ok(held) => held,
                Err(error) => return Ok(Err(error)),
            };
        let history = history(&row, &info, "denied", Some(caller.principal.id()), None);
        let step = Step {
            from: &row.status,
            to: "denied",
            now: info.now,
            by: caller.principal.user(),
            reason,
            phrase_attempts: row.phrase_attempts,
            call_id: None,
            result: None,
            edited: None,
            history: &history,
        };
        take(tx, id, &step).await?;
        let note = Note { decision: "denied", reason: "deny", ..Note::default() };
        self.write_decision(tx, &info, &caller, &row, note);
        notify::denied(&self.catalog, self.moment(info.now), tx, &row, reason).await?;
        Ok(Ok(()))
    }
}
