//! Who decides: a person with their own token, or a service key that relays what a named person said. Nobody else,
//! whatever they may call.

use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal, Scopes, Special, WorkspacePolicy};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::{Standing, confirmations::ConfirmationRow};

use crate::{
    ActionError, Credential, Engine, Identity, ServiceKey, Wishes,
    call::Door,
    claimant::{Claimant, member_named, unavailable},
};

/// How a decision came in.
#[derive(Clone, Debug)]
pub struct Decider {
    /// The door.
    pub door: Door,
    /// The request.
    pub request_id: String,
    /// From `traceparent`.
    pub trace_id: Option<String>,
    /// What the body's `user_token` turned out to be.
    pub user_token: Option<Result<Credential, ActionError>>,
}

/// Who sent a decision, before the database said where they stand.
pub(super) struct Sender {
    /// Whose credential it is.
    own: Claimant,
    /// The person whose decision a service key relays.
    relayed: Option<Relayed>,
    /// Why it counts for nothing, whatever the confirmation.
    refused: Option<ActionError>,
}

struct Relayed {
    person: Claimant,
    key: Id,
    /// The body carried the person's own token.
    proven: bool,
}

impl Sender {
    /// From a verified credential. Errors are those of a credential that means nobody here.
    pub async fn of(engine: &Engine, identity: &Identity, decider: &Decider) -> Result<Self, ActionError> {
        let (db, types) = (&engine.db, &engine.settings.caller_types);
        let mut alone = identity.clone();
        let named = match &identity.credential {
            Credential::Service(_) => alone.wishes.on_behalf_of.take(),
            // Of anybody else the header is refused by the next line.
            _ => None,
        };
        let own = Claimant::from_identity(db, types, &alone, false).await?;
        let (Credential::Service(key), Some(named)) = (&identity.credential, named) else {
            let refused = (!matches!(own.principal, Principal::User { .. })).then(no_person);
            return Ok(Self { own, relayed: None, refused });
        };
        match relay(engine, &own, key, &named, decider).await {
            Ok(relayed) => Ok(Self { own, relayed: Some(relayed), refused: None }),
            Err(error) if error.code.status() >= 500 => Err(error),
            Err(error) => Ok(Self { own, relayed: None, refused: Some(error) }),
        }
    }

    /// In which workspace, and whose standing the database is asked for.
    pub fn asks(&self) -> (Id, toolcrib_store::Who) {
        let person = self.person();
        (person.workspace, person.who())
    }

    /// The service key that relays.
    pub fn relayed_by(&self) -> Option<Id> {
        self.relayed.as_ref().map(|relayed| relayed.key)
    }

    /// Who decides, as the database says they stand now; or who sent it, and why it counts for nothing.
    pub fn stands(
        &self,
        standing: Option<&Standing>,
    ) -> Result<(Caller, WorkspacePolicy, Option<ActionError>), ActionError> {
        match self.person().caller(standing) {
            Ok((caller, policy)) => {
                let refused = self.refused.clone().or_else(|| self.relay_inert(standing));
                Ok((caller, policy, refused))
            }
            Err(error) if self.relayed.is_some() => {
                let (sender, policy) = self.own.caller(standing)?;
                Ok((sender, policy, Some(error)))
            }
            Err(error) => Err(error),
        }
    }

    /// Why the key that relays may not do so any more: its scope counts while its minters could give it.
    fn relay_inert(&self, standing: Option<&Standing>) -> Option<ActionError> {
        self.relayed.as_ref()?;
        match self.own.caller(standing) {
            Ok((key, _)) if key.scopes.special(Special::ApprovalsRelay) => None,
            Ok(_) => Some(no_relay()),
            Err(error) => Some(error),
        }
    }

