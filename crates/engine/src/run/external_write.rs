//! An external write: its gates, then the commit of its start row.

use std::sync::Arc;

use futures_util::FutureExt as _;
use toolcrib_model::AuditDecision;
use toolcrib_store::{AccessRow, WriteTx, within};

use crate::{
    base::CallContext,
    declared::started_calls::{self, StartedCall},
    gates::{early_exit::EarlyExit, limit::Cleared, parse::Parsed, run::Executed},
    response::CallResponse,
    run::Call,
};

impl Call {
    /// Runs a write that an upstream runs: its start row is durable before the request is sent.
    pub(crate) async fn external_write(mut self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let mut cleared = match self.pass_gates_in_read(parsed.clone()).await {
            Ok(cleared) if cleared.upstream_runner().is_some_and(|runner| runner.effect().is_some()) => {
                let target = self.engine.resolve_effect(&self.context, &cleared).await?;
                Arc::make_mut(&mut self.context).upstream_target = target;
                self.pass_gates_in_read(parsed).await?
            }
            // A person is asked about the target as the upstream knows it, so the gates run again with it.
            Err(EarlyExit::Confirm(request)) => {
                match self.engine.ask_before_confirmation(&self.context, &request).await? {
                    None => return Err(EarlyExit::Confirm(request)),
                    Some(target) => {
                        Arc::make_mut(&mut self.context).upstream_target = Some(target);
                        self.pass_gates_in_read(parsed).await?
                    }
                }
            }
            other => other?,
        };
        if let Some(already) = cleared.already().cloned() {
            return self.record(Executed::new(cleared, Ok(already))).await;
        }
        let opened = cleared.open_session(self.engine.gate_dependencies().runner_cx(&self.context)).await;
        opened.map_err(|no_session| no_session.exit(cleared.call()))?;
        let started = self.commit_start(cleared).await?;
        Ok(self.engine.finish_call(started).boxed().await)
    }

    /// Commits the start row. Nothing is sent if this fails.
    async fn commit_start(&self, cleared: Cleared) -> Result<StartedCall, EarlyExit> {
        let (mut tx, access) = self.begin_write().await?;
        let work = self.start_in(&mut tx, access.as_ref(), cleared);
        let started = within(self.engine.write_timeout(10), work).await?;
        tx.end(started).await
    }

    async fn start_in(
        &self,
        tx: &mut WriteTx,
        access: Option<&AccessRow>,
        mut cleared: Cleared,
    ) -> Result<StartedCall, EarlyExit> {
        self.claims.recheck_access(access, cleared.call())?;
        if let Err(error) = cleared.prepare_again(tx).await {
            return Err(cleared.call().refuse(error, AuditDecision::Invalid, "not_configured"));
        }
        // The secret may have changed since the session was opened. A new attempt opens another one.
        let taken = cleared.take_session(self.engine.gate_dependencies().runner_cx(&self.context));
        taken.map_err(|no_session| no_session.exit(cleared.call()))?;
        started_calls::start(self.engine.ids.as_ref(), CallContext::clone(&self.context), tx, cleared).await
    }
}
