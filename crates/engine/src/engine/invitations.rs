//! Uses up an invitation: whoever signs in with its code becomes a member.
//!
//! The role is the lower of the invitation's and what its inviter may give now. So an invitation of somebody who was
//! demoted gives less, and one of somebody who left gives nothing.

use futures_util::{FutureExt as _, future::BoxFuture};
use serde_json::json;
use toolcrib_auth::{
    AuthError, InvitationCode, Invitations, InvitedPerson, SignInProblem, StoredCaller, is_same_email,
};
use toolcrib_model::{ErrorCode, Id, Role, Surface, Ts, person_name};
use toolcrib_store::{
    AccessRow, AuditRow, EventRow, WriteTx,
    invitations::{self, InvitationRow},
    members,
    users::{self, UserRow},
    workspaces,
};

use super::Engine;
use crate::{
    base::ActionError,
    caller::{CallerClaims, check_key},
};

/// The name in audit rows. It is no operation, because the sign-in does it.
const ACTION: &str = "invitations.redeem";

impl Invitations for Engine {
    fn redeem<'r>(
        &'r self,
        tx: &'r mut WriteTx,
        code: &'r InvitationCode,
        person: &'r InvitedPerson,
    ) -> BoxFuture<'r, Result<(), AuthError>> {
        self.redeem_now(tx, code, person).boxed()
    }
}

impl Engine {
    async fn redeem_now(
        &self,
        tx: &mut WriteTx,
        code: &InvitationCode,
        person: &InvitedPerson,
    ) -> Result<(), AuthError> {
        let now = self.clock.now();
        if workspaces::get(tx).await?.is_none() {
            return Err(unusable("of no workspace"));
        }
        // The lock of every change of access, so that what is read below holds until the commit.
        workspaces::bump_access(tx).await?;
        let found = invitations::by_code(tx, &code.hash()).await?;
        let row = found.filter(|row| row.is_open(now)).ok_or_else(|| unusable("no such open invitation"))?;
        let role = role_now(tx, &row, person, now).await?;
        if row.email.as_deref().is_some_and(|email| !is_email_of(email, person)) {
            let (problem, reason) = (SignInProblem::InvitationEmail, "no verified e-mail, or another one");
            return Err(AuthError::SignIn { problem, reason: reason.to_owned() });
        }
        let user = UserRow {
            id: users::id_of(&person.issuer, &person.subject),
            issuer: person.issuer.clone(),
            subject: person.subject.clone(),
            display_name: person_name(person.name.as_deref()).map(str::to_owned),
            created_at: now,
        };
        let user_id = users::ensure(tx, &user).await?;
        match members::get(tx, user_id).await? {
            Some(member) if member.active => return Ok(()),
            Some(_) => return Err(unusable("for an inactive member")),
            None => {}
        }
        if !invitations::use_up(tx, row.id, user_id, now).await? {
            return Err(unusable("used up meanwhile"));
        }
        members::insert(tx, user_id, role.as_str(), None, now).await?;
        self.record(tx, &row, &user, user_id, role, now);
        Ok(())
    }

    /// Adds the audit row and the event of a new member.
    fn record(
        &self,
        tx: &mut WriteTx,
        row: &InvitationRow,
        user: &UserRow,
        user_id: Id,
        role: Role,
        now: Ts,
    ) {
        let arguments = json!({ "invitation": row.id, "invited_by": row.invited_by, "issuer": user.issuer,
            "subject": user.subject, "role": role, "email": row.email });
        let data = json!({ "user_id": user_id, "role": role, "invitation": row.id });
        let event = self.stamp(now).domain(row.workspace_id, "member.added", "members:read", data);
        tx.event(EventRow { user_id: Some(user_id), ..event });
        let id = self.ids.new_id(now);
        tx.audit(AuditRow {
            arguments: arguments.to_string(),
            target: Some(format!("member `{}`", user.subject)),
            role: Some(role),
            ..audit_row(row.workspace_id, id, user_id, now)
        });
    }
}

/// Returns the role that the invitation gives now. Refuses one of the operator once there is an owner, and for people
/// of another issuer.
async fn role_now(
    tx: &mut WriteTx,
    row: &InvitationRow,
    person: &InvitedPerson,
    now: Ts,
) -> Result<Role, AuthError> {
    let role = row.role.parse::<Role>().map_err(|error| AuthError::Internal(error.to_string()))?;
    let Some(inviter) = &row.inviter else {
        if row.issuer.as_deref() != Some(person.issuer.as_str()) {
            return Err(unusable("for people of another issuer"));
        }
        let owners = members::count_active(tx, Role::Owner.as_str()).await?;
        return if owners == 0 { Ok(role) } else { Err(unusable("of the operator, and there is an owner")) };
    };
    match may_give(tx, inviter, now).await {
        Ok(Some(highest)) => Ok(role.min(highest)),
        Ok(None) => Err(unusable("its inviter may give no role")),
        Err(error) => match error.code {
            ErrorCode::PermissionDenied | ErrorCode::Void => Err(unusable("its inviter may do nothing here")),
            _ => {
                let cause = error.internal.unwrap_or(error.detail);
                Err(AuthError::Unavailable {
                    detail: "the invitation can't be read now; nothing was done",
                    cause,
                })
            }
        },
    }
}

/// Returns the highest role that a stored caller may give now.
async fn may_give(tx: &mut WriteTx, inviter: &str, now: Ts) -> Result<Option<Role>, ActionError> {
    let claims = CallerClaims::of_stored(&StoredCaller::from_text(inviter))?;
    check_key(tx, &claims, now).await?;
    let access = AccessRow::read(tx, claims.actor_ids()).await?;
    let (caller, _) = claims.caller(access.as_ref())?;
    Ok(caller.highest_role_to_give())
}

fn is_email_of(email: &str, person: &InvitedPerson) -> bool {
    person.verified_email.as_deref().is_some_and(|verified| is_same_email(email, verified))
}

fn unusable(reason: &str) -> AuthError {
    AuthError::SignIn { problem: SignInProblem::Invitation, reason: reason.to_owned() }
}

/// Makes the row of a sign-in that made a member, who is its principal.
fn audit_row(workspace_id: Id, id: Id, user_id: Id, now: Ts) -> AuditRow {
    AuditRow {
        surface: Surface::Console,
        principal_kind: "user",
        principal_id: user_id,
        user_id: Some(user_id),
        ..AuditRow::of_operator(workspace_id, id, now, ACTION)
    }
}
