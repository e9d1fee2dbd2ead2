//! Who decides: a person with their own token, or a service key that relays what a named person said. Nobody else,
//! whatever they may call.

use serde::{Deserialize, Serialize};
use toolcrib_access::{Caller, Principal, Scopes, Special, WorkspacePolicy};
use toolcrib_model::{ErrorCode, Id, Surface};
use toolcrib_store::{AccessRow, confirmations::ConfirmationRow};

use crate::{
    base::ActionError,
    caller::{Authenticated, CallerClaims, Credential, RequestedContext, ServiceKey, member_named},
    pipeline::Engine,
};

/// How a decision came in.
#[derive(Clone, Debug)]
pub struct DecisionMeta {
    /// How it came in.
    pub surface: Surface,
    /// The request.
    pub request_id: String,
    /// From `traceparent`.
    pub trace_id: Option<String>,
    /// What the body's `user_token` turned out to be.
    pub user_token: Option<Result<Credential, ActionError>>,
}

/// Who sent a decision, before the database said where they stand.
pub(super) struct DecisionMaker {
    /// Whose credential it is.
    own: CallerClaims,
    /// The person whose decision a service key relays.
    relayed: Option<Relayed>,
    /// Why it counts for nothing, whatever the confirmation.
    refused: Option<ActionError>,
}

struct Relayed {
    person: CallerClaims,
    key: Id,
    /// The body carried the person's own token.
    proven: bool,
}

impl DecisionMaker {
    /// From a verified credential. Errors are those of a credential that means nobody here.
    pub async fn of(
        engine: &Engine,
        authenticated: &Authenticated,
        decider: &DecisionMeta,
    ) -> Result<Self, ActionError> {
        let (db, types) = (&engine.db, &engine.settings.caller_types);
        let mut alone = authenticated.clone();
        let named = match &authenticated.credential {
            Credential::Service(_) => alone.requested.on_behalf_of.take(),
            // Of anybody else the header is refused by the next line.
            _ => None,
        };
        let own = CallerClaims::resolve(db, types, &alone, false).await?;
        let (Credential::Service(key), Some(named)) = (&authenticated.credential, named) else {
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
    pub fn asks(&self) -> (Id, toolcrib_store::ActorIds) {
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
        access: Option<&AccessRow>,
    ) -> Result<(Caller, WorkspacePolicy, Option<ActionError>), ActionError> {
        match self.person().caller(access) {
            Ok((caller, policy)) => {
                let refused = self.refused.clone().or_else(|| self.relay_inert(access));
                Ok((caller, policy, refused))
            }
            Err(error) if self.relayed.is_some() => {
                let (sender, policy) = self.own.caller(access)?;
                Ok((sender, policy, Some(error)))
            }
            Err(error) => Err(error),
        }
    }

    /// Why the key that relays may not do so any more: its scope counts while its minters could give it.
    fn relay_inert(&self, access: Option<&AccessRow>) -> Option<ActionError> {
        self.relayed.as_ref()?;
        match self.own.caller(access) {
            Ok((key, _)) if key.scopes.special(Special::ApprovalsRelay) => None,
            Ok(_) => Some(no_relay()),
            Err(error) => Some(error),
        }
    }

    /// What a relayed decision must keep to beside what a person must.
    pub fn may_relay(&self, row: &ConfirmationRow, policy: &WorkspacePolicy) -> Result<(), ActionError> {
        let Some(relayed) = &self.relayed else { return Ok(()) };
        let asked: Option<CallerClaims> = serde_json::from_str(&row.call.requester).ok();
        if row.requester_id == relayed.key || asked.is_none_or(|asked| asked.credential == Some(relayed.key))
        {
            return Err(denied("the key that made the call can't relay its approval")
                .hint("the person decides with their own token, or another key relays the decision"));
        }
        if relayed.proven {
            return Ok(());
        }
        // Else whoever made the key could speak for anybody.
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

/// The named person's decision, if this key may relay and the token, where there is one, is that person's.
async fn relay(
    engine: &Engine,
    own: &CallerClaims,
    key: &ServiceKey,
    named: &str,
    decider: &DecisionMeta,
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
pub(super) fn person(own: &CallerClaims, user_id: Id) -> CallerClaims {
    let principal = Principal::User { user_id };
    CallerClaims { principal, scopes: Scopes::All, key_role: None, ..own.clone() }
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

pub(super) fn no_relay() -> ActionError {
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

/// A person's token in a body. It is never shown, also not by `Debug`.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenText(pub String);

impl std::fmt::Debug for TokenText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenText(…)")
    }
}
