//! The audit log: who did what, what was refused and why.

mod filter;
mod get;
mod list;
mod stats;
mod verify;

use toolcrib_engine::Action;

/// Returns the operations on the audit log, in order.
pub fn operations() -> Vec<Action> {
    vec![
        Action::paged::<list::ListAudit>(),
        Action::read::<get::GetAudit>(),
        Action::read::<stats::AuditStats>(),
        Action::read::<verify::VerifyAudit>(),
    ]
}
