//! Reads of confirmations.

use std::collections::BTreeSet;

use toolcrib_access::{Caller, Special, WorkspacePolicy};
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_model::{Id, Ts};
use toolcrib_store::{AccessRow, Tx, confirmations, confirmations::ConfirmationRow};

use super::{authorize::AuthorizedDecider, decider::Decider};
use crate::{
    base::{ActionError, Names},
    caller::unavailable,
    catalog::Catalog,
    confirm::{
        CanDecide, ConfirmationView,
        view::{named_ids, not_found},
    },
    engine::Engine,
};

/// A reader of confirmations.
pub(super) struct Onlooker {
    /// The caller who sees what they may see. A key that acts for a member and relays no decisions sees its own calls
    /// for that member.
    pub caller: Caller,
    pub policy: WorkspacePolicy,
    /// The same sender, as the one whose decision would be checked.
    pub decider: Decider,
    access: Option<AccessRow>,
}

impl Onlooker {
    pub fn authorized(&self) -> Result<AuthorizedDecider<'_>, ActionError> {
        self.decider.authorize(self.access.as_ref())
    }
}

impl Engine {
    /// Returns one confirmation that this caller may see.
    pub async fn confirmation(
        &self,
        authenticated: &Authenticated,
        id: Id,
    ) -> Result<ConfirmationView, ActionError> {
        let onlooker = self.admit_onlooker(authenticated).await?;
        let now = self.clock.now();
        let mut tx = self.db.read(onlooker.caller.workspace).await?;
        let row = confirmations::get(&mut tx, id).await?;
        let decider = onlooker.authorized()?;
        let Some(row) = row.filter(|row| onlooker.decider.sees(&onlooker.caller, row)) else {
            tx.end().await?;
            return Err(not_found(id));
        };
        let catalog = self.catalog_of(&mut tx, onlooker.policy.toolset_version).await?;
        let shown = self.show_confirmation(&mut tx, &decider, &catalog, now, row).await?;
        tx.end().await?;
        Ok(shown)
    }

    /// Returns the API form of a record for who decides.
    pub(crate) async fn show_confirmation(
        &self,
        tx: &mut Tx,
        decider: &AuthorizedDecider<'_>,
        catalog: &Catalog,
        now: Ts,
        row: ConfirmationRow,
    ) -> Result<ConfirmationView, ActionError> {
        let can_decide = decider.can_decide(tx, catalog, &row, now).await?;
        let (id, rows) = (row.id, vec![(row, can_decide)]);
        let shown = self.show_confirmations(tx, &decider.policy, catalog, now, rows).await?;
        shown.into_iter().next().ok_or_else(|| not_found(id))
    }

    /// Returns the API form of records that this caller may see.
    pub(super) async fn show_confirmations(
        &self,
        tx: &mut Tx,
        policy: &WorkspacePolicy,
        catalog: &Catalog,
        now: Ts,
        rows: Vec<(ConfirmationRow, CanDecide)>,
    ) -> Result<Vec<ConfirmationView>, ActionError> {
        let ids: BTreeSet<Id> = rows.iter().flat_map(|(row, _)| named_ids(row)).collect();
        let names = Names::read(tx, &ids).await?;
        let records = self.records(catalog);
        let view = |(row, can_decide)| records.view(now, &row, can_decide, policy, &names);
        Ok(rows.into_iter().map(view).collect())
    }

    /// Authorizes a reader of confirmations. A key that relays decisions sees what the named user sees,
    /// because it must show the confirmations to that user; with a client token, those of one conversation.
    pub(super) async fn admit_onlooker(
        &self,
        authenticated: &Authenticated,
    ) -> Result<Onlooker, ActionError> {
        let decider = Decider::of(self, authenticated, None).await?;
        let (workspace, actor) = decider.actor();
        let access = self.db.access_row(workspace, actor).await.map_err(unavailable)?;
        let AuthorizedDecider { caller, policy, refused, .. } = decider.authorize(access.as_ref())?;
        let (caller, policy) = match (&authenticated.credential, &authenticated.requested.on_behalf_of) {
            (Credential::Service(key), Some(_)) if !key.scopes.special(Special::ApprovalsRelay) => {
                self.admit(authenticated).await?
            }
            (Credential::Service(_), Some(_)) | (Credential::Client(_), _) => match refused {
                Some(error) => return Err(error),
                None => (caller, policy),
            },
            _ => (caller, policy),
        };
        Ok(Onlooker { caller, policy, decider, access })
    }
}
