//! The gates. A call that breaks several gets the answer of the first, which a test checks for each pair of neighbours.
//!
//! | gate | what it decides | function |
//! |---|---|---|
//! | 1 | the credential | the crate `auth`: [`toolcrib_auth::Authenticated`] |
//! | 2 | name and arguments are well-formed | [`parse::of_request`], [`parse::of_confirmation`] |
//! | 3 | the caller is a member | [`membership::authorize`] |
//! | 4 | the action exists | [`lookup::find_action`] |
//! | 5 | the caller may call the action | [`access::permit`] |
//! | 6 | the arguments fit the schema, and name things that exist | [`arguments::resolve`], before and after gate 7 |
//! | 7 | the idempotency key is new | [`idempotency::check`] |
//! | 8 | a person is not needed, or has approved | [`confirmation::check`] |
//! | 9 | the rate limits of the workspace | [`limit::pass`] |
//! | 10 | the action runs | [`run`] |
//! | 11 | the audit row | `audit` |
//!
//! Four types are the evidence that a call passed some of them: [`parse::Parsed`] (gate 2), [`access::Permitted`] (3 to
//! 5), [`arguments::Resolved`] (6 and 7) and [`limit::Cleared`] (8 and 9). [`lookup::find_caller_and_action`] makes a
//! [`lookup::FoundCall`] of `Parsed`, and `Permitted` is made of that; each of the others is made of the one before it.
//! So code that skips a step does not compile.

pub mod access;
pub mod arguments;
pub mod confirmation;
pub mod dispatch;
pub mod early_exit;
pub mod idempotency;
pub mod limit;
pub mod lookup;
pub mod membership;
pub mod parse;
pub mod repair;
pub mod run;
pub mod session_grant;

use std::sync::OnceLock;

use toolcrib_connectors::upstream::UpstreamClient;
use toolcrib_model::{AuditDecision, ErrorCode, IdGen};
use toolcrib_registry::{Level, Spec};
use toolcrib_store::{Db, Tx};

use crate::{
    base::{ActionError, CallContext},
    caller::ClaimsWithAccess,
    catalog::{mcp_sessions::McpSessions, workspace_catalogs::WorkspaceCatalogs},
    grants::Grants,
    limits::{LimitState, Limiter},
    upstream_requests::RunnerCx,
};
use early_exit::EarlyExit;
use limit::Cleared;
use lookup::FoundCall;
use parse::Parsed;

/// The parts of the engine that the gates use.
#[derive(Clone, Copy)]
pub struct GateDependencies<'e> {
    pub db: &'e Db,
    pub catalogs: &'e WorkspaceCatalogs,
    pub ids: &'e dyn IdGen,
    pub limiter: &'e dyn Limiter,
    pub grants: &'e dyn Grants,
    pub upstream_client: &'e UpstreamClient,
    pub mcp_sessions: &'e McpSessions,
}

impl<'e> GateDependencies<'e> {
    pub fn runner_cx<'c>(&self, context: &'c CallContext) -> RunnerCx<'c>
    where
        'e: 'c,
    {
        RunnerCx {
            db: self.db,
            client: self.upstream_client,
            sessions: self.mcp_sessions,
            call_id: context.call_id,
            trace_id: context.trace_id.as_deref(),
            now: context.now,
        }
    }
}

/// How a call is executed. Known before its transaction begins, because each kind has its own sort of transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// In a transaction that can't write.
    Read,
    /// In a transaction that writes.
    Write,
    /// Outside of a transaction.
    External,
    /// By an upstream, between two transactions that write.
    ExternalWrite,
}

impl CallKind {
    /// Returns how calls of an action are executed.
    pub fn of(spec: &Spec) -> Self {
        match (spec.external, spec.level) {
            (true, Level::Read) => Self::External,
            (true, _) => Self::ExternalWrite,
            (false, Level::Read) => Self::Read,
            (false, _) => Self::Write,
        }
    }
}

/// Runs gates 3 to 9 in `tx`, which was begun for calls of this kind. `spent` is the bucket that an earlier attempt of
/// the call counted against.
pub async fn run_gates(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    kind: CallKind,
    tx: &mut Tx,
    parsed: Parsed,
    claimed: ClaimsWithAccess<'_>,
    spent: &OnceLock<LimitState>,
) -> Result<Cleared, EarlyExit> {
    let call = lookup::find_caller_and_action(dependencies, context, tx, parsed, claimed).await?;
    check_kind(kind, context, &call)?;
    let permitted = access::permit(call)?;
    let resolved = arguments::resolve(dependencies, context, tx, permitted).await?;
    limit::pass(dependencies, context, tx, resolved, spent).await
}

/// Refuses a call whose action was changed to another kind since the transaction was chosen: a new attempt chooses
/// again, and a confirmation is void.
fn check_kind(kind: CallKind, context: &CallContext, call: &FoundCall) -> Result<(), EarlyExit> {
    if CallKind::of(call.spec()) == kind {
        return Ok(());
    }
    if context.confirmation.is_none() {
        return Err(EarlyExit::Retry);
    }
    let error = ActionError::new(ErrorCode::Void, "the tool was changed since the call was made");
    Err(call.refuse(error, AuditDecision::Invalid, "changed"))
}
