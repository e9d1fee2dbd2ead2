//! Calls that write nothing: reads in a read-only transaction, and external calls without one.

use futures_util::FutureExt as _;

use super::Engine;
use crate::{
    audit,
    base::CallContext,
    caller::{CallerClaims, unavailable},
    client_calls,
    events::emit,
    gates::{self, CallKind, early_exit::EarlyExit, limit::WithinLimits, parse::Parsed},
    response::{self, CallResponse},
    started_calls,
};

/// How a read ends.
enum ReadEnd {
    Ran(Box<gates::run::Executed>),
    /// The caller runs it.
    HandedOut(Box<WithinLimits>),
}

impl Engine {
    /// Runs gates 3 to 11 of a read.
    pub(super) async fn read(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        parsed: Parsed,
    ) -> Result<CallResponse, EarlyExit> {
        let (mut tx, access) =
            self.db.read_with_access(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        let admitted =
            gates::membership::authorize_reader(parsed, claims, access.as_ref(), &mut tx).boxed().await;
        let ran = match admitted {
            Ok(admitted) => {
                match gates::run_gates(self.gate_dependencies(), context, CallKind::Read, &mut tx, admitted)
                    .await
                {
                    Ok(cleared) if client_calls::client_times(cleared.action()).is_some() => {
                        Ok(ReadEnd::HandedOut(Box::new(cleared)))
                    }
                    Ok(cleared) => {
                        let ran = gates::run::read(self.gate_dependencies(), context, &mut tx, cleared).await;
                        Ok(ReadEnd::Ran(Box::new(ran)))
                    }
                    Err(exit) => Err(exit),
                }
            }
            Err(error) => Err(EarlyExit::Unaudited(error)),
        };
        tx.end().await?;
        match ran? {
            ReadEnd::Ran(ran) => self.record(context, *ran).await,
            ReadEnd::HandedOut(cleared) => self.hand_out(context, &cleared).await,
        }
    }

    /// Hands a read out to the caller, who runs it. Its audit row is committed before the response is sent.
    async fn hand_out(
        &self,
        context: &CallContext,
        cleared: &WithinLimits,
    ) -> Result<CallResponse, EarlyExit> {
        let (answer, row) = client_calls::hand_out(context, cleared);
        let emitted = emit::to_run(self.ids.as_ref(), context, cleared.action().subject(), None);
        self.db.audit_with_events(vec![row], emitted).await.map_err(response::audit_unavailable)?;
        Ok(answer)
    }

    /// Runs gates 3 to 11 of an external call. Its transaction ends before gate 10.
    pub(super) async fn external(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        parsed: Parsed,
    ) -> Result<CallResponse, EarlyExit> {
        let (mut tx, access) =
            self.db.read_with_access(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        let cleared = match gates::membership::authorize_member(parsed, claims, access.as_ref()) {
            Ok(admitted) => {
                gates::run_gates(self.gate_dependencies(), context, CallKind::External, &mut tx, admitted)
                    .await
            }
            Err(error) => Err(EarlyExit::Unaudited(error)),
        };
        tx.end().await?;
        let cleared = self.in_session(context, cleared?).await?;
        let ran = gates::run::external(self.gate_dependencies(), context, cleared).await;
        self.record(context, ran).await
    }

    /// Runs gate 11 of a read: commits its audit row before the response is sent.
    async fn record(
        &self,
        context: &CallContext,
        ran: gates::run::Executed,
    ) -> Result<CallResponse, EarlyExit> {
        let mut row = audit::row(context, ran.action().subject(), ran.audit_outcome(context));
        if let Some(executor) = ran.executor() {
            row = started_calls::of_executor(row, ran.action(), executor);
        }
        let emitted = emit::ran(self.ids.as_ref(), context, ran.action().subject(), ran.outcome().is_ok());
        self.db.audit_with_events(vec![row], emitted).await.map_err(response::audit_unavailable)?;
        Ok(gates::run::response_of(context, ran))
    }
}
