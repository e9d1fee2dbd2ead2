//! Calls that run elsewhere: of declared tools at an upstream or at the caller, and of compiled effects at a service.

pub(crate) mod client_calls;
pub(crate) mod effects;
pub(crate) mod open_calls;
pub(crate) mod started_calls;
pub(crate) mod upstream_calls;
