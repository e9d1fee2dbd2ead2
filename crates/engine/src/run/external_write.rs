//! Lets a call out: its gates, and the commit with its start row.

use std::sync::Arc;

use futures_util::FutureExt as _;
use toolcrib_model::AuditDecision;
use toolcrib_store::{AccessRow, WriteTx, within};

use crate::{
    base::CallContext,
    declared::started_calls::{self, StartedCall},
    gates::{
        early_exit::{EarlyExit, Refusal},
        limit::WithinLimits,
        parse::Parsed,
    },
    response::CallResponse,
    run::Call,
};

impl Call {
    /// Runs a write that an upstream runs: its start row is durable before the request is sent.
    pub(crate) async fn external_write(mut self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let cleared = match self.clear_in_read(parsed.clone()).await {
            // A person is asked about the target as the upstream knows it, so the gates run again with it.
            Err(EarlyExit::Confirm(request)) => {
                self.engine.session_of_request(&self.context, &request).await?;
                match self.engine.target_of_request(&self.context, &request).await? {
                    None => Err(EarlyExit::Confirm(request)),
                    Some(target) => {
                        Arc::make_mut(&mut self.context).upstream_target = Some(target);
                        self.clear_in_read(parsed).await
                    }
                }
            }
            other => other,
        };
        let cleared = self.engine.in_session(&self.context, cleared?).await?;
        let started = self.let_out(cleared).await?;
        Ok(self.engine.finish_call(started).boxed().await)
    }

    /// Commits the start row. Nothing is sent if this fails.
    async fn let_out(&self, cleared: WithinLimits) -> Result<StartedCall, EarlyExit> {
        let (mut tx, access) = self.begin_write().await?;
        let work = self.let_out_in(&mut tx, access.as_ref(), cleared);
        let started = within(self.engine.write_limit(10), work).await?;
        tx.end(started).await
    }

    async fn let_out_in(
        &self,
        tx: &mut WriteTx,
        access: Option<&AccessRow>,
        cleared: WithinLimits,
    ) -> Result<StartedCall, EarlyExit> {
        self.claims.recheck_access(access, &cleared)?;
        let subject = cleared.action().subject().clone();
        let cleared = cleared.prepared_again(tx).await.map_err(|error| {
            let refusal = Refusal::not_run(error, AuditDecision::Invalid, "not_configured", subject);
            EarlyExit::Refused(Box::new(refusal))
        })?;
        // The secret may have changed since the session was opened. A new attempt opens another one.
        let action = cleared.action().clone();
        let cleared = cleared
            .in_open_session(&self.engine, &self.context)
            .map_err(|no_session| no_session.exit(&action))?;
        started_calls::start(self.engine.ids.as_ref(), CallContext::clone(&self.context), tx, cleared).await
    }
}
