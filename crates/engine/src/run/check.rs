//! Checks of calls without running them.
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_registry::{ArgError, ConfirmationLevel, Level};
use toolcrib_store::Tx;

use crate::engine::Engine;
use crate::{
    base::{ActionError, CallContext, CallRequest},
    caller::{ClaimsWithAccess, unavailable},
    confirm::summary,
    gates::{
        self,
        access::permit,
        arguments::{Resolved, resolve},
        confirmation::level,
        lookup::{FoundCall, find_caller_and_action},
        session_grant,
    },
    limits::LimitRequest,
    response::SummaryLine,
};

/// Result of checking a call without running it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CheckView {
    /// Whether the call would run or wait for a confirmation.
    pub allowed: bool,
    /// Permission level of the action.
    pub permission_level: Level,
    /// Whether a person would have to confirm the call.
    pub requires_confirmation: bool,
    /// Level of the confirmation.
    pub confirmation_level: ConfirmationLevel,
    /// `auto` if the call would run at once, `session` if a session grant allows it.
    pub granted_by: Option<String>,
    /// Reason why it is not allowed.
    pub reason: Option<String>,
    /// Warning that a person would read first.
    pub warning: Option<String>,
    /// Parameters, as people would read them.
    pub summary: Vec<SummaryLine>,
    /// Calls of the same class that the caller may make now; absent if the limiter is unavailable.
    pub limit_remaining: Option<u32>,
    /// Problems of the arguments. Empty if the caller may not call the action, because the arguments are not
    /// checked then.
    pub errors: Vec<ArgError>,
}

impl Engine {
    /// Runs gates 2 to 6 and evaluates gates 8 and 9. Runs no action. Counts only as one list request of the
    /// principal.
    pub async fn check(&self, request: &CallRequest) -> Result<CheckView, ActionError> {
        let mut context = self.context(request);
        // A check is never a repeated call.
        (context.idempotency_key, context.tool_call) = (None, None);
        let parsed = gates::parse::of_request(request)?;
        let claims = self.claims(&request.authenticated).await?;
        let (mut tx, access) =
            self.db.begin_read_as(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        let claimed = ClaimsWithAccess { claims: &claims, access: access.as_ref(), is_read: false };
        let dependencies = self.gate_dependencies();
        let found = find_caller_and_action(dependencies, &context, &mut tx, parsed, claimed).await;
        let checked = match found {
            Ok(call) => self.check_call(&context, &mut tx, call).await,
            Err(exit) => Err(ActionError::from(exit)),
        };
        tx.end().await?;
        checked
    }

    async fn check_call(
        &self,
        context: &CallContext,
        tx: &mut Tx,
        call: FoundCall,
    ) -> Result<CheckView, ActionError> {
        self.spend_list(&call.facts().caller.principal).await?;
        let mut view = CheckView::of(&call);
        let permitted = match permit(call.clone()) {
            Ok(permitted) => permitted,
            Err(exit) => {
                view.reason = Some(ActionError::from(exit).detail);
                return Ok(view);
            }
        };
        view.limit_remaining = self.remaining(&call).await;
        match resolve(self.gate_dependencies(), context, tx, permitted).await {
            Ok(resolved) => {
                let call = resolved.call();
                let level = level(call.spec(), call.policy(), &call.facts().arguments);
                let granted = session_grant::passes(self.grants.as_ref(), tx, context.now, call, level).await;
                view.resolved(&resolved, level, granted);
            }
            Err(exit) => view.invalid(ActionError::from(exit))?,
        }
        Ok(view)
    }

    async fn remaining(&self, call: &FoundCall) -> Option<u32> {
        let class = call.spec().limit_class;
        let request = LimitRequest::of_caller(&call.facts().caller, class, &call.policy().limits);
        self.limiter.peek(request).await.ok().map(|state| state.remaining)
    }
}

impl CheckView {
    /// Makes a view that is denied until the gates permit the call.
    fn of(call: &FoundCall) -> Self {
        let confirmation_level = level(call.spec(), call.policy(), &Value::Null);
        Self {
            allowed: false,
            permission_level: call.spec().level,
            requires_confirmation: confirmation_level != ConfirmationLevel::None,
            confirmation_level,
            granted_by: None,
            reason: None,
            warning: call.spec().warning.as_deref().map(str::to_owned),
            summary: Vec::new(),
            limit_remaining: None,
            errors: Vec::new(),
        }
    }

    fn resolved(&mut self, resolved: &Resolved, level: ConfirmationLevel, granted: bool) {
        let call = resolved.call();
        self.allowed = true;
        self.confirmation_level = level;
        self.requires_confirmation = level != ConfirmationLevel::None && !granted;
        let by = if granted { "session" } else { "auto" };
        self.granted_by = (!self.requires_confirmation).then(|| by.to_owned());
        self.summary = summary::of(call.meta(), &call.facts().arguments, resolved.target()).lines;
    }

    fn invalid(&mut self, error: ActionError) -> Result<(), ActionError> {
        if error.code.status() >= 500 {
            return Err(error);
        }
        self.errors = if error.errors.is_empty() {
            vec![ArgError::new("", error.code.as_str(), error.detail.clone())]
        } else {
            error.errors
        };
        self.reason = Some(error.detail);
        Ok(())
    }
}
