//! Who claims to call, before the database said where they stand.

use std::sync::Arc;

use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};
use toolcrib_access::{
    Authority, Caller, Delegation, Minter, Principal, Provenance, Revoked, Scopes, Special, TokenSubject,
    WorkspacePolicy,
};
use toolcrib_model::{CallerType, ErrorCode, Id, Role};
use toolcrib_store::{Db, Standing, Who, lookup, members, users};

use crate::{ActionError, Credential, Identity, ServiceKey, promotions};

/// Who claims to call, in which workspace. A confirmation keeps it, so that the approved call can be judged again as
/// its requester.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Claimant {
    /// The workspace that was named.
    pub workspace: Id,
    /// Which credential acts.
    pub principal: Principal,
    /// A verified token says so.
    pub system_admin: bool,
    /// What kind of application it is.
    pub caller_type: CallerType,
    /// What the credential was given.
    pub scopes: Scopes,
    /// The role that a service key was given; used where it acts for nobody.
    pub key_role: Option<Role>,
    /// The conversation.
    pub session: Option<Arc<str>>,
    /// The mission.
    pub mission: Option<Id>,
    /// The key, or absent for a token.
    pub credential: Option<Id>,
    /// What else the call is put down to, as far as the credential and the request say it.
    #[serde(default)]
    pub provenance: Provenance,
    /// Everybody who stood behind the call when it was asked, its user included. Only a confirmation's record has them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<Id>,
}

impl Claimant {
    /// From a verified credential and the request's wishes. Asks the database only for external ids and subjects.
    /// `placeless` calls need no workspace: where none is named they get the nil one.
    pub async fn from_identity(
        db: &Db,
        types: &[String],
        identity: &Identity,
        placeless: bool,
    ) -> Result<Self, ActionError> {
        let workspace = match workspace(db, identity).await {
            Err(fault) if placeless && fault.code == ErrorCode::WorkspaceRequired => Id::nil(),
            found => found?,
        };
        let mission = mission(identity)?;
        let caller_type = caller_type(types, identity)?;
        let session = identity.wishes.session.as_deref().map(Into::into);
        let (principal, scopes, key_role) = principal(db, workspace, identity).await?;
        let system_admin = matches!(&identity.credential, Credential::User(token) if token.system_admin);
        let credential = match &identity.credential {
            Credential::User(_) => None,
            Credential::Agent(key) => Some(key.key_id),
            Credential::Service(key) => Some(key.key_id),
            Credential::Operator(key) => Some(key.key_id),
        };
        let provenance = Provenance { token: unknown_subject(identity), ..Provenance::default() };
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
            people: Vec::new(),
        })
    }

    /// Whose standing the database is asked for.
    pub fn who(&self) -> Who {
        let agent_id = match self.principal {
            Principal::Agent { agent_id, .. } => Some(agent_id),
            _ => None,
        };
        // An operator key belongs to no workspace, and nobody minted it.
        let key_id = self.credential.filter(|_| !matches!(self.principal, Principal::Operator { .. }));
        Who { user_id: self.principal.user(), agent_id, key_id }
    }

    /// The caller, as the database says they stand now: gate 3's rule. Missing or inactive membership is refused. A
    /// workspace that does not exist answers like one whose member they are not; the nil workspace stands for calls
    /// that need none.
    pub fn caller(&self, standing: Option<&Standing>) -> Result<(Caller, WorkspacePolicy), ActionError> {
        self.caller_where(standing, false)
    }

    /// The same where the workspace may be one that was deleted: a system admin is let in, to read its log.
    pub fn caller_where(
        &self,
        standing: Option<&Standing>,
        deleted: bool,
    ) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let (held, minters, mut policy) = match standing {
            Some(standing) => {
                let policy = crate::policy::of(standing)?;
                let minters = minters(standing)?;
                (self.authority(standing, &minters, &policy)?, minters, policy)
            }
            None if self.workspace.is_nil() => {
                let nothing = Authority { role: None, scopes: self.scopes.clone() };
                (nothing, Vec::new(), WorkspacePolicy::default())
            }
            None if deleted && self.system_admin => {
                let nothing = Authority { role: None, scopes: self.scopes.clone() };
                (nothing, Vec::new(), WorkspacePolicy { deleted, ..WorkspacePolicy::default() })
            }
            None => return Err(no_member()),
        };
        let minters = minters.iter().map(|minter| minter.user_id).collect();
        let caller = Caller {
            workspace: self.workspace,
            principal: self.principal,
            role: held.role,
            system_admin: self.system_admin,
            caller_type: self.caller_type.clone(),
            caller_name: standing.and_then(|standing| standing.agent_slug.as_deref()).map(Into::into),
            scopes: held.scopes,
            session: self.session.clone(),
            mission: self.mission,
            credential: self.credential,
            provenance: Provenance { minters, ..self.provenance.clone() },
        };
        policy.promoted =
            promotions::of_caller(standing.and_then(|standing| standing.promotions.as_deref()), &caller)?;
        Ok((caller, policy))
    }

    /// What all parties of the call hold together now.
    fn authority(
        &self,
        standing: &Standing,
        minters: &[Minter],
        policy: &WorkspacePolicy,
    ) -> Result<Authority, ActionError> {
        if let Principal::Agent { .. } = self.principal
            && standing.agent_status.as_deref() != Some("active")
        {
            return Err(ActionError::new(
                ErrorCode::PermissionDenied,
                "this agent is disabled or was deleted",
            ));
        }
        let delegation = Delegation {
            principal: self.principal,
            subject_role: self.subject_role(standing)?,
            key_role: self.key_role,
            scopes: &self.scopes,
            minters,
        };
        delegation.authority(policy).map_err(|revoked| match revoked {
            Revoked::Minter => minter_gone(),
            Revoked::ActAs => impersonation_inert(),
        })
    }

    /// The current role of the member who acts or for whom somebody acts. An unknown role holds nothing; it is not guessed.
    fn subject_role(&self, standing: &Standing) -> Result<Option<Role>, ActionError> {
        if self.principal.user().is_none() {
            return Ok(None);
        }
        match (&standing.role, standing.active) {
            (Some(role), Some(true)) => Ok(role.parse().ok()),
            _ if self.system_admin => Ok(None),
            _ => Err(no_member()),
        }
    }
}

