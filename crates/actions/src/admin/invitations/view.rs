//! An invitation as callers see it, without its code.

use toolcrib_engine::{Names, prelude::*};
use toolcrib_store::{Tx, invitations::InvitationRow};

toolcrib_model::closed_set! {
    "a state of an invitation",
    /// What became of an invitation.
    InvitationState {
        /// It can be used.
        Open = "open",
        /// Somebody became a member by it.
        Used = "used",
        /// Its time is over.
        Expired = "expired",
        /// It was revoked.
        Revoked = "revoked",
    }
}

/// An invitation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct InvitationView {
    /// ID.
    pub id: Id,
    /// Role that it gives, if whoever made it may still give that much; a lower one otherwise.
    pub role: String,
    /// E-mail address that the identity provider must confirm for whoever uses it. Null: anybody with the code.
    pub email: Option<String>,
    /// State.
    pub state: InvitationState,
    /// User who made it. Null for one that was made on the command line, which ends when the workspace has an owner.
    pub invited_by: Option<Id>,
    /// Name of that user.
    pub invited_by_name: Option<String>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of expiry.
    pub expires_at: Ts,
    /// User who became a member by it.
    pub used_by: Option<Id>,
    /// Name of that user.
    pub used_by_name: Option<String>,
    /// Time of its use.
    pub used_at: Option<Ts>,
    /// Time of revocation.
    pub revoked_at: Option<Ts>,
}

impl InvitationView {
    /// Returns the invitations with the states and names of now.
    pub async fn all(tx: &mut Tx, rows: Vec<InvitationRow>, now: Ts) -> Result<Vec<Self>, ActionError> {
        let ids = rows.iter().flat_map(|row| [row.invited_by, row.used_by]).flatten();
        let names = Names::read(tx, &ids.collect()).await?;
        let name = |id: Option<Id>| id.and_then(|id| names.of(id));
        Ok(rows
            .into_iter()
            .map(|row| Self {
                state: state(&row, now),
                invited_by_name: name(row.invited_by),
                used_by_name: name(row.used_by),
                id: row.id,
                role: row.role,
                email: row.email,
                invited_by: row.invited_by,
                created_at: row.created_at,
                expires_at: row.expires_at,
                used_by: row.used_by,
                used_at: row.used_at.map(Ts::from_micros),
                revoked_at: row.revoked_at.map(Ts::from_micros),
            })
            .collect())
    }

    /// Returns one invitation, as [`InvitationView::all`] does.
    pub async fn of(tx: &mut Tx, row: InvitationRow, now: Ts) -> Result<Self, ActionError> {
        Ok(Self::all(tx, vec![row], now).await?.remove(0))
    }

    /// Returns the invitation in words: by its address, or else by its role.
    pub fn label(role: &str, email: Option<&str>) -> String {
        email.map_or_else(|| format!("invitation as {role}"), |email| format!("invitation of `{email}`"))
    }
}

fn state(row: &InvitationRow, now: Ts) -> InvitationState {
    match (row.used_at, row.revoked_at) {
        (Some(_), _) => InvitationState::Used,
        (None, Some(_)) => InvitationState::Revoked,
        (None, None) if row.is_open(now) => InvitationState::Open,
        (None, None) => InvitationState::Expired,
    }
}