    /// What a relayed decision must keep to beside what a person must.
    pub fn may_relay(&self, row: &ConfirmationRow, policy: &WorkspacePolicy) -> Result<(), ActionError> {
        let Some(relayed) = &self.relayed else { return Ok(()) };
        let asked: Option<Claimant> = serde_json::from_str(&row.requester).ok();
        if row.requester_id == relayed.key || asked.is_none_or(|asked| asked.credential == Some(relayed.key))
        {
            return Err(denied("the key that made the call can't relay its approval")
                .hint("the person decides with their own token, or another key relays it"));
        }
        if relayed.proven {
            return Ok(());
        }
        // Else whoever made the key could speak for anybody.
        let needs = match row.level.as_str() {
            "typed" => "a typed confirmation needs the person's own token, also where it is relayed",
            _ if policy.four_eyes => "with four eyes a relayed decision needs the person's own token",
            _ => return Ok(()),
        };
        Err(denied(needs).hint("send the person's token as `user_token`"))
    }

    fn person(&self) -> &Claimant {
        self.relayed.as_ref().map_or(&self.own, |relayed| &relayed.person)
    }
}

/// The named person's decision, if this key may relay and the token, where there is one, is that person's.
async fn relay(
    engine: &Engine,
    own: &Claimant,
    key: &ServiceKey,
    named: &str,
    decider: &Decider,
) -> Result<Relayed, ActionError> {
    if !key.scopes.special(Special::ApprovalsRelay) {
        return Err(no_relay());
    }
    let user_id = member_named(&engine.db, own.workspace, named).await?;
    let proven = match &decider.user_token {
        Some(token) => proves(engine, own.workspace, user_id, token).await?,
        None => false,
    };
    Ok(Relayed { person: person(own, user_id), key: key.key_id, proven })
}

/// The named person, as if with a token of their own: how they stand is asked for every decision.
fn person(own: &Claimant, user_id: Id) -> Claimant {
    let principal = Principal::User { user_id };
    Claimant { principal, scopes: Scopes::Everything, key_role: None, ..own.clone() }
}

impl Engine {
    /// Who looks at confirmations: a key that relays decisions sees what the person sees whom it names, for it is to
    /// show it to them.
    pub(super) async fn admit_onlooker(
        &self,
        identity: &Identity,
    ) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let named = identity.wishes.on_behalf_of.as_deref();
        let (Credential::Service(key), Some(named)) = (&identity.credential, named) else {
            return self.admit(identity).await;
        };
        if !key.scopes.special(Special::ApprovalsRelay) {
            return self.admit(identity).await;
        }
        let mut alone = identity.clone();
        alone.wishes.on_behalf_of = None;
        let own = Claimant::from_identity(&self.db, &self.settings.caller_types, &alone, false).await?;
        let person = person(&own, member_named(&self.db, own.workspace, named).await?);
        let standing = self.db.standing(person.workspace, person.who()).await.map_err(unavailable)?;
        let (key, _) = own.caller(standing.as_ref())?;
        if !key.scopes.special(Special::ApprovalsRelay) {
            return Err(no_relay());
        }
        person.caller(standing.as_ref())
    }
}

/// Whether the token is that person's, for this workspace.
async fn proves(
    engine: &Engine,
    workspace: Id,
    user_id: Id,
    token: &Result<Credential, ActionError>,
) -> Result<bool, ActionError> {
    let credential = match token {
        Ok(credential @ Credential::User(_)) => credential.clone(),
        Err(error) if error.code != ErrorCode::Unauthenticated => return Err(error.clone()),
        _ => return Err(denied("`user_token` is no valid token of a person")),
    };
    let wishes = Wishes { workspace: Some(workspace.to_string()), ..Wishes::default() };
    let types = &engine.settings.caller_types;
    let person = Claimant::from_identity(&engine.db, types, &Identity { credential, wishes }, false).await?;
    if person.principal == (Principal::User { user_id }) {
        Ok(true)
    } else {
        Err(denied("`user_token` is another person's than `X-On-Behalf-Of` names"))
    }
}

fn no_relay() -> ActionError {
    let detail = "this key may not relay a person's decision: it needs the scope `approvals:relay`, given by who is an \
         owner now";
    ActionError::new(ErrorCode::InsufficientScope, detail)
        .hint("use such a key, let an owner adopt this one, or send the person's own token")
}

fn no_person() -> ActionError {
    denied("a person decides this with their own token; a key can't")
}

fn denied(detail: &str) -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, detail)
}

/// A person's token in a body. It is never shown, also not by `Debug`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenText(pub String);

impl std::fmt::Debug for TokenText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenText(…)")
    }
}
