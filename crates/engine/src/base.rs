//! Types and functions that every other module may use: errors, the context of a call, masking, names beside
//! ids, Redis, CPU-heavy work on large values.

pub mod call;
pub mod display;
pub mod error;
mod gauge_guard;
pub mod large;
pub mod mask;
pub mod redis;

pub(crate) use call::{
    ApprovalBinding, CallContext, CallFacts, Done, EffectResolution, Stage, UpstreamTarget,
};
pub use call::{Arguments, CallKey, CallRequest, ToolCall};
pub use display::Names;
pub(crate) use display::show;
pub use error::{ActionError, Respelled};
pub use gauge_guard::GaugeGuard;
pub use large::compute_large;
