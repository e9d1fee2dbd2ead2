//! The order of a call: parse, begin, gates 3 to 9, action, audit row, commit. Reads and external reads are here;
//! `write` and `external_write` have the order of writes.
//!
//! A call is attempted again when the data on which the gates decided has changed meanwhile. These are all the reasons:
//!
//! | exit | reason | how often |
//! |---|---|---|
//! | `Retry` | another process stored a response to the same idempotency key | three attempts |
//! | `Retry` | a toolset was changed, so that the tool is another kind, or its catalogue out of date | three attempts |
//! | `Retry` | the list or the secret of the MCP server changed after the gates | three attempts |
//! | `InProgress` | a call with this key was sent to an upstream | every 200 ms, for 10 s |
//!
//! A limit is spent once, in the first attempt that comes to gate 9.

mod approve;
mod assistant_calls;
mod call_log;
mod call_plan;
mod check;

mod external_write;
mod non_member;
mod respond;
mod restored;
mod write;

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use futures_util::FutureExt as _;
use toolcrib_model::Via;
use toolcrib_registry::Dispatcher;
use toolcrib_store::{AccessRow, StoreError, Tx, WriteTx};
use tracing::Instrument as _;

use crate::engine::{Engine, KeyGuard};
use crate::{
    audit,
    base::{ActionError, CallContext, CallRequest},
    caller::{CallerClaims, ClaimsWithAccess, unavailable},
    declared::{client_calls, started_calls},
    events::emit,
    gates::{
        self, CallKind,
        early_exit::{EarlyExit, in_progress},
        limit::Cleared,
        parse::Parsed,
    },
    limits::LimitState,
    response::{self, CallResponse},
};

pub use approve::{ApproveRequest, Approved, PhraseRequired};
pub use assistant_calls::PlannedCall;
pub use check::CheckView;
pub use restored::EndedWork;

/// How often a call is attempted.
const ATTEMPTS: usize = 3;
/// How long a duplicate waits for a call that an upstream runs.
const IN_PROGRESS_WAIT: Duration = Duration::from_secs(10);
/// The interval of these polls.
const IN_PROGRESS_POLL: Duration = Duration::from_millis(200);

impl Engine {
    /// Passes a call through all gates. The call runs in its own task, so that it completes even if the
    /// client disconnects. The futures are boxed here and below, because a task as large as the largest of
    /// them would be copied for each call.
    pub async fn call(self: &Arc<Self>, request: CallRequest) -> CallResponse {
        let context = Arc::new(self.context(&request));
        let (engine, request_id) = (self.clone(), context.request_id.clone());
        let dispatched = Dispatcher::parse(&request.name).is_some();
        let named = if dispatched { Via::Dispatcher } else { Via::Direct };
        let call = async move {
            let response = engine.run_or_retry(&context, request).await;
            call_log::call(engine.catalog(), &context, named, &response);
            response
        };
        let task = tokio::spawn(call.instrument(crate::base::call::span()));
        task.await.unwrap_or_else(|_| {
            response::failed(&ActionError::internal("the call's task panicked"), &request_id)
        })
    }

    async fn run_or_retry(
        self: &Arc<Self>,
        context: &Arc<CallContext>,
        request: CallRequest,
    ) -> CallResponse {
        let (mut attempts, spent) = (0, Arc::default());
        while attempts < ATTEMPTS {
            match self.attempt(context, &request, attempts == 0, &spent).await {
                Ok(response) => return response,
                Err(EarlyExit::Retry) => attempts += 1,
                Err(EarlyExit::InProgress) if context.started.elapsed() < IN_PROGRESS_WAIT => {
                    tokio::time::sleep(IN_PROGRESS_POLL).await;
                }
                Err(exit) => return self.respond_early(context, exit).boxed().await,
            }
        }
        self.respond_early(context, EarlyExit::InProgress).boxed().await
    }

    async fn attempt(
        self: &Arc<Self>,
        context: &Arc<CallContext>,
        request: &CallRequest,
        is_first: bool,
        spent: &Arc<OnceLock<LimitState>>,
    ) -> Result<CallResponse, EarlyExit> {
        let parsed = gates::parse::of_request(request)?;
        let exact = self.exact_plan(context, &parsed);
        let workspace_optional = exact.as_ref().is_some_and(|exact| exact.workspace_optional);
        let types = &self.settings.caller_types;
        let claims =
            CallerClaims::resolve(&self.db, types, &request.authenticated, workspace_optional).await?;
        let claims = Arc::new(claims);
        let plan = match exact {
            Some(exact) => exact,
            None => self.plan_of(context, &claims, &parsed, is_first).boxed().await?,
        };
        // Also until a confirmation is recorded, so that the next call with this key finds it.
        let _key_guard = match plan.kind {
            CallKind::Read | CallKind::External => None,
            CallKind::Write | CallKind::ExternalWrite => self.lock_key(context, &claims, &parsed).await?,
        };
        let call = Call {
            engine: self.clone(),
            context: context.clone(),
            claims: claims.clone(),
            spent: spent.clone(),
            kind: plan.kind,
            timeout: self.write_timeout(plan.seconds),
        };
        match call.run(parsed).await {
            Err(EarlyExit::Confirm(request)) => self.request_confirmation(context, *request).boxed().await,
            Err(EarlyExit::Failed(error)) => {
                self.audit_non_member(context, request, &claims, &error).boxed().await;
                Err(EarlyExit::Failed(error))
            }
            ended => ended,
        }
    }

