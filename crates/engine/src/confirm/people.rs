//! Who stands behind a call. With four eyes none of them approves it.

use toolcrib_access::{Caller, Principal, Provenance, Scopes, WorkspacePolicy, decide};
use toolcrib_model::{CallerType, ErrorCode, Id, Role, Ts};
use toolcrib_registry::{AccessibleBy, Spec};
use toolcrib_store::{StoreError, Tx, members, minters};

use crate::{ActionError, claimant::Claimant};

/// Everybody behind a call: the member for whom it is made, whoever is or was a minter of its key or of the key that made
/// that one, and whoever changed its arguments. A minter of before counts while they know a secret of the key, and where
/// they stood behind the call when it was asked.
pub(super) async fn behind(tx: &mut Tx, claimant: &Claimant, now: Ts) -> Result<Vec<Id>, StoreError> {
    let mut people = claimant.people.clone();
    people.extend(claimant.principal.user());
    people.extend(claimant.provenance.minters.iter());
    people.extend(claimant.provenance.editors.iter());
    if let Some(key) = claimant.who().key_id {
        people.extend(minters::people_behind(tx, key, now).await?);
    }
    people.sort_unstable();
    people.dedup();
    Ok(people)
}

/// With four eyes: 403 where nobody is left who could approve, so that nothing waits in vain.
pub(super) async fn someone_may_approve(
    tx: &mut Tx,
    spec: &Spec,
    policy: &WorkspacePolicy,
    people: &[Id],
) -> Result<(), ActionError> {
    if !policy.four_eyes {
        return Ok(());
    }
    let workspace = tx.workspace();
    let able = |user_id, role| role_may(&person(workspace, user_id, role), spec, policy);
    let approvers = members::approvers(tx).await?;
    let left = approvers.iter().any(|(user_id, role)| {
        !people.contains(user_id) && role.parse().is_ok_and(|role| able(*user_id, role))
    });
    if left {
        return Ok(());
    }
    let detail = "with four eyes somebody else must approve this, and nobody is left who could: every admin and \
         owner who may run it stands behind the call";
    Err(ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("make another member admin, or let an owner switch `four_eyes` off")
        .because("four_eyes"))
}

/// Whether the person's own role may run the action. Which applications it is for is a question to the call, not to the
/// person who agrees to it.
pub(super) fn role_may(person: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> bool {
    decide(person, &Spec { accessible_by: Some(AccessibleBy::Everyone), ..*spec }, policy).allowed
}

/// A member with a token of their own.
fn person(workspace: Id, user_id: Id, role: Role) -> Caller {
    Caller {
        workspace,
        principal: Principal::User { user_id },
        role: Some(role),
        system_admin: false,
        caller_type: CallerType::new("console"),
        caller_name: None,
        scopes: Scopes::Everything,
        session: None,
        mission: None,
        credential: None,
        provenance: Provenance::default(),
    }
}
