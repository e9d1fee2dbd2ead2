//! Who decides: a user with their own token, or a service key that relays the decision of a named user. No
//! other credential may decide.

use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal, Scopes, Special, WorkspacePolicy};
use toolcrib_model::{ErrorCode, Id, Surface};
use toolcrib_store::{AccessRow, confirmations::ConfirmationRow};

use crate::{
    base::ActionError,
    caller::{Authenticated, CallerClaims, Credential, RequestedContext, ServiceKey, member_named},
    pipeline::Engine,
};

/// The metadata of a decision's request.
#[derive(Clone, Debug)]
pub struct DecisionMeta {
    /// The surface of the request.
    pub surface: Surface,
    /// The id of the request.
    pub request_id: String,
    /// The trace id of `traceparent`.
    pub trace_id: Option<String>,
    /// The result of verifying the body's `user_token`.
    pub user_token: Option<UserTokenResult>,
}

/// The result of verifying a user token.
type UserTokenResult = Result<Credential, ActionError>;

/// The sender of a decision, before the database is read.
pub(super) struct DecisionMaker {
    /// The claims of the credential.
    own: CallerClaims,
    /// The user whose decision a service key relays.
    relayed: Option<Relayed>,
    /// Why the sender may not decide any confirmation.
    refused: Option<ActionError>,
}

struct Relayed {
    person: CallerClaims,
    key: Id,
    /// Whether the body contains the user's own token.
    proven: bool,
}

impl DecisionMaker {
    /// Resolves the sender from a verified credential, and the `user_token` of the body, if any. Returns an error
    /// if the credential is not valid for this workspace.
    pub async fn of(
        engine: &Engine,
        authenticated: &Authenticated,
        user_token: Option<&UserTokenResult>,
    ) -> Result<Self, ActionError> {
        let (db, types) = (&engine.db, &engine.settings.caller_types);
        let mut alone = authenticated.clone();
        let named = match &authenticated.credential {
            Credential::Service(_) => alone.requested.on_behalf_of.take(),
            // The next line refuses the header for other credentials.
            _ => None,
        };
        let own = CallerClaims::resolve(db, types, &alone, false).await?;
        let (Credential::Service(key), Some(named)) = (&authenticated.credential, named) else {
            let refused = (!matches!(own.principal, Principal::User { .. })).then(no_person);
            return Ok(Self { own, relayed: None, refused });
        };
        match relay(engine, &own, key, &named, user_token).await {
            Ok(relayed) => Ok(Self { own, relayed: Some(relayed), refused: None }),
            Err(error) if error.code.status() >= 500 => Err(error),
            Err(error) => Ok(Self { own, relayed: None, refused: Some(error) }),
        }
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
    pub fn authorize(
        &self,
        access: Option<&AccessRow>,
    ) -> Result<(Caller, WorkspacePolicy, Option<ActionError>), ActionError> {
        match self.person().caller(access) {
            Ok((caller, policy)) => {
                let refused = self.refused.clone().or_else(|| self.relay_refusal(access));
                Ok((caller, policy, refused))
            }
            Err(error) if self.relayed.is_some() => {
                let (sender, policy) = self.own.caller(access)?;
                Ok((sender, policy, Some(error)))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns why the key may not relay any more. Its scope is valid only while its minters could grant it.
    fn relay_refusal(&self, access: Option<&AccessRow>) -> Option<ActionError> {
        self.relayed.as_ref()?;
        match self.own.caller(access) {
            Ok((key, _)) if key.scopes.special(Special::ApprovalsRelay) => None,
            Ok(_) => Some(no_relay()),
            Err(error) => Some(error),
        }
    }

    /// Checks the additional rules of a relayed decision.
    pub fn may_relay(&self, row: &ConfirmationRow, policy: &WorkspacePolicy) -> Result<(), ActionError> {
        let Some(relayed) = &self.relayed else { return Ok(()) };
        let requester: Option<CallerClaims> = serde_json::from_str(&row.call.requester).ok();
        if row.requester_id == relayed.key
            || requester.is_none_or(|requester| requester.credential == Some(relayed.key))
        {
            return Err(denied("the key that made the call can't relay its approval")
                .hint("the person decides with their own token, or another key relays the decision"));
        }
        if relayed.proven {
            return Ok(());
        }
        // Without the token, the owner of the key could decide in the name of any user.
        let needs = match row.level.as_str() {
            "typed" => "a typed confirmation needs the person's own token, even when it is relayed",
            _ if policy.four_eyes => "with `four_eyes` a relayed decision needs the person's own token",
            _ => return Ok(()),
        };
        Err(denied(needs).hint("send the person's token as `user_token`"))
    }

    fn person(&self) -> &CallerClaims {
        self.relayed.as_ref().map_or(&self.own, |relayed| &relayed.person)
    }
}

/// Returns the relayed decision of the named user, if the key may relay and the token, if any, belongs to
/// that user.
async fn relay(
    engine: &Engine,
    own: &CallerClaims,
    key: &ServiceKey,
    named: &str,
    user_token: Option<&UserTokenResult>,
) -> Result<Relayed, ActionError> {
    if !key.scopes.special(Special::ApprovalsRelay) {
        return Err(no_relay());
    }
    let user_id = member_named(&engine.db, own.workspace, named).await?;
    let proven = match user_token {
        Some(token) => proves(engine, own.workspace, user_id, token).await?,
        None => false,
    };
    Ok(Relayed { person: person(own, user_id), key: key.key_id, proven })
}

/// Returns the claims of the named user, as with a token of their own. Every decision reads their access row.
fn person(own: &CallerClaims, user_id: Id) -> CallerClaims {
    let principal = Principal::User { user_id };
    CallerClaims { principal, scopes: Scopes::All, key_role: None, ..own.clone() }
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
    let types = &engine.settings.caller_types;
    let person =
        CallerClaims::resolve(&engine.db, types, &Authenticated { credential, requested }, false).await?;
    if person.principal == (Principal::User { user_id }) {
        Ok(true)
    } else {
        Err(denied("`user_token` and `X-On-Behalf-Of` name different people"))
    }
}

fn no_relay() -> ActionError {
    let detail = "this key may not relay a person's decision: it needs the scope `approvals:relay`, given by who is an \
         owner now";
    ActionError::new(ErrorCode::InsufficientScope, detail)
        .hint("use such a key, ask an owner to adopt this key, or send the person's own token")
}

fn no_person() -> ActionError {
    denied("only a person with their own token can decide this; a key can't")
}

fn denied(detail: &str) -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, detail)
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
