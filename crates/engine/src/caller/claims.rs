//! What a caller claims before the database confirms the membership.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolcrib_access::{
    Authority, Caller, Delegation, Minter, PackContexts, Principal, Provenance, RevokedReason, Scopes,
    WorkspacePolicy, capped,
};
use toolcrib_auth::StoredCaller;
use toolcrib_model::{CallerType, ErrorCode, Id, Role, Ts};
use toolcrib_store::{AccessRow, ActorIds, WriteTx, keys};

use super::promotions;
use crate::base::ActionError;

/// The claims of a caller in one workspace. A confirmation stores them, so that the approved call is
/// authorized again as the requester's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallerClaims {
    /// The workspace of the call; the nil id if there is none.
    pub workspace: Id,
    pub principal: Principal,
    /// Whether a verified token makes the user a system admin.
    pub system_admin: bool,
    /// The kind of application that calls.
    pub caller_type: CallerType,
    pub scopes: Scopes,
    /// The role of a service key. Applies if the key acts for no member.
    pub key_role: Option<Role>,
    /// The conversation (`X-Session-Id`).
    pub session: Option<Arc<str>>,
    pub mission: Option<Id>,
    /// The id of the key; absent for a token.
    pub credential: Option<Id>,
    /// The people to whom the call is attributed, as far as the credential and the request name them.
    #[serde(default)]
    pub provenance: Provenance,
    /// What the request's headers say to packs.
    #[serde(default, skip_serializing_if = "PackContexts::is_empty")]
    pub pack_contexts: PackContexts,
    /// All people behind the call when the confirmation was requested, its user included. Only set in the
    /// record of a confirmation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<Id>,
}

/// The claims of a credential, with the access row that the call's transaction read.
#[derive(Clone, Copy)]
pub struct ClaimsWithAccess<'c> {
    pub claims: &'c CallerClaims,
    pub access: Option<&'c AccessRow>,
    /// Whether the call is a read. A system admin may read a deleted workspace.
    pub is_read: bool,
}

impl CallerClaims {
    /// Returns the claims of an authorized caller, for the record of a confirmation.
    pub(crate) fn of_caller(caller: &Caller) -> Self {
        let key_role = match caller.principal {
            Principal::Service { on_behalf_of: None, .. } => caller.role,
            _ => None,
        };
        Self {
            workspace: caller.workspace,
            principal: caller.principal,
            system_admin: caller.system_admin,
            caller_type: caller.caller_type.clone(),
            scopes: caller.scopes.clone(),
            key_role,
            session: caller.session.clone(),
            mission: caller.mission,
            credential: caller.credential,
            provenance: caller.provenance.clone(),
            pack_contexts: caller.pack_contexts.clone(),
            people: Vec::new(),
        }
    }

    /// Returns the claims of an authorized caller, to act for them later. A system admin acts as a member.
    pub(crate) fn into_stored(self) -> StoredCaller {
        let claims = Self { system_admin: false, ..self };
        StoredCaller::from_text(serde_json::to_string(&claims).unwrap_or_default())
    }

    pub(crate) fn of_stored(caller: &StoredCaller) -> Result<Self, ActionError> {
        let claims: Self = serde_json::from_str(caller.as_str())
            .map_err(|error| ActionError::internal(format!("stored caller: {error}")))?;
        Ok(Self { system_admin: false, ..claims })
    }

    /// Returns the caller without a role, for an audit row of a call whose access row was not read.
    pub(crate) fn into_caller_without_role(self) -> Caller {
        Caller {
            workspace: self.workspace,
            principal: self.principal,
            role: None,
            system_admin: self.system_admin,
            caller_type: self.caller_type,
            caller_name: None,
            scopes: self.scopes,
            session: self.session,
            mission: self.mission,
            credential: self.credential,
            provenance: self.provenance,
            pack_contexts: self.pack_contexts,
        }
    }

    /// Returns the ids for which the access row is read.
    pub fn actor_ids(&self) -> ActorIds {
        let agent_id = match self.principal {
            Principal::Agent { agent_id, .. } => Some(agent_id),
            _ => None,
        };
        // An operator key belongs to no workspace and has no minter.
        let key_id = self.credential.filter(|_| !matches!(self.principal, Principal::Operator { .. }));
        ActorIds { user_id: self.principal.user(), agent_id, key_id }
    }

    /// Returns the caller with the role and scopes that the access row gives now: the rule of gate 3. Refuses
    /// a missing or inactive membership. A workspace that does not exist gives the same error. The nil
    /// workspace is for calls that need none.
    pub fn caller(&self, access: Option<&AccessRow>) -> Result<(Caller, WorkspacePolicy), ActionError> {
        self.caller_in(access, false)
    }

