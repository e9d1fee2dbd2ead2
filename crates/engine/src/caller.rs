//! Who calls: what the credential and the request claim, before the database is asked, and what they hold once it was.

mod authenticated;
mod claims;
mod non_member;
pub(crate) mod policy;
mod resolve;

pub use authenticated::{
    AgentKey, Authenticated, Credential, OperatorKey, RequestedContext, ServiceKey, UserToken,
};
pub(crate) use claims::{CallerClaims, unavailable};
pub(crate) use resolve::member_named;
