//! Claims a started call. One claim wins, and only while the call is still allowed.
#![deny(missing_docs)]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, value::RawValue};
use toolcrib_access::Caller;
use toolcrib_auth::Authenticated;
use toolcrib_model::{ErrorCode, Id, OpenCallState, Outcome, Ts};
use toolcrib_store::{
    AccessRow, WriteTx,
    open_calls::{self, OpenCallRow},
    within,
};

use super::{
    caller::{is_own, not_found, run_by_caller},
    end::{CallOutcome, claims_of},
};
use crate::{
    base::{ActionError, CallContext},
    caller::check_key,
    catalog::Catalog,
    confirm::DecisionMeta,
    declared::client_calls::times_of,
    engine::Engine,
    gates::{access, early_exit::EarlyExit},
};

/// A call that the caller runs now.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ClaimedCall {
    /// Id of the call.
    pub call_id: Id,
    /// Name of the tool.
    pub action: String,
    /// Arguments to run the tool with, exactly.
    #[schemars(with = "serde_json::Map<String, Value>")]
    pub arguments: Box<RawValue>,
    /// Time by which the outcome must be reported.
    pub end_by: Ts,
}

impl Engine {
    /// Claims a call: by the principal that made it, or by its user. Reads role, policy and definition again; a call
    /// that is no longer allowed ends as `not_run`.
    pub async fn claim_call(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        id: Id,
        meta: DecisionMeta,
    ) -> Result<ClaimedCall, ActionError> {
        let (mut tx, caller) = self.begin_as(authenticated).await?;
        let claimed = within(self.write_timeout(10), self.claim_in(&mut tx, &caller, id, &meta)).await?;
        tx.end(claimed).await?
    }

    async fn claim_in(
        &self,
        tx: &mut WriteTx,
        caller: &Caller,
        id: Id,
        meta: &DecisionMeta,
    ) -> Result<Result<ClaimedCall, ActionError>, EarlyExit> {
        let row = open_calls::get(tx, id).await?.filter(|row| is_own(caller, row));
        let Some(row) = row else { return Err(not_found(id).into()) };
        run_by_caller(&row)?;
        let context = self.decision_context(meta);
        if let Some(error) = unclaimable(&row, context.now) {
            return Err(error.into());
        }
        let catalog = self.catalog_in(tx).await?;
        let seconds = match self.still_allowed(tx, &context, &catalog, &row).await {
            Ok(seconds) => seconds,
            Err(error) if error.code.status() >= 500 => return Err(error.into()),
            Err(error) => {
                let reason = if error.code == ErrorCode::Void { "changed" } else { "right_lost" };
                let outcome = CallOutcome::without_report(Outcome::NotRun, reason);
                self.end_call(tx, &context, &catalog, &row, outcome).await?;
                return Ok(Err(error));
            }
        };
        let end_by = context.now.plus_seconds(i64::from(seconds));
        if !open_calls::claim(tx, id, context.now, end_by).await? {
            return Err(already_claimed().into());
        }
        let arguments = RawValue::from_string(row.arguments.unwrap_or_default());
        let arguments = arguments.map_err(|error| ActionError::internal(error.to_string()))?;
        Ok(Ok(ClaimedCall { call_id: id, action: row.action, arguments, end_by }))
    }

    /// Repeats the access decision for the caller who made the call, with what the transaction reads. Returns the
    /// seconds in which the call must end.
    async fn still_allowed(
        &self,
        tx: &mut WriteTx,
        context: &CallContext,
        catalog: &Catalog,
        row: &OpenCallRow,
    ) -> Result<u32, ActionError> {
        let requester = claims_of(row)?;
        check_key(tx, &requester, context.now).await?;
        let access = AccessRow::read(tx, requester.actor_ids()).await?;
        let (caller, policy) = requester.caller(access.as_ref())?;
        let changed = || ActionError::new(ErrorCode::Void, "the tool was changed since the call was made");
        let meta = catalog.registry().get(&row.action).filter(|meta| meta.definition() == row.definition);
        let meta = meta.ok_or_else(changed)?;
        access::recheck(&caller, &meta.spec, &policy)?;
        times_of(catalog, &row.action).map(|times| times.run).ok_or_else(changed)
    }
}

/// Returns why a call can't be claimed by anybody.
fn unclaimable(row: &OpenCallRow, now: Ts) -> Option<ActionError> {
    match row.state {
        OpenCallState::Ready if row.claim_by.is_some_and(|end| end <= now.as_micros()) => Some(
            ActionError::new(ErrorCode::Expired, "the call was not claimed in time")
                .hint("make the call again"),
        ),
        OpenCallState::Ready => None,
        OpenCallState::Running => Some(already_claimed()),
        state => {
            let detail = format!("the call has ended: `{state}`");
            Some(
                ActionError::new(ErrorCode::Conflict, detail)
                    .hint("make the call again if it is still wanted"),
            )
        }
    }
}

fn already_claimed() -> ActionError {
    ActionError::new(ErrorCode::Conflict, "the call is claimed already")
        .hint("whoever claimed it runs it and reports the outcome; do not run it twice")
}
