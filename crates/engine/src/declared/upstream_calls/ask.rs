//! What an upstream is asked before a person is asked about a call: the session of the call, and its target.

use toolcrib_access::Limits;
use toolcrib_model::{AuditDecision, Id};
use toolcrib_registry::LimitClass;

use crate::{
    base::{ActionError, CallContext, UpstreamTarget},
    engine::Engine,
    gates::{confirmation::ConfirmationRequest, early_exit::EarlyExit, limit::Cleared, lookup::FoundCall},
    limits::of_workspace,
    upstream_requests::Runner,
};

impl Engine {
    /// Opens the session of a call that a person will be asked about. Returns its target; `None` if it has none there.
    pub(crate) async fn ask_before_confirmation(
        &self,
        context: &CallContext,
        request: &ConfirmationRequest,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let (Some(runner), call) = (request.runner(), request.call()) else { return Ok(None) };
        let opened = runner.clone().open_session(self.gate_dependencies().runner_cx(context)).await;
        opened.map_err(|no_session| no_session.exit(call))?;
        self.target_of(context, call, runner.as_ref()).await
    }

    /// Resolves an effect about which nobody is asked.
    pub(crate) async fn resolve_effect(
        &self,
        context: &CallContext,
        cleared: &Cleared,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let (Some(runner), call) = (cleared.runner(), cleared.call()) else { return Ok(None) };
        self.target_of(context, call, runner.as_ref()).await
    }

    /// Looks up the target of a call, and refuses the call if that fails.
    async fn target_of(
        &self,
        context: &CallContext,
        call: &FoundCall,
        runner: &dyn Runner,
    ) -> Result<Option<UpstreamTarget>, EarlyExit> {
        let (workspace, limits) = (call.facts().caller.workspace, &call.policy().limits);
        let target = self.look_up_target(context, workspace, limits, runner).await;
        target.map_err(|error| call.refuse(error, AuditDecision::Invalid, "target"))
    }

    /// Looks up the target of a call, within the limits of its workspace; `None` if it has none.
    pub(crate) async fn look_up_target(
        &self,
        context: &CallContext,
        workspace: Id,
        limits: &Limits,
        runner: &dyn Runner,
    ) -> Result<Option<UpstreamTarget>, ActionError> {
        if !runner.has_target() {
            return Ok(None);
        }
        match self.limiter.spend(of_workspace(workspace, LimitClass::External, limits)).await {
            Ok(_) => runner.target(self.gate_dependencies().runner_cx(context)).await.map(Some),
            Err(limited) => Err(limited.error(LimitClass::External)),
        }
    }
}
