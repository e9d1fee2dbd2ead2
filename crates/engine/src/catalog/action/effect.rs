//! Compiled actions whose effect is at somebody else's server.
//!
//! Such a call has three commits and no transaction in between: its start row is durable before the request is sent,
//! and its outcome row after it. Whether the effect is there when the answer was lost is asked of the server, never
//! guessed, and nothing is sent twice.

use std::future::Future;

use futures_util::future::BoxFuture;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_registry::Spec;

use super::{
    Input, Output, Target,
    erased::{done, parse},
};
use crate::{
    base::{ActionError, Done},
    catalog::{ExternalCx, ServiceError, WriteCx},
};

/// The longest plan, in bytes of JSON.
const MAX_PLAN_BYTES: usize = 16 * 1024;

/// What an effect would change, before a person is asked.
pub enum Resolved<P, O> {
    /// The effect can be made.
    Ready(Ready<P>),
    /// What the call wants is so already. The call ends with this output; nobody is asked, and nothing is sent.
    AlreadyTrue(O),
}

/// An effect that can be made.
pub struct Ready<P> {
    /// What a person sees. Its id is part of what a confirmation is bound to.
    pub target: Target,
    /// The thing that the effect changes, such as `radarr/603`. One effect of a key is open at a time in a workspace.
    pub key: String,
    /// What the rest of the call needs. It has no secret, and an approval is bound to it.
    pub plan: P,
}

/// How the request of an effect ended.
pub enum Sent<O> {
    Done(O),
    /// Nothing was sent: the call may be made again with the same idempotency key.
    Nothing(ActionError),
    /// It was not made, surely.
    Refused(ActionError),
    /// The server may have made it.
    Unknown(ActionError),
}

/// The end of the request that changes something, if it has no answer.
impl<O> From<ServiceError> for Sent<O> {
    fn from(failed: ServiceError) -> Self {
        match failed {
            ServiceError { error, is_unknown: true, .. } => Self::Unknown(error),
            ServiceError { error, is_unsent: true, .. } => Self::Nothing(error),
            ServiceError { error, .. } => Self::Refused(error),
        }
    }
}

pub enum Found<O> {
    /// It is there, and it is ours.
    True(O),
    /// It is not there.
    NotTrue,
    /// The server can't say, or can't be asked.
    CannotTell,
}

/// The call of an effect that is recorded.
#[derive(Clone, Debug)]
pub struct EffectCall {
    /// The id of the call's audit row.
    pub call_id: Id,
    /// When the call was started.
    pub started_at: Ts,
}

/// An action whose effect is at a server of the workspace: an upstream that `cx.service` gives.
pub trait EffectAction: Send + Sync + 'static {
    type Input: Input;
    type Output: Output + DeserializeOwned;
    /// At most 16 KiB as JSON.
    type Plan: Serialize + DeserializeOwned + Send + Sync;

    /// Returns the declaration: a write or a destructive action that is external.
    fn spec() -> Spec;

    /// Looks up what the call would change. Asks servers, and runs again when a person approved.
    fn resolve(
        &self,
        cx: &ExternalCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Resolved<Self::Plan, Self::Output>, ActionError>> + Send;

    /// Makes the effect: at most one request that changes something.
    fn send(
        &self,
        cx: &ExternalCx<'_>,
        input: &Self::Input,
        plan: &Self::Plan,
    ) -> impl Future<Output = Sent<Self::Output>> + Send;

    /// Looks up whether the effect is there, after an end that nobody knows.
    fn look_up(
        &self,
        cx: &ExternalCx<'_>,
        call: &EffectCall,
        input: &Self::Input,
        plan: &Self::Plan,
    ) -> impl Future<Output = Found<Self::Output>> + Send;

    /// Writes the pack's own rows, notifications and events, in the commit of the outcome row.
    fn record(
        &self,
        cx: &mut WriteCx<'_>,
        call: &EffectCall,
        plan: &Self::Plan,
        output: &Self::Output,
    ) -> impl Future<Output = Result<(), ActionError>> + Send;

    /// Returns one sentence that describes what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;

    /// Returns the upstreams of the workspace of which the action needs one, if it needs any.
    fn services(&self) -> &'static [&'static str] {
        &[]
    }
}

