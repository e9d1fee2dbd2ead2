//! Decisions that a service key relays: what proves the user, and which confirmations it is about.

use toolcrib_access::{Principal, Special, WorkspacePolicy};
use toolcrib_auth::{Authenticated, Credential, RequestedContext, ServiceKey};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::ConfirmationLevel;
use toolcrib_store::confirmations::ConfirmationRow;

use crate::{
    base::ActionError,
    caller::{CallerClaims, member_named, relay},
    confirm::requester_of,
    engine::Engine,
};

/// The hint for what a client token may not do.
pub(super) const OWN_TOKEN: &str = "the person decides with their own token, such as at `approve_url`";

pub(super) type UserTokenResult = Result<Credential, ActionError>;

/// The user whose decision a service key relays.
pub(super) struct Relayed {
    pub person: CallerClaims,
    pub key: Id,
    pub proof: RelayProof,
}

/// What a key shows for the user whose decision it relays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelayProof {
    /// The header that names the user.
    Header,
    /// The user's own token in the body.
    UserToken,
    ClientToken,
}

impl Relayed {
    /// Checks the additional rules of a relayed decision.
    pub fn check(&self, row: &ConfirmationRow, policy: &WorkspacePolicy) -> Result<(), ActionError> {
        let requester = requester_of(row).ok();
        if row.requester_id == self.key
            || requester.is_none_or(|requester| requester.credential == Some(self.key))
        {
            return Err(denied("the key that made the call can't relay its approval")
                .hint("the person decides with their own token, or another key relays the decision"));
        }
        if self.proof == RelayProof::UserToken {
            return Ok(());
        }
        // Without the token, the owner of the key could decide in the name of any user.
        let needs = match ConfirmationLevel::of_waiting(&row.level) {
            ConfirmationLevel::Typed => {
                "a typed confirmation needs the person's own token, even when it is relayed"
            }
            _ if policy.four_eyes => "with `four_eyes` a relayed decision needs the person's own token",
            _ => return Ok(()),
        };
        let client = self.proof == RelayProof::ClientToken;
        Err(denied(needs).hint(if client { OWN_TOKEN } else { "send the person's token as `user_token`" }))
    }
}

/// Returns the relayed decision of the named user, if the key may relay and the token, if any, belongs to
/// that user.
pub(super) async fn relayed(
    engine: &Engine,
    own: &CallerClaims,
    key: &ServiceKey,
    named: &str,
    user_token: Option<&UserTokenResult>,
) -> Result<Relayed, ActionError> {
    if !key.scopes.special(Special::ApprovalsRelay) {
        return Err(relay::no_relay());
    }
    let user_id = member_named(&engine.db, own.workspace, named).await?;
    let proven = match user_token {
        Some(token) => proves(engine, own.workspace, user_id, token).await?,
        None => false,
    };
    let proof = if proven { RelayProof::UserToken } else { RelayProof::Header };
    Ok(Relayed { person: relay::person(own, user_id), key: key.key_id, proof })
}

/// Returns whether the token belongs to that user and is valid for this workspace.
async fn proves(
    engine: &Engine,
    workspace: Id,
    user_id: Id,
    token: &UserTokenResult,
) -> Result<bool, ActionError> {
    let credential = match token {
        Ok(credential @ Credential::User(_)) => credential.clone(),
        Err(error) if error.code != ErrorCode::Unauthenticated => return Err(error.clone()),
        _ => return Err(denied("`user_token` is not a valid user token")),
    };
    let requested =
        RequestedContext { workspace: Some(workspace.to_string()), ..RequestedContext::default() };
    let person = engine.claims(&Authenticated { credential, requested }).await?;
    if person.principal == (Principal::User { user_id }) {
        Ok(true)
    } else {
        Err(denied("`user_token` and `X-On-Behalf-Of` name different people"))
    }
}

/// Returns the error of a decision that the sender may not make.
pub(super) fn denied(detail: &str) -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, detail)
}
