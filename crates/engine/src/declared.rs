//! Calls of declared tools, which run elsewhere: at an upstream, or at the caller.

pub(crate) mod client_calls;
pub(crate) mod open_calls;
pub(crate) mod started_calls;
pub(crate) mod upstream_calls;