    /// Locks the idempotency key of the call, if it has one.
    async fn lock_key(
        &self,
        context: &CallContext,
        claims: &CallerClaims,
        parsed: &Parsed,
    ) -> Result<Option<KeyGuard>, EarlyExit> {
        let session = claims.session.as_deref();
        let Some(key) = gates::idempotency::key_text(context, session, || parsed.name()) else {
            return Ok(None);
        };
        match self.key_locks.lock(claims.workspace, claims.principal.key(), key).await {
            Some(guard) => Ok(Some(guard)),
            None => Err(in_progress().into()),
        }
    }
}

/// A call whose caller is known.
pub(crate) struct Call {
    pub engine: Arc<Engine>,
    pub context: Arc<CallContext>,
    pub claims: Arc<CallerClaims>,
    pub kind: CallKind,
    /// The bucket that an attempt of the call counted against.
    pub spent: Arc<OnceLock<LimitState>>,
    /// The timeout of a write's gates, and that of its action.
    pub timeout: Duration,
}

impl Call {
    async fn run(self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        match self.kind {
            CallKind::Read => self.read(parsed).boxed().await,
            CallKind::External => self.external(parsed).boxed().await,
            CallKind::ExternalWrite => self.external_write(parsed).boxed().await,
            CallKind::Write => {
                let engine = self.engine.clone();
                engine.db.run_write(self.write(parsed).in_current_span()).boxed().await
            }
        }
    }

    /// Runs gates 3 to 9 in a transaction of this kind.
    async fn pass_gates(
        &self,
        parsed: Parsed,
        tx: &mut Tx,
        access: Option<&AccessRow>,
    ) -> Result<Cleared, EarlyExit> {
        let claimed = ClaimsWithAccess { claims: &self.claims, access, is_read: self.kind == CallKind::Read };
        let (dependencies, spent) = (self.engine.gate_dependencies(), &self.spent);
        gates::run_gates(dependencies, &self.context, self.kind, tx, parsed, claimed, spent).await
    }

    /// Runs gates 3 to 9 in a read, which ends before the call runs.
    async fn pass_gates_in_read(&self, parsed: Parsed) -> Result<Cleared, EarlyExit> {
        let (mut tx, access) = self.begin_read().await?;
        let cleared = self.pass_gates(parsed, &mut tx, access.as_ref()).await;
        tx.end().await?;
        cleared
    }

    async fn begin_read(&self) -> Result<(Tx, Option<AccessRow>), EarlyExit> {
        let (workspace, actor) = (self.claims.workspace, self.claims.actor_ids());
        Ok(self.engine.db.begin_read_as(workspace, actor).await.map_err(unavailable)?)
    }

    async fn begin_write(&self) -> Result<(WriteTx, Option<AccessRow>), StoreError> {
        self.engine.db.begin_write_as(self.claims.workspace, self.claims.actor_ids()).await
    }

    /// Runs a read: gates and action in one transaction that can't write.
    async fn read(self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let (mut tx, access) = self.begin_read().await?;
        let cleared = match self.pass_gates(parsed, &mut tx, access.as_ref()).await {
            Ok(cleared) if client_calls::client_times(cleared.call()).is_none() => cleared,
            other => {
                tx.end().await?;
                return self.hand_out(&other?).await;
            }
        };
        let ran = gates::run::read(self.engine.gate_dependencies(), &self.context, &mut tx, cleared).await;
        tx.end().await?;
        self.record(ran).await
    }

    /// Runs a read of another service, outside of a transaction.
    async fn external(self, parsed: Parsed) -> Result<CallResponse, EarlyExit> {
        let mut cleared = self.pass_gates_in_read(parsed).await?;
        let dependencies = self.engine.gate_dependencies();
        let opened = cleared.open_session(dependencies.runner_cx(&self.context)).await;
        opened.map_err(|no_session| no_session.exit(cleared.call()))?;
        let ran = gates::run::external(dependencies, &self.context, cleared).await;
        self.record(ran).await
    }

    /// Commits the audit row of a call that wrote nothing, before its response is sent.
    async fn record(&self, ran: gates::run::Executed) -> Result<CallResponse, EarlyExit> {
        let (engine, context) = (&self.engine, &self.context);
        let mut row = audit::row(context, ran.call().facts(), ran.audit_outcome(context));
        if let Some(executor) = ran.executor() {
            row = started_calls::of_executor(row, ran.call(), executor);
        }
        let emitted = emit::ran(engine.ids.as_ref(), context, ran.call().facts(), ran.outcome().is_ok());
        engine.db.audit_with_events(vec![row], emitted).await.map_err(response::audit_unavailable)?;
        Ok(gates::run::response_of(context, ran))
    }

    /// Hands a read out to the caller, who runs it.
    async fn hand_out(&self, cleared: &Cleared) -> Result<CallResponse, EarlyExit> {
        let (engine, context) = (&self.engine, &self.context);
        let (response, row) = client_calls::hand_out(context, cleared);
        let emitted = emit::to_run(engine.ids.as_ref(), context, cleared.call().facts(), None);
        engine.db.audit_with_events(vec![row], emitted).await.map_err(response::audit_unavailable)?;
        Ok(response)
    }
}
