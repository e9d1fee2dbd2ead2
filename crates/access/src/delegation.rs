//! Who stands behind a credential, and what they hold together.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Role};

use crate::{
    policy::WorkspacePolicy,
    principal::Principal,
    role_permissions::capped,
    scope::{Scope, Scopes, Special},
};

/// A person to whom a key's secret was shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minter {
    /// The person.
    pub user_id: Id,
    /// Their role in the key's workspace now; `None` for everybody who is not an active member with a known role.
    pub role: Option<Role>,
}

/// The parties of a call, with what the database says of each now. Its authority is what all of them hold.
#[derive(Clone, Copy, Debug)]
pub struct Delegation<'d> {
    /// The credential, and the member for whom it acts.
    pub principal: Principal,
    /// The current role of the member for whom it acts; `None` where it is unknown or where there is none.
    pub subject_role: Option<Role>,
    /// The role that a service key was given.
    pub key_role: Option<Role>,
    /// What the credential was given.
    pub scopes: &'d Scopes,
    /// Who minted the credential. Nobody for a token, and for a key of the operator's.
    pub minters: &'d [Minter],
}

/// What a credential may do now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The role that bounds it; `None` holds nothing.
    pub role: Option<Role>,
    /// Those of its scopes that its minters still hold.
    pub scopes: Scopes,
}

/// Why a credential holds nothing, whatever it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokedReason {
    /// A minter is no active member of the workspace.
    Minter,
    /// It acts for a member without a scope `act_as` that its minters still hold.
    ActAs,
}

impl Delegation<'_> {
    /// What all parties hold together under the workspace's policy.
    pub fn authority(&self, policy: &WorkspacePolicy) -> Result<Authority, RevokedReason> {
        let Some(floor) = self.floor()? else {
            return self.bounded(None, self.scopes.clone(), policy);
        };
        let scopes = match self.scopes {
            Scopes::All => Scopes::All,
            Scopes::Only(scopes) => {
                Scopes::Only(scopes.iter().filter(|scope| minter_holds(floor, scope)).cloned().collect())
            }
        };
        self.bounded(Some(floor), scopes, policy)
    }

    /// The lowest role of all minters; nothing where there are none.
    fn floor(&self) -> Result<Option<Role>, RevokedReason> {
        let mut floor = None;
        for minter in self.minters {
            let role = minter.role.ok_or(RevokedReason::Minter)?;
            floor = Some(floor.map_or(role, |lowest: Role| lowest.min(role)));
        }
        Ok(floor)
    }

    fn bounded(
        &self,
        floor: Option<Role>,
        scopes: Scopes,
        policy: &WorkspacePolicy,
    ) -> Result<Authority, RevokedReason> {
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
}

/// Whether somebody with this role may give `scope` away, and so whether what they gave still counts. Patterns are
/// bounded by the role of the call.
fn minter_holds(role: Role, scope: &Scope) -> bool {
    match scope {
        Scope::Pattern { .. } => true,
        Scope::Special(special) => special.giver().is_some_and(|least| role >= least),
    }
}

/// Who else a call is to be put down to, beside its principal: for the audit log and for four eyes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The minters of the credential, in the order of their ids.
    #[serde(default, skip_serializing_if = "<[Id]>::is_empty")]
    pub minters: Arc<[Id]>,
    /// Who changed the arguments, in the order in which they did.
    #[serde(default, skip_serializing_if = "<[Id]>::is_empty")]
    pub editors: Arc<[Id]>,
    /// What the token says where we have no user for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Arc<TokenSubject>>,
}

/// Issuer and subject of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenSubject {
    /// Who issued it.
    pub issuer: Arc<str>,
    /// Who they are to the issuer.
    pub subject: Arc<str>,
}
