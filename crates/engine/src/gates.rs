//! The gates, in order. Each is one function that takes the evidence of the gate before it and returns its own; the
//! evidence types can be made nowhere else, so that leaving a gate out or moving it does not compile.
//!
//! Gate 1 (authentication) is `crate::auth`: its evidence is the [`crate::caller::Authenticated`].

pub mod access;
pub mod arguments;
pub mod confirmation;
pub mod dispatch;
pub mod early_exit;
pub mod idempotency;
pub mod limit;
pub mod lookup;
pub mod membership;
pub mod parse;
pub mod parts;
pub mod run;
pub mod session_grant;

use toolcrib_model::IdGen;
use toolcrib_store::Db;

use crate::{catalog::Catalog, grants::Grants, limits::Limiter};

/// The parts of the engine that gates need.
#[derive(Clone, Copy)]
pub struct GateDependencies<'e> {
    pub db: &'e Db,
    pub catalog: &'e Catalog,
    pub ids: &'e dyn IdGen,
    pub limiter: &'e dyn Limiter,
    pub grants: &'e dyn Grants,
}
