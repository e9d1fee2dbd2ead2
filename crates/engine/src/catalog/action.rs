//! The traits of actions, and their type-erased form.

mod effect;
mod erased;

use std::{future::Future, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use toolcrib_model::{Id, Paged};
use toolcrib_registry::{ActionMeta, Spec, output_schema_of, schema_of};

use super::{ExternalCx, ReadCx, WriteCx};
use crate::base::ActionError;
pub(crate) use effect::ErasedEffect;
pub use effect::{EffectAction, EffectCall, Found, Ready, Resolved, Sent};
use erased::{ErasedExternal, ErasedRead, ErasedWrite, Read};

/// The arguments of an action.
pub trait Input: DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static {}
impl<T: DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static> Input for T {}

pub trait Output: Serialize + JsonSchema + Send + Sync + 'static {}
impl<T: Serialize + JsonSchema + Send + Sync + 'static> Output for T {}

/// The target of a write. The person who confirms the call sees it, and it is checked again before the call
/// runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The id of the resource; absent if the call creates it.
    pub id: Option<Id>,
    /// The resource's kind and name, such as ``agent `Researcher` ``.
    pub label: String,
    /// Further information, such as `3 schedules`.
    pub detail: Option<String>,
    /// The version of the resource when it was resolved. If the version or the label differs at approval, the
    /// confirmation is void.
    pub version: Option<i64>,
    /// Parameters that refer to something else, with its name. The summary has the name instead of the id.
    pub names: Vec<(&'static str, String)>,
}

impl Target {
    /// Adds the name of what a parameter refers to, such as the project of a system.
    #[must_use]
    pub fn naming(mut self, parameter: &'static str, name: &str) -> Self {
        self.names.push((parameter, name.to_owned()));
        self
    }

    /// Returns the label, if the target has one.
    pub(crate) fn shown_label(&self) -> Option<&str> {
        Some(self.label.as_str()).filter(|label| !label.is_empty())
    }
}

/// An action that reads. The database itself makes its transaction read-only. It makes no network call. State
/// of this process that it reads is a field of its value.
pub trait ReadAction: Send + Sync + 'static {
    /// The arguments.
    type Input: Input;
    type Output: Output;

    /// Returns the declaration of the action.
    fn spec() -> Spec;

    fn run(
        &self,
        cx: &mut ReadCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// Returns one sentence that describes what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;
}

/// An action that changes rows, including destructive ones.
pub trait WriteAction: Send + Sync + 'static {
    /// The arguments.
    type Input: Input;
    type Output: Output;

    /// Returns the declaration of the action.
    fn spec() -> Spec;

    /// Replaces references with ids in place, finds the target, and refuses invalid calls before a person is
    /// asked to confirm them.
    fn resolve(
        &self,
        cx: &mut ReadCx<'_>,
        input: &mut Self::Input,
    ) -> impl Future<Output = Result<Target, ActionError>> + Send {
        let _ = (cx, input);
        async { Ok(Target::default()) }
    }

    /// Runs the action with the resolved input.
    fn run(
        &self,
        cx: &mut WriteCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// Returns one sentence that describes what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;
}

/// An action that calls an external service. It gets no transaction, because no transaction may be open
/// during a network call.
pub trait ExternalAction: Send + Sync + 'static {
    /// The arguments.
    type Input: Input;
    type Output: Output;

    /// Returns the declaration of the action.
    fn spec() -> Spec;

    fn run(
        &self,
        cx: &ExternalCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// Returns one sentence that describes what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;

    /// Returns whether everything that the action needs is configured, beside [`Self::services`].
    fn available(&self) -> bool {
        true
    }

    /// Returns the upstreams of the workspace of which the action needs one, if it needs any.
    fn services(&self) -> &'static [&'static str] {
        &[]
    }
}

/// An action, ready to be registered.
pub struct Action {
    pub(crate) meta: Result<ActionMeta, String>,
    pub(crate) runner: ActionRunner,
}

pub(crate) enum ActionRunner {
    Read(Box<dyn ErasedRead>),
    Write(Box<dyn ErasedWrite>),
    External(Box<dyn ErasedExternal>),
    Effect(Arc<dyn ErasedEffect>),
}

impl Action {
    pub fn read<A: ReadAction>(action: A) -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::spec()),
            runner: ActionRunner::Read(Box::new(Read { action, ends: None })),
        }
    }

    /// Makes an action that reads a page of a list. If a message for a model shows only a part of the page,
    /// its cursor continues after the last shown item. An action whose output has a `next_cursor` must use
    /// this constructor.
    pub fn paged<A: ReadAction<Output: Paged>>(action: A) -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::spec()),
            runner: ActionRunner::Read(Box::new(Read { action, ends: Some(A::Output::ends) })),
        }
    }

    /// Makes an action that changes rows.
    pub fn write<A: WriteAction>(action: A) -> Self {
        Self { meta: meta::<A::Input, A::Output>(A::spec()), runner: ActionRunner::Write(Box::new(action)) }
    }

    /// Makes an action that calls an external service.
    pub fn external<A: ExternalAction>(action: A) -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::spec()),
            runner: ActionRunner::External(Box::new(action)),
        }
    }

    /// Makes an action whose effect is at a service. For packs.
    pub fn effect<A: EffectAction>(action: A) -> Self {
        Self { meta: meta::<A::Input, A::Output>(A::spec()), runner: ActionRunner::Effect(Arc::new(action)) }
    }
}

fn meta<I: JsonSchema, O: JsonSchema>(spec: Spec) -> Result<ActionMeta, String> {
    ActionMeta::new(spec, schema_of::<I>(), output_schema_of::<O>())
}