/// The minters of the key that was used. A role that is unknown counts as none.
fn minters(standing: &Standing) -> Result<Vec<Minter>, ActionError> {
    let minters = standing.minters().map_err(unavailable)?;
    Ok(minters.into_iter().map(|(user_id, role)| Minter { user_id, role: role.parse().ok() }).collect())
}

/// Issuer and subject of a token whose person we have no row of.
fn unknown_subject(identity: &Identity) -> Option<Arc<TokenSubject>> {
    let Credential::User(token) = &identity.credential else { return None };
    let subject = TokenSubject { issuer: Arc::clone(&token.issuer), subject: Arc::clone(&token.subject) };
    token.user_id.is_none().then(|| Arc::new(subject))
}

fn minter_gone() -> ActionError {
    let detail = "who made this key is no active member of the workspace any more";
    ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("a workspace admin can adopt the key: `POST /v1/keys/{id}/adopt`")
        .because("minter")
}

fn impersonation_inert() -> ActionError {
    let detail = "this key may not act for a member: only what an owner gave it counts, while they are one";
    ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("leave `X-On-Behalf-Of` out, or ask an owner to adopt the key: `POST /v1/keys/{id}/adopt`")
        .because("minter")
}

fn no_member() -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, "you are no active member of this workspace")
        .hint("ask an admin of the workspace to add you, or name another workspace in `X-Workspace-Id`")
}

