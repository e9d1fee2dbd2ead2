//! The caller of a request: first what the credential and the headers claim, then the role and scopes that
//! the database confirms.

mod background;
mod claims;
pub(crate) mod people;
pub mod policy;
pub mod promotions;
pub(crate) mod relay;
mod resolve;

pub use background::{BackgroundCaller, BackgroundWork};
pub use claims::NO_MEMBER;
pub(crate) use claims::{CallerClaims, ClaimsWithAccess, check_key, unavailable};
pub(crate) use resolve::member_named;
