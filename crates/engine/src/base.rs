//! What everything else here may need: errors, what is known of one call, secrets, Redis, work on what is large.

pub mod call;
pub mod call_span;
pub mod error;
pub mod large;
pub mod mask;
pub mod redis;
pub mod secret_cipher;

pub(crate) use call::{ApprovalBinding, CallContext, Stage};
pub use call::{Arguments, ToolCall};
pub use error::ActionError;
pub use large::compute_large;
