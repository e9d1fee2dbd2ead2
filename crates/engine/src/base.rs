//! Types and functions that every other module may use: errors, the context of a call, masking, names beside
//! ids, Redis, CPU-heavy work on large values.

pub mod call;
mod call_facts;
pub mod call_span;
pub mod error;
mod gauge_guard;
pub mod large;
pub mod mask;
pub mod names;
pub mod page_cursor;
pub mod redis;
pub mod shown_value;

pub(crate) use call::{AlreadyTrue, ApprovalBinding, CallContext, EffectResolution, Stage, UpstreamTarget};
pub use call::{Arguments, CallKey, ToolCall};
pub(crate) use call_facts::CallFacts;
pub use error::{ActionError, Respelled};
pub use gauge_guard::GaugeGuard;
pub use large::compute_large;
pub use names::Names;
pub(crate) use page_cursor::page_cursor;
pub(crate) use shown_value::show;
