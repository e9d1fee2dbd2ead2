//! The gates, in order. Each gate is a function that takes the evidence of the previous gate and returns its
//! own. Only the gate itself can construct its evidence type, so that code which skips or reorders a gate
//! does not compile.
//!
//! Gate 1 (authentication) is `crate::auth`; its evidence is [`crate::caller::Authenticated`].

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
pub mod repair;
pub mod run;
pub mod session_grant;

use toolcrib_model::IdGen;
use toolcrib_store::{Db, Tx};

use crate::{base::CallContext, catalog::Catalog, grants::Grants, limits::Limiter};
use early_exit::EarlyExit;
use limit::WithinLimits;

/// The parts of the engine that the gates use.
#[derive(Clone, Copy)]
pub struct GateDependencies<'e> {
    pub db: &'e Db,
    pub catalog: &'e Catalog,
    pub ids: &'e dyn IdGen,
    pub limiter: &'e dyn Limiter,
    pub grants: &'e dyn Grants,
}

/// Runs gates 3 to 9 in one transaction.
pub async fn run_gates(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    admitted: membership::Admitted,
) -> Result<WithinLimits, EarlyExit> {
    if context.names_mission {
        membership::check_mission(tx, &admitted).await?;
    }
    let action = lookup::find(dependencies.catalog, context, admitted)?;
    let permitted = access::permit(dependencies.catalog, action)?;
    let checked = arguments::check(context, permitted)?;
    let not_replayed = idempotency::check(context, tx, checked).await?;
    let resolved = arguments::resolve(dependencies, context.now, tx, not_replayed).await?;
    let confirmed = confirmation::check(context, dependencies.grants, tx, resolved).await?;
    limit::spend(dependencies.limiter, confirmed).await
}
