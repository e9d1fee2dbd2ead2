//! Operations on the audit log, which records every call, its decision and its outcome.

mod export;
mod filter;
mod get;
mod list;
mod stats;
mod steps;
mod verify;
mod view;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListAudit),
        Action::read(get::GetAudit),
        Action::read(stats::AuditStats),
        Action::read(verify::VerifyAudit),
        Action::read(export::ExportAudit),
    ]
}
