//! The people behind a credential and the authority that they have together.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Role};

use crate::{
    policy::WorkspacePolicy,
    principal::Principal,
    role_permissions::capped,
    scope::{Scope, Scopes, Special},
};

/// A person to whom a secret of the key was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minter {
    pub user_id: Id,
    /// The person's current role in the key's workspace. `None` unless they are an active member with a known
    /// role.
    pub role: Option<Role>,
}

/// The credential of a call and the current roles of the people behind it. The authority of the call is the
/// intersection of what they all may do.
#[derive(Clone, Copy, Debug)]
pub struct Delegation<'d> {
    /// The credential and the member for whom it acts.
    pub principal: Principal,
    /// The current role of the member for whom it acts. `None` if there is no such member or the role is
    /// unknown.
    pub subject_role: Option<Role>,
    /// The role of a service key.
    pub key_role: Option<Role>,
    pub scopes: &'d Scopes,
    /// The minters of the credential. Empty for a token and for an operator key.
    pub minters: &'d [Minter],
}

/// The current role and scopes of a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The role, after all caps. `None` has no permissions.
    pub role: Option<Role>,
    /// The scopes that all minters may still give.
    pub scopes: Scopes,
}

/// Why a credential has no authority at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokedReason {
    /// A minter is not an active member of the workspace.
    Minter,
    /// The credential acts for a member, but has no scope `act_as` that all its minters may still give.
    ActAs,
}

impl Delegation<'_> {
    /// Returns the authority under the workspace's policy.
    pub fn authority(&self, policy: &WorkspacePolicy) -> Result<Authority, RevokedReason> {
        let floor = self.floor()?;
        let scopes = match (floor, self.scopes) {
            (Some(floor), Scopes::Only(scopes)) => {
                Scopes::Only(scopes.iter().filter(|scope| minter_holds(floor, scope)).cloned().collect())
            }
            (None, _) | (_, Scopes::All) => self.scopes.clone(),
        };
        let at_most = |role: Option<Role>| role.map(|role| floor.map_or(role, |floor| role.min(floor)));
        let role = match self.principal {
            Principal::User { .. } => self.subject_role,
            Principal::Agent { .. } => at_most(self.subject_role).map(|role| capped(role, policy)),
            Principal::Service { on_behalf_of: Some(_), .. } => {
                if !scopes.special(Special::ActAs) {
                    return Err(RevokedReason::ActAs);
                }
                at_most(self.subject_role)
            }
            Principal::Service { on_behalf_of: None, .. } => at_most(self.key_role),
            Principal::Operator { .. } => None,
        };
        Ok(Authority { role, scopes })
    }

    /// Returns the lowest role of all minters, or `None` without minters.
    fn floor(&self) -> Result<Option<Role>, RevokedReason> {
        let roles = self.minters.iter().map(|minter| minter.role.ok_or(RevokedReason::Minter));
        Ok(roles.collect::<Result<Vec<_>, _>>()?.into_iter().min())
    }
}

/// Returns whether a minter with this role may give `scope` to a key. Always true for patterns, because the
/// role of the call bounds them.
fn minter_holds(role: Role, scope: &Scope) -> bool {
    match scope {
        Scope::Pattern { .. } => true,
        Scope::Special(special) => special.giver().is_some_and(|least| role >= least),
    }
}

/// The people to whom a call is attributed in addition to its principal. For the audit log and the four-eyes
/// rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The minters of the credential, in the order of their ids.
    #[serde(default, skip_serializing_if = "<[Id]>::is_empty")]
    pub minters: Arc<[Id]>,
    /// The users who changed the arguments, in the order of their changes.
    #[serde(default, skip_serializing_if = "<[Id]>::is_empty")]
    pub editors: Arc<[Id]>,
    /// Whether the call is made in a run with no person beside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub background: bool,
    /// Issuer and subject of the token, if no user exists for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Arc<TokenSubject>>,
}

/// Issuer and subject of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenSubject {
    pub issuer: Arc<str>,
    /// The issuer's id of the person.
    pub subject: Arc<str>,
}