pub(crate) trait ErasedEffect: Send + Sync {
    fn resolve<'a>(
        &'a self,
        cx: &'a ExternalCx<'_>,
        input: Value,
    ) -> BoxFuture<'a, Result<Resolved<Value, Done>, ActionError>>;
    fn send<'a>(&'a self, cx: &'a ExternalCx<'_>, input: Value, plan: Value) -> BoxFuture<'a, Sent<Done>>;
    fn look_up<'a>(
        &'a self,
        cx: &'a ExternalCx<'_>,
        call: &'a EffectCall,
        input: Value,
        plan: Value,
    ) -> BoxFuture<'a, Found<Done>>;
    fn record<'a>(
        &'a self,
        cx: &'a mut WriteCx<'_>,
        call: &'a EffectCall,
        plan: Value,
        output: Value,
    ) -> BoxFuture<'a, Result<(), ActionError>>;
    fn services(&self) -> &'static [&'static str];
}

impl<A: EffectAction> ErasedEffect for A {
    fn resolve<'a>(
        &'a self,
        cx: &'a ExternalCx<'_>,
        input: Value,
    ) -> BoxFuture<'a, Result<Resolved<Value, Done>, ActionError>> {
        Box::pin(async move {
            let input: A::Input = parse(input)?;
            Ok(match EffectAction::resolve(self, cx, &input).await? {
                Resolved::Ready(Ready { target, key, plan }) => {
                    Resolved::Ready(Ready { target, key, plan: stored_plan::<A>(&plan)? })
                }
                Resolved::AlreadyTrue(output) => {
                    Resolved::AlreadyTrue(done(A::describe(&input, &output), &output)?)
                }
            })
        })
    }

    fn send<'a>(&'a self, cx: &'a ExternalCx<'_>, input: Value, plan: Value) -> BoxFuture<'a, Sent<Done>> {
        Box::pin(async move {
            let (input, plan) = match (parse(input), parse(plan)) {
                (Ok(input), Ok(plan)) => (input, plan),
                (Err(error), _) | (_, Err(error)) => return Sent::Nothing(error),
            };
            match EffectAction::send(self, cx, &input, &plan).await {
                Sent::Done(output) => match done(A::describe(&input, &output), &output) {
                    Ok(done) => Sent::Done(done),
                    Err(error) => Sent::Unknown(error),
                },
                Sent::Nothing(error) => Sent::Nothing(error),
                Sent::Refused(error) => Sent::Refused(error),
                Sent::Unknown(error) => Sent::Unknown(error),
            }
        })
    }

    fn look_up<'a>(
        &'a self,
        cx: &'a ExternalCx<'_>,
        call: &'a EffectCall,
        input: Value,
        plan: Value,
    ) -> BoxFuture<'a, Found<Done>> {
        Box::pin(async move {
            let (Ok(input), Ok(plan)) = (parse(input), parse(plan)) else { return Found::CannotTell };
            match EffectAction::look_up(self, cx, call, &input, &plan).await {
                Found::True(output) => match done(A::describe(&input, &output), &output) {
                    Ok(done) => Found::True(done),
                    Err(_) => Found::CannotTell,
                },
                Found::NotTrue => Found::NotTrue,
                Found::CannotTell => Found::CannotTell,
            }
        })
    }

    fn record<'a>(
        &'a self,
        cx: &'a mut WriteCx<'_>,
        call: &'a EffectCall,
        plan: Value,
        output: Value,
    ) -> BoxFuture<'a, Result<(), ActionError>> {
        Box::pin(async move {
            let (plan, output): (A::Plan, A::Output) = (parse(plan)?, parse(output)?);
            EffectAction::record(self, cx, call, &plan, &output).await
        })
    }

    fn services(&self) -> &'static [&'static str] {
        EffectAction::services(self)
    }
}

/// Returns a plan as it is stored with the call and with its confirmation.
fn stored_plan<A: EffectAction>(plan: &A::Plan) -> Result<Value, ActionError> {
    let plan = serde_json::to_value(plan).map_err(|error| ActionError::internal(error.to_string()))?;
    if plan.to_string().len() <= MAX_PLAN_BYTES {
        return Ok(plan);
    }
    let name = A::spec().name;
    Err(ActionError::internal(format!("the plan of `{name}` is longer than {MAX_PLAN_BYTES} bytes")))
}
