//! Ends open confirmations whose calls can't run any more.

use toolcrib_model::{AuditDecision, ConfirmationStatus, ErrorCode, IdGen};
use toolcrib_store::{
    WriteTx,
    confirmations::{self, ConfirmationRow, Transition},
};

use super::{DecisionAudit, requester_of, transition::undecided, write_decision};
use crate::{
    base::{ActionError, CallContext},
    catalog::{Catalog, WriteCx},
    events::emit,
};

/// Why confirmations end, for the audit log and for people.
#[derive(Clone, Copy)]
pub(crate) struct VoidReason {
    pub reason: &'static str,
    pub sentence: &'static str,
}

/// Makes a confirmation void, with audit row and event, unless it was decided meanwhile.
pub(crate) async fn void(
    tx: &mut WriteTx,
    catalog: &Catalog,
    ids: &dyn IdGen,
    context: &CallContext,
    row: &ConfirmationRow,
    why: VoidReason,
) -> Result<(), ActionError> {
    let step = undecided(row, context, ConfirmationStatus::Void, None, None);
    let step = Transition { reason: Some(why.sentence), ..step };
    if confirmations::transition(tx, row, &step).await?.is_none() {
        return Ok(());
    }
    let audit = DecisionAudit::new(AuditDecision::Denied, why.reason, Some(ErrorCode::Void));
    let caller = requester_of(row)?.into_caller_without_role();
    write_decision(catalog, ids, tx, context, &caller, row, audit);
    emit::denied(catalog.registry(), emit::Stamp { ids, now: context.now }, tx, row, Some(why.sentence))
        .await?;
    Ok(())
}

impl WriteCx<'_> {
    /// Ends the open confirmations of a pack's actions, because the pack is switched off.
    pub async fn void_confirmations_of_pack(&mut self, slug: &str) -> Result<(), ActionError> {
        const WHY: VoidReason = VoidReason { reason: "pack_off", sentence: "the pack was switched off" };
        let catalog = self.tools.catalog;
        let is_of_pack = |row: &ConfirmationRow| {
            let meta = catalog.registry().get(&row.action);
            meta.and_then(|meta| meta.spec.category.pack()).is_some_and(|pack| pack.slug == slug)
        };
        let open = confirmations::all_open(self.tx, self.now).await?;
        for row in open.iter().filter(|row| is_of_pack(row)) {
            let context = CallContext::of_service(self.ids, self.now, row.surface, row.request_id.clone());
            void(self.tx, catalog, self.ids, &context, row, WHY).await?;
        }
        Ok(())
    }
}
