//! Who may decide a record. Approvals and denials ask it, and so does what readers see as
//! `can_decide`: what is shown is what is enforced.

use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_model::{ErrorCode, Id, Role, Ts};
use toolcrib_registry::ToolState;
use toolcrib_store::{Tx, confirmations::ConfirmationRow};

use super::decider::Decider;
use crate::{
    base::ActionError,
    caller::people::{behind, role_may},
    catalog::{Catalog, denial},
    confirm::{CanDecide, requester_of, transition::closed, view::not_found},
    gates::{confirmation::ACTION_CHANGED, lookup::definition},
};

/// Whether the decider may decide a record.
pub(super) enum Authorization {
    Allowed,
    /// The person may, but not with this credential.
    NeedsSignIn(ActionError),
    Refused(ActionError),
}

impl Authorization {
    /// Returns why the sender may not decide; `None` if they may.
    pub fn refusal(self) -> Option<ActionError> {
        match self {
            Self::Allowed => None,
            Self::NeedsSignIn(error) | Self::Refused(error) => Some(error),
        }
    }
}

/// The sender of a decision with their current role.
pub(crate) struct AuthorizedDecider<'m> {
    pub(super) decider: &'m Decider,
    /// The person who decides; or the sender, if they may not decide any confirmation.
    pub caller: Caller,
    pub policy: WorkspacePolicy,
    /// Why the sender may not decide any confirmation.
    pub refused: Option<ActionError>,
}

impl AuthorizedDecider<'_> {
    /// Returns whether the sender may decide the record now.
    pub(super) async fn authorize(
        &self,
        tx: &mut Tx,
        catalog: &Catalog,
        row: &ConfirmationRow,
        now: Ts,
    ) -> Result<Authorization, ActionError> {
        if let Some(refused) = &self.refused {
            return Ok(Authorization::Refused(refused.clone()));
        }
        if !self.decider.sees(&self.caller, row) {
            return Ok(Authorization::Refused(not_found(row.id)));
        }
        if let Some(error) = closed(row, now) {
            return Ok(Authorization::Refused(error));
        }
        let four_eyes = self.policy.four_eyes;
        let people = if four_eyes { behind(tx, &requester_of(row)?, now).await? } else { Vec::new() };
        if let Err(refused) = self.may_decide(catalog, row, &people) {
            return Ok(Authorization::Refused(refused));
        }
        let relayed = self.decider.may_relay(row, &self.policy);
        Ok(relayed.map_or_else(Authorization::NeedsSignIn, |()| Authorization::Allowed))
    }

    /// Returns why any approval makes the record void: the action is off, or has another definition than the one that
    /// the record is bound to. The gates check both again.
    pub fn outdated(&self, catalog: &Catalog, row: &ConfirmationRow) -> Option<ActionError> {
        let why = match catalog.registry().get(&row.action) {
            Some(meta) if meta.spec.state != ToolState::On => denial::off(&meta.spec),
            Some(meta) if definition(meta, &self.policy) == row.call.schema_digest => return None,
            _ => ACTION_CHANGED.to_owned(),
        };
        Some(ActionError::new(ErrorCode::Void, why))
    }

    /// Returns whether the sender may decide the record now, as readers see it. An approval of an outdated record makes
    /// it void, so it is not offered.
    pub(super) async fn can_decide(
        &self,
        tx: &mut Tx,
        catalog: &Catalog,
        row: &ConfirmationRow,
        now: Ts,
    ) -> Result<CanDecide, ActionError> {
        let mut authorization = self.authorize(tx, catalog, row, now).await?;
        if matches!(authorization, Authorization::Allowed)
            && let Some(outdated) = self.outdated(catalog, row)
        {
            authorization = Authorization::Refused(outdated);
        }
        Ok(CanDecide {
            allowed: matches!(authorization, Authorization::Allowed),
            needs_sign_in: matches!(authorization, Authorization::NeedsSignIn(_)),
            unchanged_only: self.decider.of_client_token().is_some(),
            reason: authorization.refusal().map(|error| error.detail),
        })
    }

    /// Checks that the decider is a user whose current role may run the action, and is the user for whom the
    /// call was made or an admin; under the four-eyes rule, nobody behind the call.
    fn may_decide(&self, catalog: &Catalog, row: &ConfirmationRow, people: &[Id]) -> Result<(), ActionError> {
        let refuse = |detail: &str| Err(ActionError::new(ErrorCode::PermissionDenied, detail));
        let Self { caller, policy, .. } = self;
        let Principal::User { user_id } = caller.principal else {
            return refuse("only a person with their own token can decide this; a key can't");
        };
        let own = row.requester_user_id == Some(user_id);
        if !own && caller.role < Some(Role::Admin) {
            return refuse("only the person on whose behalf the call was made, or an admin, may decide this");
        }
        if policy.four_eyes && people.contains(&user_id) {
            let detail = "with four eyes somebody else decides: you are behind this call, as its requester, as who \
                 made its key, or as who changed its arguments";
            return refuse(detail);
        }
        let meta = catalog.registry().get(&row.action);
        let allowed = meta.is_some_and(|meta| role_may(caller, &meta.spec, policy));
        if allowed { Ok(()) } else { refuse("you may not decide this: your own role may not run the action") }
    }
}