async fn workspace(db: &Db, identity: &Identity) -> Result<Id, ActionError> {
    let wished = match &identity.wishes.workspace {
        Some(text) => Some(workspace_id(db, text).await?),
        None => None,
    };
    let own = match &identity.credential {
        Credential::User(token) => match &token.workspace {
            Some(text) => Some(workspace_id(db, text).await?),
            None => None,
        },
        Credential::Agent(key) => Some(key.workspace),
        Credential::Service(key) => Some(key.workspace),
        Credential::Operator(_) => None,
    };
    match (own, wished) {
        (Some(own), Some(wished)) if own != wished => Err(ActionError::new(
            ErrorCode::WorkspaceMismatch,
            "`X-Workspace-Id` names another workspace than the credential",
        )
        .hint("leave `X-Workspace-Id` out, or use a credential of that workspace")),
        (Some(id), _) | (None, Some(id)) => Ok(id),
        (None, None) => Err(ActionError::new(ErrorCode::WorkspaceRequired, "no workspace was named")
            .hint("send `X-Workspace-Id`; `GET /v1/workspaces` lists yours")),
    }
}

async fn workspace_id(db: &Db, text: &str) -> Result<Id, ActionError> {
    if let Ok(id) = Id::try_parse(text) {
        return Ok(id);
    }
    let found = lookup::workspace_by_external(db, text).boxed().await.map_err(unavailable)?;
    // Somebody else's workspace and none at all answer alike.
    found.ok_or_else(no_member)
}

/// Rights that can't be read are no rights: 503, nothing is done.
pub(crate) fn unavailable(fault: toolcrib_store::StoreError) -> ActionError {
    let mut error = ActionError::from(fault);
    error.code = ErrorCode::AuthorizationUnavailable;
    error.detail = "your rights can't be read now; nothing was done".into();
    error
}

fn mission(identity: &Identity) -> Result<Option<Id>, ActionError> {
    let wished = match &identity.wishes.mission {
        None => None,
        Some(text) => Some(Id::try_parse(text).map_err(|_| {
            ActionError::new(ErrorCode::MalformedRequest, format!("`X-Mission-Id` is no id: `{text}`"))
        })?),
    };
    match (&identity.credential, wished) {
        (Credential::Agent(key), Some(wished)) if key.mission.is_some_and(|own| own != wished) => {
            Err(ActionError::new(ErrorCode::PermissionDenied, "this key belongs to another mission"))
        }
        (Credential::Agent(key), wished) => Ok(key.mission.or(wished)),
        (_, wished) => Ok(wished),
    }
}

fn caller_type(types: &[String], identity: &Identity) -> Result<CallerType, ActionError> {
    let (listed, default): (Vec<&str>, &str) = match &identity.credential {
        Credential::User(_) => (CallerType::FOR_USERS.to_vec(), "api"),
        Credential::Agent(key) => of_key(&key.caller_types),
        Credential::Service(key) => of_key(&key.caller_types),
        Credential::Operator(_) => (vec!["api"], "api"),
    };
    let wished = identity.wishes.caller_type.as_deref().unwrap_or(default);
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
    identity: &Identity,
) -> Result<(Principal, Scopes, Option<Role>), ActionError> {
    if identity.wishes.on_behalf_of.is_some() && !matches!(identity.credential, Credential::Service(_)) {
        return Err(ActionError::new(
            ErrorCode::InsufficientScope,
            "only a service key may act for a member",
        )
        .hint("leave `X-On-Behalf-Of` out"));
    }
    match &identity.credential {
        Credential::User(token) => {
            let user_id = token.user_id.unwrap_or_else(|| users::id_of(&token.issuer, &token.subject));
            Ok((Principal::User { user_id }, Scopes::Everything, None))
        }
        Credential::Agent(key) => {
            let principal = Principal::Agent { agent_id: key.agent_id, runs_as: key.runs_as };
            Ok((principal, key.scopes.clone(), None))
        }
        Credential::Service(key) => {
            let on_behalf_of =
                on_behalf_of(db, workspace, key, identity.wishes.on_behalf_of.as_deref()).await?;
            let role = key.role.parse().ok();
            Ok((Principal::Service { key_id: key.key_id, on_behalf_of }, key.scopes.clone(), role))
        }
        Credential::Operator(key) => {
            Ok((Principal::Operator { key_id: key.key_id }, key.scopes.clone(), None))
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
            .hint("leave `X-On-Behalf-Of` out, or use a key with the scope `act_as`"));
    }
    member_named(db, workspace, wished).await.map(Some)
}

/// The member whom `X-On-Behalf-Of` names, by our id or their subject. Whether an id is a member's is asked with
/// everything else about them.
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
