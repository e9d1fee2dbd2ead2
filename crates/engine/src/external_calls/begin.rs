//! Lets a call out: its gates, and the commit with its start row.

use std::sync::Arc;

use futures_util::FutureExt as _;
use toolcrib_model::AuditDecision;
use toolcrib_store::{AccessRow, WriteTx, within};

use crate::{
    base::CallContext,
    caller::{CallerClaims, unavailable},
    gates::{
        self, CallKind,
        early_exit::{EarlyExit, Refusal},
        limit::WithinLimits,
        parse::Parsed,
    },
    pipeline::Engine,
    response::CallResponse,
    started_calls::{self, StartedCall},
};

impl Engine {
    /// Runs a write that an upstream runs.
    pub(crate) async fn external_write(
        self: &Arc<Self>,
        mut context: CallContext,
        claims: CallerClaims,
        parsed: Parsed,
    ) -> Result<CallResponse, EarlyExit> {
        let cleared = match self.clear(&context, &claims, parsed.clone()).await {
            // A person is asked about the target as the upstream knows it, so the gates run again with it.
            Err(EarlyExit::Confirm(request)) => {
                self.session_of_request(&context, &request).await?;
                match self.target_of_request(&context, &request).await? {
                    None => Err(EarlyExit::Confirm(request)),
                    Some(target) => {
                        context.upstream_target = Some(target);
                        self.clear(&context, &claims, parsed).await
                    }
                }
            }
            other => other,
        };
        let cleared = self.in_session(&context, cleared?).await?;
        let started = self.let_out(context, claims, cleared).await?;
        Ok(self.finish_call(started).boxed().await)
    }

    /// Runs gates 3 to 9 in a read.
    async fn clear(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        parsed: Parsed,
    ) -> Result<WithinLimits, EarlyExit> {
        let (mut tx, access) =
            self.db.read_with_access(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        let cleared = match gates::membership::authorize_member(parsed, claims, access.as_ref()) {
            Ok(admitted) => {
                let dependencies = self.gate_dependencies();
                gates::run_gates(dependencies, context, CallKind::ExternalWrite, &mut tx, admitted).await
            }
            Err(error) => Err(EarlyExit::Unaudited(error)),
        };
        tx.end().await?;
        cleared
    }

    /// Commits the start row. Nothing is sent if this fails.
    async fn let_out(
        &self,
        context: CallContext,
        claims: CallerClaims,
        cleared: WithinLimits,
    ) -> Result<StartedCall, EarlyExit> {
        let (mut tx, access) = self.db.begin_write_as(claims.workspace, claims.actor_ids()).await?;
        let work = self.let_out_in(&mut tx, access.as_ref(), &claims, (context, cleared));
        let started = within(self.write_limit(10), work).await?;
        tx.end(started).await
    }

    async fn let_out_in(
        &self,
        tx: &mut WriteTx,
        access: Option<&AccessRow>,
        claims: &CallerClaims,
        (context, cleared): (CallContext, WithinLimits),
    ) -> Result<StartedCall, EarlyExit> {
        claims.recheck_access(access, &cleared)?;
        let subject = cleared.action().subject().clone();
        let cleared = cleared.prepared_again(tx).await.map_err(|error| {
            let refusal = Refusal::not_run(error, AuditDecision::Invalid, "not_configured", subject);
            EarlyExit::Refused(Box::new(refusal))
        })?;
        // The secret may have changed since the session was opened. A new attempt opens another one.
        let action = cleared.action().clone();
        let cleared =
            cleared.in_open_session(self, &context).map_err(|no_session| no_session.exit(&action))?;
        started_calls::start(self.ids.as_ref(), context, tx, cleared).await
    }
}
