//! The traits that actions implement, and their erased form.

mod erased;

use std::{future::Future, marker::PhantomData};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use toolcrib_model::{Cursor, Id, Paged};
use toolcrib_registry::{ActionMeta, Spec, output_schema_of, schema_of};

use super::{ExternalCx, ReadCx, WriteCx};
use crate::base::ActionError;
use erased::{ErasedAction, ErasedExternal, ErasedRead, ErasedWrite, Stateless, StatelessPage};

/// What an action takes.
pub trait Input: DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static {}
impl<T: DeserializeOwned + Serialize + JsonSchema + Send + Sync + 'static> Input for T {}

/// What an action gives.
pub trait Output: Serialize + JsonSchema + Send + Sync + 'static {}
impl<T: Serialize + JsonSchema + Send + Sync + 'static> Output for T {}

/// What a write is about: shown to the human who confirms it, and checked again before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The resource; absent where the call creates one.
    pub id: Option<Id>,
    /// Its name, such as ``agent `Researcher` ``.
    pub label: String,
    /// What goes with it, such as `3 schedules`.
    pub detail: Option<String>,
    /// Its version when it was resolved; another one at approval voids the confirmation.
    pub version: Option<i64>,
}

/// An action that reads. Its transaction is read-only in the database itself.
pub trait ReadAction: Send + Sync + 'static {
    /// What it declares.
    const SPEC: Spec;
    /// What it takes.
    type Input: Input;
    /// What it gives.
    type Output: Output;

    /// Does it.
    fn run(
        cx: &mut ReadCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// One sentence for people about what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;
}

/// An action that reads rows and beside them something that this process holds, such as when it last saw its
/// components work. It is registered with its state by [`Action::read_with`]; it calls nobody outside.
pub trait StatefulRead: Send + Sync + 'static {
    /// What it declares.
    const SPEC: Spec;
    /// What it takes.
    type Input: Input;
    /// What it gives.
    type Output: Output;

    /// Does it.
    fn run(
        &self,
        cx: &mut ReadCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// One sentence for people about what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;
}

/// An action that changes rows, destructive ones included.
pub trait WriteAction: Send + Sync + 'static {
    /// What it declares.
    const SPEC: Spec;
    /// What it takes.
    type Input: Input;
    /// What it gives.
    type Output: Output;

    /// Turns references into ids in place, finds the target, and refuses what can be refused before asking anybody.
    fn resolve(
        cx: &mut ReadCx<'_>,
        input: &mut Self::Input,
    ) -> impl Future<Output = Result<Target, ActionError>> + Send {
        let _ = (cx, input);
        async { Ok(Target::default()) }
    }

    /// Does it, with the resolved input.
    fn run(
        cx: &mut WriteCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// One sentence for people about what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;
}

/// An action that asks an outside service. It gets no transaction: no network call happens inside one.
pub trait ExternalAction: Send + Sync + 'static {
    /// What it declares.
    const SPEC: Spec;
    /// What it takes.
    type Input: Input;
    /// What it gives.
    type Output: Output;

    /// Does it.
    fn run(
        &self,
        cx: &ExternalCx<'_>,
        input: &Self::Input,
    ) -> impl Future<Output = Result<Self::Output, ActionError>> + Send;

    /// One sentence for people about what was done.
    fn describe(input: &Self::Input, output: &Self::Output) -> String;

    /// Whether what it needs is configured.
    fn available(&self) -> bool {
        true
    }
}

/// What a run left: the data for the caller, and a sentence about it.
#[derive(Clone, Debug)]
pub struct Done {
    /// The output, as JSON text.
    pub data: Box<RawValue>,
    /// One sentence for people.
    pub description: String,
    /// Where each item of a page ends; empty where the output is no page.
    pub ends: Vec<Cursor>,
}

/// An action that can be registered.
pub struct Action {
    pub(crate) meta: Result<ActionMeta, String>,
    pub(crate) runner: ActionRunner,
}

pub(crate) enum ActionRunner {
    Read(Box<dyn ErasedRead>),
    Write(Box<dyn ErasedWrite>),
    External(Box<dyn ErasedExternal>),
}

impl Action {
    /// An action that reads.
    pub fn read<A: ReadAction>() -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::SPEC),
            runner: ActionRunner::Read(Box::new(Stateless::<A>(PhantomData))),
        }
    }

    /// An action that reads a page of a list. A model's message that shows less than the page then leads on from the
    /// last item shown; an action whose output has a `next_cursor` is registered in no other way.
    pub fn paged<A: ReadAction<Output: Paged>>() -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::SPEC),
            runner: ActionRunner::Read(Box::new(StatelessPage::<A>(PhantomData))),
        }
    }

    /// An action that reads, with what it holds.
    pub fn read_with<A: StatefulRead>(action: A) -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::SPEC),
            runner: ActionRunner::Read(Box::new(ErasedAction(action))),
        }
    }

    /// An action that changes rows.
    pub fn write<A: WriteAction>() -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::SPEC),
            runner: ActionRunner::Write(Box::new(Stateless::<A>(PhantomData))),
        }
    }

    /// An action that asks an outside service.
    pub fn external<A: ExternalAction>(action: A) -> Self {
        Self {
            meta: meta::<A::Input, A::Output>(A::SPEC),
            runner: ActionRunner::External(Box::new(ErasedAction(action))),
        }
    }
}

fn meta<I: JsonSchema, O: JsonSchema>(spec: Spec) -> Result<ActionMeta, String> {
    ActionMeta::new(spec, schema_of::<I>(), output_schema_of::<O>())
}