    /// Like [`CallerClaims::caller`], but if `deleted`, the workspace may be a deleted one. A system admin
    /// may then read its audit log.
    pub fn caller_in(
        &self,
        access: Option<&AccessRow>,
        deleted: bool,
    ) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let (held, minters, mut policy) = match access {
            Some(access) => {
                let policy = super::policy::of(access)?;
                let minters = minters(access)?;
                (self.authority(access, &minters, &policy)?, minters, policy)
            }
            None if self.workspace.is_nil() || (deleted && self.system_admin) => {
                let nothing = Authority { role: None, scopes: self.scopes.clone() };
                let deleted = deleted && !self.workspace.is_nil();
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
            caller_name: access.and_then(|access| access.agent_slug.as_deref()).map(Into::into),
            scopes: held.scopes,
            session: self.session.clone(),
            mission: self.mission,
            credential: self.credential,
            provenance: Provenance { minters, ..self.provenance.clone() },
            pack_contexts: self.pack_contexts.clone(),
        };
        policy.promoted =
            promotions::of_caller(access.and_then(|access| access.promotions.as_deref()), &caller)?;
        Ok((caller, policy))
    }

    /// Returns the role and scopes that all parties of the call have in common now.
    fn authority(
        &self,
        access: &AccessRow,
        minters: &[Minter],
        policy: &WorkspacePolicy,
    ) -> Result<Authority, ActionError> {
        if let Principal::Agent { .. } = self.principal
            && access.agent_status.as_deref() != Some("active")
        {
            return Err(ActionError::new(
                ErrorCode::PermissionDenied,
                "this agent is disabled or was deleted",
            ));
        }
        // The key was valid when the request arrived, but reading the body may have taken a minute.
        if access.key_revoked == Some(true) {
            return Err(key_revoked());
        }
        let delegation = Delegation {
            principal: self.principal,
            subject_role: self.subject_role(access)?,
            key_role: self.key_role,
            scopes: &self.scopes,
            minters,
        };
        let mut held = delegation.authority(policy).map_err(|revoked| match revoked {
            RevokedReason::Minter => minter_gone(),
            RevokedReason::ActAs => impersonation_inert(),
        })?;
        // A background run for a person is limited like an agent.
        if self.provenance.background && self.principal.user().is_some() {
            held.role = held.role.map(|role| capped(role, policy));
        }
        Ok(held)
    }

    /// Returns the current role of the member who acts or is acted for. An unknown role becomes `None`, which
    /// holds no permission.
    fn subject_role(&self, access: &AccessRow) -> Result<Option<Role>, ActionError> {
        if self.principal.user().is_none() {
            return Ok(None);
        }
        match (&access.role, access.active) {
            (Some(role), Some(true)) => Ok(role.parse().ok()),
            _ if self.system_admin => Ok(None),
            _ => Err(no_member()),
        }
    }
}

/// Returns the minters of the key. An unknown role becomes `None`.
fn minters(access: &AccessRow) -> Result<Vec<Minter>, ActionError> {
    let minters = access.minters().map_err(unavailable)?;
    Ok(minters.into_iter().map(|(user_id, role)| Minter { user_id, role: role.parse().ok() }).collect())
}

fn minter_gone() -> ActionError {
    let detail = "the person who made this key is no longer an active member of the workspace";
    ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("a workspace admin can adopt the key: `POST /v1/keys/{id}/adopt`")
        .because("minter")
}

fn key_revoked() -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, "the key was revoked during the call")
        .hint("use a key that is not revoked")
        .because("revoked")
}

fn impersonation_inert() -> ActionError {
    let detail = "this key may not act for a member: only an owner can grant this, and the grant ends when they stop being an owner";
    ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("omit `X-On-Behalf-Of`, or ask an owner to adopt the key: `POST /v1/keys/{id}/adopt`")
        .because("minter")
}

/// What a caller is told who has no active membership.
pub const NO_MEMBER: &str = "you are not an active member of this workspace";

pub(super) fn no_member() -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, NO_MEMBER)
        .hint(
            "ask an admin of the workspace to add you, or name one of yours in `X-Workspace-Id`: `GET /v1/workspaces` \
             lists them",
        )
}

/// Turns a store error into 503 `authorization_unavailable`: the call is refused if the permissions can't be
/// read.
pub(crate) fn unavailable(cause: toolcrib_store::StoreError) -> ActionError {
    let mut error = ActionError::from(cause);
    error.code = ErrorCode::AuthorizationUnavailable;
    error.detail = "your permissions can't be read now; nothing was done".into();
    error
}

/// Checks that the key of the call is neither revoked nor expired.
pub(crate) async fn check_key(tx: &mut WriteTx, claims: &CallerClaims, now: Ts) -> Result<(), ActionError> {
    let Some(key_id) = claims.credential else { return Ok(()) };
    if keys::is_good(tx, key_id, now).await? {
        Ok(())
    } else {
        Err(ActionError::new(ErrorCode::Void, "the key that made the call was revoked or has expired"))
    }
}
