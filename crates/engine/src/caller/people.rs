//! The people behind a call. Under the four-eyes rule none of them may approve it.

use toolcrib_access::{Caller, Principal, Provenance, Rule, Scopes, WorkspacePolicy, decide};
use toolcrib_model::{CallerType, ErrorCode, Id, Role, Ts};
use toolcrib_registry::Spec;
use toolcrib_store::{StoreError, Tx, members, minters};

use super::CallerClaims;
use crate::base::ActionError;

/// Returns all people behind a call: the member for whom it is made, the current and former minters of its
/// key and of the key that created that key, and the users who changed its arguments. A former minter counts
/// while they know a secret of the key, or if they were behind the call when the confirmation was requested.
pub(crate) async fn behind(tx: &mut Tx, claims: &CallerClaims, now: Ts) -> Result<Vec<Id>, StoreError> {
    let (principal, key) = (claims.principal, claims.actor_ids().key_id);
    let mut people = of_call(tx, principal, &claims.provenance, key, now).await?;
    people.extend(&claims.people);
    people.sort_unstable();
    people.dedup();
    Ok(people)
}

async fn of_call(
    tx: &mut Tx,
    principal: Principal,
    provenance: &Provenance,
    key: Option<Id>,
    now: Ts,
) -> Result<Vec<Id>, StoreError> {
    let mut people: Vec<Id> = principal.user().into_iter().collect();
    people.extend(provenance.minters.iter());
    people.extend(provenance.editors.iter());
    if let Some(key) = key {
        people.extend(minters::people_behind(tx, key, now).await?);
    }
    Ok(people)
}

/// Returns whether this person may still approve such calls of the caller. The person must be an active
/// member whose role may run the action, an admin unless the call is made for them, and under the four-eyes
/// rule not behind the call.
pub(crate) async fn may_approve(
    tx: &mut Tx,
    person: Id,
    caller: &Caller,
    spec: &Spec,
    policy: &WorkspacePolicy,
    now: Ts,
) -> Result<bool, StoreError> {
    let (principal, provenance) = (caller.principal, &caller.provenance);
    if policy.four_eyes && of_call(tx, principal, provenance, caller.credential, now).await?.contains(&person)
    {
        return Ok(false);
    }
    let member = members::get(tx, person).await?.filter(|member| member.active);
    let Some(role) = member.and_then(|member| member.role.parse::<Role>().ok()) else { return Ok(false) };
    let is_theirs = principal.user() == Some(person);
    Ok((is_theirs || role >= Role::Admin) && member_may(tx.workspace(), person, role, spec, policy))
}

/// Under the four-eyes rule, refuses a call with 403 if no member is left who could approve it. Its
/// confirmation could only expire.
pub(crate) async fn someone_may_approve(
    tx: &mut Tx,
    spec: &Spec,
    policy: &WorkspacePolicy,
    people: &[Id],
) -> Result<(), ActionError> {
    if !policy.four_eyes {
        return Ok(());
    }
    let workspace = tx.workspace();
    let approvers = members::approvers(tx).await?;
    let left = approvers.iter().any(|(user_id, role)| {
        let may = |role| member_may(workspace, *user_id, role, spec, policy);
        !people.contains(user_id) && role.parse().is_ok_and(may)
    });
    if left {
        return Ok(());
    }
    let detail = "with four eyes somebody else must approve this, and nobody is left who could: every admin and \
         owner who may run it stands behind the call";
    Err(ActionError::new(ErrorCode::PermissionDenied, detail)
        .hint("make another member an admin, or ask an owner to turn off `four_eyes`")
        .because("four_eyes"))
}

/// Returns whether the person's own role may run the action. Ignores `accessible_by`, which restricts the caller and not
/// the approver, whether the tool is on, and whether the workspace is read-only. The last two are about the call, whoever
/// decides: they stop its approval, and no denial.
pub(crate) fn role_may(person: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> bool {
    let ignored = [Rule::Enabled, Rule::AccessibleBy, Rule::ApprovalMode];
    let decision = decide(person, spec, policy);
    decision.factors.iter().all(|factor| factor.passed || ignored.contains(&factor.rule))
}

/// Like [`role_may`], for a member with a user token.
fn member_may(workspace: Id, user_id: Id, role: Role, spec: &Spec, policy: &WorkspacePolicy) -> bool {
    let member = Caller {
        workspace,
        principal: Principal::User { user_id },
        role: Some(role),
        system_admin: false,
        caller_type: CallerType::new("console"),
        caller_name: None,
        scopes: Scopes::All,
        session: None,
        mission: None,
        credential: None,
        provenance: Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    };
    role_may(&member, spec, policy)
}
