//! Who decides: a user with their own token, or a service key that relays the decision of a user, by naming
//! them or by a client token. No other credential may decide.

use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_auth::{Authenticated, ClientToken, Credential};
use toolcrib_model::{Id, Surface};
use toolcrib_store::{AccessRow, confirmations::ConfirmationRow};

use super::{
    authorize::AuthorizedDecider,
    relayed::{OWN_TOKEN, RelayProof, Relayed, UserTokenResult, denied, relayed},
};
use crate::{
    base::ActionError,
    caller::{CallerClaims, relay},
    confirm::view::visible,
    engine::Engine,
};

/// The metadata of a decision's request.
#[derive(Clone, Debug)]
pub struct DecisionMeta {
    pub surface: Surface,
    pub request_id: String,
    /// The trace id of `traceparent`.
    pub trace_id: Option<String>,
    /// The result of verifying the body's `user_token`.
    pub user_token: Option<UserTokenResult>,
}

/// The sender of a decision, before the database is read.
pub(crate) struct Decider {
    /// The claims of the credential.
    own: CallerClaims,
    /// The user whose decision a service key relays.
    relayed: Option<Relayed>,
    /// Why the sender may not decide any confirmation.
    refused: Option<ActionError>,
}

impl Decider {
    /// Resolves the sender from a verified credential, and the `user_token` of the body, if any. Returns an error
    /// if the credential is not valid for this workspace.
    pub async fn of(
        engine: &Engine,
        authenticated: &Authenticated,
        user_token: Option<&UserTokenResult>,
    ) -> Result<Self, ActionError> {
        let mut alone = authenticated.clone();
        let named = match &authenticated.credential {
            Credential::Service(_) => alone.requested.on_behalf_of.take(),
            // The next line refuses the header for other credentials.
            _ => None,
        };
        let own = engine.claims(&alone).await?;
        if let Credential::Client(token) = &authenticated.credential {
            return Ok(Self::with_client_token(&own, token, user_token.is_some()));
        }
        let (Credential::Service(key), Some(named)) = (&authenticated.credential, named) else {
            let is_person = matches!(own.principal, Principal::User { .. })
                && !matches!(authenticated.credential, Credential::Stored(_));
            let refused = (!is_person).then(no_person);
            return Ok(Self { own, relayed: None, refused });
        };
        match relayed(engine, &own, key, &named, user_token).await {
            Ok(relayed) => Ok(Self { own, relayed: Some(relayed), refused: None }),
            Err(error) if error.code.status() >= 500 => Err(error),
            Err(error) => Ok(Self { own, relayed: None, refused: Some(error) }),
        }
    }

    fn with_client_token(own: &CallerClaims, token: &ClientToken, has_user_token: bool) -> Self {
        let (key, person) = (token.key.key_id, relay::person(own, token.user_id));
        let detail = "a client token is the only credential of its request: `user_token` is for keys";
        let refused = has_user_token.then(|| denied(detail).hint(OWN_TOKEN));
        let relayed = Some(Relayed { person, key, proof: RelayProof::ClientToken });
        Self { own: relay::key_alone(own, key), relayed, refused }
    }

    /// Returns the workspace, and the ids for which the access row is read.
    pub fn actor(&self) -> (Id, toolcrib_store::ActorIds) {
        let person = self.person();
        (person.workspace, person.actor_ids())
    }

    /// Returns the service key that relays the decision.
    pub fn relayed_by(&self) -> Option<Id> {
        self.relayed.as_ref().map(|relayed| relayed.key)
    }

    /// Returns the decider with their current role; or the sender, with the reason why they may not decide.
    pub fn authorize(&self, access: Option<&AccessRow>) -> Result<AuthorizedDecider<'_>, ActionError> {
        let ((caller, policy), refused) = match self.person().caller(access) {
            Ok(person) => (person, self.refused.clone().or_else(|| self.relay_refusal(access))),
            Err(error) if self.relayed.is_some() => (self.own.caller(access)?, Some(error)),
            Err(error) => return Err(error),
        };
        Ok(AuthorizedDecider { decider: self, caller, policy, refused })
    }

    /// Returns why the key may not relay any more.
    fn relay_refusal(&self, access: Option<&AccessRow>) -> Option<ActionError> {
        self.relayed.as_ref()?;
        relay::check_key(&self.own, access).err()
    }

    /// Returns whether the sender may see a record as `caller`. A client token shows the calls of its user in its
    /// conversation alone.
    pub fn sees(&self, caller: &Caller, row: &ConfirmationRow) -> bool {
        let is_concerned = self.of_client_token().is_none_or(|person| {
            row.requester_user_id == person.principal.user()
                && row.session.as_deref() == person.session.as_deref()
        });
        is_concerned && visible(caller, row)
    }

    /// Returns the user and conversation of a client token; `None` for another credential.
    pub fn of_client_token(&self) -> Option<&CallerClaims> {
        let relayed = self.relayed.as_ref()?;
        (relayed.proof == RelayProof::ClientToken).then_some(&relayed.person)
    }

    /// Returns the sender of an approval. A client token approves a call as it stands.
    pub fn of_approval(mut self, changes: bool) -> Self {
        if changes && self.of_client_token().is_some() {
            let detail =
                "with a client token a call is approved as it stands: without `arguments` and `remember`";
            self.refused = self.refused.or(Some(denied(detail).hint(OWN_TOKEN)));
        }
        self
    }

    /// Checks the additional rules of a relayed decision.
    pub fn may_relay(&self, row: &ConfirmationRow, policy: &WorkspacePolicy) -> Result<(), ActionError> {
        self.relayed.as_ref().map_or(Ok(()), |relayed| relayed.check(row, policy))
    }

    fn person(&self) -> &CallerClaims {
        self.relayed.as_ref().map_or(&self.own, |relayed| &relayed.person)
    }
}

fn no_person() -> ActionError {
    denied("only a person with their own token can decide this; a key can't")
}

/// A user token in a body. `Debug` does not show it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenText(pub String);

impl std::fmt::Debug for TokenText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenText(…)")
    }
}
