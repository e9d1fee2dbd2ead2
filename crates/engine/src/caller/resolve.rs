//! Derives the claims of a caller from a verified credential and the requested context.

use std::sync::Arc;

use futures_util::FutureExt as _;
use toolcrib_access::{PackContexts, Principal, Provenance, Scopes, Special, TokenSubject};
use toolcrib_auth::{Authenticated, Credential, ServiceKey};
use toolcrib_model::{CallerType, ErrorCode, Id, Role};
use toolcrib_store::{Db, lookup, members, users};

use super::{
    claims::{CallerClaims, no_member, unavailable},
    relay,
};
use crate::base::ActionError;

impl CallerClaims {
    /// Derives the claims. Reads the database only to resolve external ids and subjects. With
    /// `workspace_optional` the call gets the nil id if no workspace is named.
    pub async fn resolve(
        db: &Db,
        types: &[String],
        authenticated: &Authenticated,
        workspace_optional: bool,
    ) -> Result<Self, ActionError> {
        if let Credential::Stored(caller) = &authenticated.credential {
            return Self::of_stored(caller);
        }
        let workspace = match workspace(db, authenticated).await {
            Err(error) if workspace_optional && error.code == ErrorCode::WorkspaceRequired => Id::nil(),
            found => found?,
        };
        let mission = mission(authenticated)?;
        let caller_type = caller_type(types, authenticated)?;
        let session = session(authenticated)?;
        let (principal, scopes, key_role) = principal(db, workspace, authenticated).await?;
        let system_admin = matches!(&authenticated.credential, Credential::User(token) if token.system_admin);
        let credential = match &authenticated.credential {
            Credential::User(_) | Credential::Stored(_) => None,
            Credential::Agent(key) => Some(key.key_id),
            Credential::Service(key) => Some(key.key_id),
            Credential::Operator(key) => Some(key.key_id),
            Credential::Client(token) => Some(token.key.key_id),
        };
        let provenance = Provenance { token: unknown_subject(authenticated), ..Provenance::default() };
        Ok(Self {
            workspace,
            principal,
            system_admin,
            caller_type,
            scopes,
            key_role,
            session,
            mission,
            credential,
            provenance,
            pack_contexts: PackContexts::new(
                authenticated.requested.packs.iter().map(|(slug, value)| (*slug, value.as_str())),
            ),
            people: Vec::new(),
        })
    }
}

/// Returns issuer and subject of a token whose user has no row.
fn unknown_subject(authenticated: &Authenticated) -> Option<Arc<TokenSubject>> {
    let Credential::User(token) = &authenticated.credential else { return None };
    let subject = TokenSubject { issuer: Arc::clone(&token.issuer), subject: Arc::clone(&token.subject) };
    token.user_id.is_none().then(|| Arc::new(subject))
}

async fn workspace(db: &Db, authenticated: &Authenticated) -> Result<Id, ActionError> {
    let wished = match &authenticated.requested.workspace {
        Some(text) => Some(workspace_id(db, text).await?),
        None => None,
    };
    let own = match &authenticated.credential {
        Credential::User(token) => match &token.workspace {
            Some(text) => Some(workspace_id(db, text).await?),
            None => None,
        },
        Credential::Agent(key) => Some(key.workspace),
        Credential::Service(key) => Some(key.workspace),
        Credential::Operator(_) | Credential::Stored(_) => None,
        Credential::Client(token) => Some(token.key.workspace),
    };
    match (own, wished) {
        (Some(own), Some(wished)) if own != wished => Err(ActionError::new(
            ErrorCode::WorkspaceMismatch,
            "`X-Workspace-Id` and the credential name different workspaces",
        )
        .hint("omit `X-Workspace-Id`, or use a credential of that workspace")),
        (Some(id), _) | (None, Some(id)) => Ok(id),
        (None, None) => Err(ActionError::new(ErrorCode::WorkspaceRequired, "the request names no workspace")
            .hint("send `X-Workspace-Id`; `GET /v1/workspaces` lists yours")),
    }
}

async fn workspace_id(db: &Db, text: &str) -> Result<Id, ActionError> {
    if let Ok(id) = Id::try_parse(text) {
        return Ok(id);
    }
    let found = lookup::workspace_by_external(db, text).boxed().await.map_err(unavailable)?;
    // Another customer's workspace and a missing one give the same error, so that callers can't probe for
    // workspaces.
    found.ok_or_else(no_member)
}

/// Returns the conversation: that of a client token, or else the one that the request names.
fn session(authenticated: &Authenticated) -> Result<Option<Arc<str>>, ActionError> {
    let wished = authenticated.requested.session.as_deref();
    let Credential::Client(token) = &authenticated.credential else { return Ok(wished.map(Into::into)) };
    relay::check_session(token, wished)?;
    Ok(Some(Arc::clone(&token.session)))
}

