//! The runner of compiled effects: what the action resolved, sends and looks up.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::{Value, json};
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_model::ExecutorKind;
use toolcrib_registry::{ActionMeta, digest};

use super::{NoSession, Runner, RunnerCx, UpstreamEnd};
use crate::{
    base::{ActionError, Done, EffectResolution, UpstreamTarget},
    catalog::{
        CallerTools, Catalog, ExternalCx,
        action::{EffectCall, ErasedEffect, Found, Resolved, Sent, Target},
    },
};

/// Runs the call of an effect.
#[derive(Clone)]
pub(crate) struct EffectRunner {
    pub action: Arc<dyn ErasedEffect>,
    pub catalog: Arc<Catalog>,
    pub meta: Arc<ActionMeta>,
    pub caller: Caller,
    pub arguments: Value,
    /// What the call was resolved to; `None` before.
    pub resolution: Option<Box<EffectResolution>>,
}

impl Runner for EffectRunner {
    fn executor(&self) -> ExecutorKind {
        ExecutorKind::Pack
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(u64::from(self.meta.spec.timeout_seconds))
    }

    fn has_target(&self) -> bool {
        true
    }

    fn effect(&self) -> Option<&EffectRunner> {
        Some(self)
    }

    fn with_target(self: Arc<Self>, target: &UpstreamTarget) -> Arc<dyn Runner> {
        Arc::new(Self { resolution: target.effect.clone(), ..Self::clone(&self) })
    }

    fn target<'a>(&'a self, cx: RunnerCx<'a>) -> BoxFuture<'a, Result<UpstreamTarget, ActionError>> {
        async move {
            let resolving = self.action.resolve(&self.external(cx), self.arguments.clone()).await?;
            Ok(match resolving {
                Resolved::Ready(ready) => {
                    let Target { id, label, detail, .. } = ready.target;
                    let binding = digest(&json!([id, ready.plan]));
                    let effect = EffectResolution { detail, key: ready.key, plan: ready.plan, already: None };
                    UpstreamTarget { label, binding, effect: Some(Box::new(effect)) }
                }
                Resolved::AlreadyTrue(done) => {
                    let (plan, already) = (Value::Null, Some(done));
                    let effect = EffectResolution { detail: None, key: String::new(), plan, already };
                    UpstreamTarget {
                        label: String::new(),
                        binding: String::new(),
                        effect: Some(Box::new(effect)),
                    }
                }
            })
        }
        .boxed()
    }

    fn open_session(self: Arc<Self>, _: RunnerCx<'_>) -> BoxFuture<'_, Result<Arc<dyn Runner>, NoSession>> {
        async move { Ok(self as Arc<dyn Runner>) }.boxed()
    }

    fn in_open_session(self: Arc<Self>, _: RunnerCx<'_>) -> Result<Arc<dyn Runner>, NoSession> {
        Ok(self)
    }

    fn send<'a>(&'a self, cx: RunnerCx<'a>) -> BoxFuture<'a, UpstreamEnd> {
        async move {
            let external = self.external(cx);
            let sending = self.action.send(&external, self.arguments.clone(), self.plan());
            match tokio::time::timeout(self.timeout(), sending).await {
                Ok(Sent::Done(done)) => UpstreamEnd::Succeeded(done),
                Ok(Sent::Nothing(error)) => UpstreamEnd::not_sent(error),
                Ok(Sent::Refused(error)) => UpstreamEnd::failed(error),
                Ok(Sent::Unknown(error)) => UpstreamEnd::Unknown(Box::new(error)),
                Err(_) => UpstreamEnd::Unknown(Box::new(ActionError::internal("the effect took too long"))),
            }
        }
        .boxed()
    }
}

impl EffectRunner {
    pub async fn look_up(&self, cx: RunnerCx<'_>, call: &EffectCall) -> Found<Done> {
        let external = self.external(cx);
        let looking = self.action.look_up(&external, call, self.arguments.clone(), self.plan());
        tokio::time::timeout(self.timeout(), looking).await.unwrap_or(Found::CannotTell)
    }

    /// Returns what the call was resolved to.
    pub fn plan(&self) -> Value {
        self.resolution.as_ref().map(|resolution| resolution.plan.clone()).unwrap_or_default()
    }

    fn external<'c>(&'c self, cx: RunnerCx<'c>) -> ExternalCx<'c> {
        // The gates have decided; the tools are for the operator's rules.
        let tools = CallerTools::new(&self.catalog, &self.caller, &WorkspacePolicy::default());
        ExternalCx {
            caller: &self.caller,
            now: cx.now,
            tools,
            db: cx.db,
            client: cx.client,
            mcp_sessions: cx.sessions,
        }
    }
}