fn mission(authenticated: &Authenticated) -> Result<Option<Id>, ActionError> {
    let wished = match &authenticated.requested.mission {
        None => None,
        Some(text) => Some(Id::try_parse(text).map_err(|_| {
            ActionError::new(
                ErrorCode::MalformedRequest,
                format!("`X-Mission-Id` must be an ID: `{text}` is not one"),
            )
        })?),
    };
    match (&authenticated.credential, wished) {
        (Credential::Agent(key), Some(wished)) if key.mission.is_some_and(|own| own != wished) => {
            Err(ActionError::new(ErrorCode::PermissionDenied, "this key belongs to another mission"))
        }
        (Credential::Agent(key), wished) => Ok(key.mission.or(wished)),
        (_, wished) => Ok(wished),
    }
}

fn caller_type(types: &[String], authenticated: &Authenticated) -> Result<CallerType, ActionError> {
    let (listed, default): (Vec<&str>, &str) = match &authenticated.credential {
        Credential::User(token) => {
            (CallerType::FOR_USERS.to_vec(), if token.console { "console" } else { "api" })
        }
        Credential::Agent(key) => of_key(&key.caller_types),
        Credential::Service(key) => of_key(&key.caller_types),
        Credential::Operator(_) | Credential::Stored(_) => (vec!["api"], "api"),
        Credential::Client(token) => of_key(&token.key.caller_types),
    };
    let wished = authenticated.requested.caller_type.as_deref().unwrap_or(default);
    if listed.contains(&wished) && types.iter().any(|known| known == wished) {
        return Ok(CallerType::new(wished));
    }
    Err(ActionError::new(ErrorCode::PermissionDenied, format!("this credential may not call as `{wished}`"))
        .hint(format!("`X-Caller-Type` may be {}", listed.join(", "))))
}

fn of_key(types: &[String]) -> (Vec<&str>, &str) {
    (types.iter().map(String::as_str).collect(), types.first().map_or("api", String::as_str))
}

async fn principal(
    db: &Db,
    workspace: Id,
    authenticated: &Authenticated,
) -> Result<(Principal, Scopes, Option<Role>), ActionError> {
    if authenticated.requested.on_behalf_of.is_some()
        && !matches!(authenticated.credential, Credential::Service(_))
    {
        return Err(ActionError::new(
            ErrorCode::InsufficientScope,
            "only a service key may act for a member",
        )
        .hint("leave `X-On-Behalf-Of` out"));
    }
    match &authenticated.credential {
        Credential::User(token) => {
            let user_id = token.user_id.unwrap_or_else(|| users::id_of(&token.issuer, &token.subject));
            Ok((Principal::User { user_id }, Scopes::All, None))
        }
        Credential::Agent(key) => {
            let principal = Principal::Agent { agent_id: key.agent_id, runs_as: key.runs_as };
            Ok((principal, key.scopes.clone(), None))
        }
        Credential::Service(key) => {
            let on_behalf_of =
                on_behalf_of(db, workspace, key, authenticated.requested.on_behalf_of.as_deref()).await?;
            let role = key.role.parse().ok();
            Ok((Principal::Service { key_id: key.key_id, on_behalf_of }, key.scopes.clone(), role))
        }
        Credential::Operator(key) => {
            Ok((Principal::Operator { key_id: key.key_id }, key.scopes.clone(), None))
        }
        // Without `act_as` and a role, this principal is refused by everything that does not relay decisions.
        Credential::Client(token) => {
            let (key_id, on_behalf_of) = (token.key.key_id, Some(token.user_id));
            Ok((Principal::Service { key_id, on_behalf_of }, token.key.scopes.clone(), None))
        }
        Credential::Stored(caller) => {
            let claims = CallerClaims::of_stored(caller)?;
            Ok((claims.principal, claims.scopes, claims.key_role))
        }
    }
}

async fn on_behalf_of(
    db: &Db,
    workspace: Id,
    key: &ServiceKey,
    wished: Option<&str>,
) -> Result<Option<Id>, ActionError> {
    let Some(wished) = wished else { return Ok(None) };
    if !key.scopes.special(Special::ActAs) {
        return Err(ActionError::new(ErrorCode::InsufficientScope, "this key may not act for a member")
            .hint("omit `X-On-Behalf-Of`, or use a key with the scope `act_as`"));
    }
    member_named(db, workspace, wished).await.map(Some)
}

/// Returns the user id that `X-On-Behalf-Of` names, by id or subject. An id is not looked up here: the access
/// row tells whether the user is a member.
pub(crate) async fn member_named(db: &Db, workspace: Id, wished: &str) -> Result<Id, ActionError> {
    if let Ok(id) = Id::try_parse(wished) {
        return Ok(id);
    }
    let mut tx = db.read(workspace).await.map_err(unavailable)?;
    let found = members::by_subject(&mut tx, wished).await.map_err(unavailable)?;
    tx.end().await.map_err(unavailable)?;
    found.ok_or_else(no_member)
}

#[cfg(test)]
mod tests;
