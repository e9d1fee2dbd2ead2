//! Notifications: their audience and their text.

use serde_json::json;
use toolcrib_access::{Principal, role_holds};
use toolcrib_model::{Id, NotificationKind, Role, person_name, visible};
use toolcrib_store::{
    EventRow, StoreError, WriteTx,
    confirmations::ConfirmationRow,
    members::{self, MemberRow},
    notifications::{self, Audience, NotificationRow},
};

use super::{AwaitingCall, Stamp};
use crate::{
    base::{CallContext, CallFacts},
    caller::CallerClaims,
    response::sentence_of,
};

/// A notification for admins.
#[derive(Clone, Debug)]
pub struct NotificationText {
    pub kind: NotificationKind,
    pub title: String,
    pub body: String,
}

/// Notifies the workspace's admins of a successful call, unless the caller is one of them.
pub async fn notify_of_call(
    stamp: Stamp<'_>,
    context: &CallContext,
    tx: &mut WriteTx,
    facts: &CallFacts,
    description: &str,
) -> Result<(), StoreError> {
    let caller = &facts.caller;
    if caller.system_admin || caller.role >= Some(Role::Admin) {
        return Ok(());
    }
    let member = match caller.principal.user() {
        Some(user) => members::get(tx, user).await?,
        None => None,
    };
    let who = who(&caller.principal, caller.caller_name.as_deref(), member.as_ref());
    let data = json!({
        "action": facts.action, "description": description, "target": facts.target, "who": who,
        "principal": { "kind": caller.principal.kind().as_str(), "id": caller.principal.id() },
        "user_id": caller.principal.user(),
    });
    let row = NotificationRow {
        id: stamp.new_id(),
        kind: NotificationKind::Action,
        audience: Audience::Admins { except: None },
        title: description.to_owned(),
        body: format!("{} ran `{}`", capital(&who), facts.action),
        data: data.to_string(),
        call_id: Some(context.call_id),
        confirmation_id: None,
        created_at: stamp.now,
    };
    write(stamp, tx, row).await
}

/// Notifies those who may approve a waiting call: the user for whom it was made, and the admins. Under the
/// four-eyes rule, the admins except that user.
pub async fn approvers(
    stamp: Stamp<'_>,
    context: &CallContext,
    tx: &mut WriteTx,
    awaiting: &AwaitingCall<'_>,
    row: &ConfirmationRow,
) -> Result<(), StoreError> {
    let caller = &awaiting.facts.caller;
    let user = caller.principal.user();
    let member = match user {
        Some(user) => members::get(tx, user).await?,
        None => None,
    };
    let own = !awaiting.policy.four_eyes;
    let what = sentence_of(row);
    let who = who(&caller.principal, caller.caller_name.as_deref(), member.as_ref());
    let warning = row.warning.as_deref().map(|warning| format!(" {warning}")).unwrap_or_default();
    let data = json!({
        "action": row.action, "confirmation_id": row.id, "confirmation_level": row.level, "description": what,
        "summary": serde_json::from_str::<serde_json::Value>(&row.call.summary).unwrap_or_default(), "more": row.call.more,
        "warning": row.warning, "who": who, "user_id": user, "expires_at": row.expires_at,
        "approve_url": awaiting.approve_url,
    });
    let emitted = |audience| NotificationRow {
        id: stamp.new_id(),
        kind: NotificationKind::ConfirmationRequired,
        audience,
        title: format!("Waiting for approval: {what}"),
        body: format!("{} requested it.{warning}", capital(&who)),
        data: data.to_string(),
        call_id: Some(context.call_id),
        confirmation_id: Some(row.id),
        created_at: stamp.now,
    };
    write(stamp, tx, emitted(Audience::Admins { except: user.filter(|_| !own) })).await?;
    let role: Option<Role> =
        member.filter(|member| member.active).and_then(|member| member.role.parse().ok());
    let may = role.is_some_and(|role| role < Role::Admin && role_holds(role, awaiting.permission));
    match user {
        Some(user) if own && may => write(stamp, tx, emitted(Audience::One(user))).await,
        _ => Ok(()),
    }
}

/// Notifies the requester, and the user for whom the call was made, that the confirmation expired.
pub async fn not_decided(
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    row: &ConfirmationRow,
) -> Result<(), StoreError> {
    let what = sentence_of(row);
    let asked_by = serde_json::from_str::<CallerClaims>(&row.call.requester)
        .ok()
        .map(|asked| asked.principal.audience());
    let requester = asked_by.filter(|id| Some(*id) != row.requester_user_id);
    for one in row.requester_user_id.into_iter().chain(requester) {
        let emitted = NotificationRow {
            id: stamp.new_id(),
            kind: NotificationKind::ConfirmationExpired,
            audience: Audience::One(one),
            title: format!("Not decided in time: {what}"),
            body: "The call did not run. Make it again if it is still needed.".to_owned(),
            data: json!({ "action": row.action, "confirmation_id": row.id, "description": what }).to_string(),
            call_id: None,
            confirmation_id: None,
            created_at: stamp.now,
        };
        write(stamp, tx, emitted).await?;
    }
    Ok(())
}

/// Notifies the admins of the transaction's workspace, except one.
pub async fn notify_admins(
    stamp: Stamp<'_>,
    tx: &mut WriteTx,
    except: Option<Id>,
    NotificationText { kind, title, body }: NotificationText,
    data: &serde_json::Value,
) -> Result<(), StoreError> {
    let row = NotificationRow {
        id: stamp.new_id(),
        kind,
        audience: Audience::Admins { except },
        title,
        body,
        data: data.to_string(),
        call_id: None,
        confirmation_id: None,
        created_at: stamp.now,
    };
    write(stamp, tx, row).await
}

/// Inserts the notification and emits its event.
async fn write(stamp: Stamp<'_>, tx: &mut WriteTx, row: NotificationRow) -> Result<(), StoreError> {
    let user_id: Option<Id> = match row.audience {
        Audience::Admins { .. } => None,
        Audience::One(id) => Some(id),
    };
    let about: serde_json::Value = serde_json::from_str(&row.data).unwrap_or_default();
    let data = json!({
        "id": row.id, "kind": row.kind, "audience": if user_id.is_some() { "user" } else { "admins" },
        "user_id": user_id, "title": row.title, "body": row.body, "call_id": row.call_id, "about": about,
    });
    notifications::insert(tx, &row).await?;
    tx.event(EventRow {
        workspace_id: tx.workspace(),
        id: stamp.new_id(),
        name: "notification.created".to_owned(),
        kind: "notification",
        session: None,
        user_id,
        permission: None,
        data,
        occurred_at: stamp.now,
    });
    Ok(())
}

/// Returns a readable name of the caller. Never a telephone number or the identity provider's id.
fn who(principal: &Principal, agent: Option<&str>, member: Option<&MemberRow>) -> String {
    let person = member.and_then(|member| person_name(member.display_name.as_deref()));
    let person = person.map_or_else(|| "a member".to_owned(), |name| visible(name).into_owned());
    match (principal, agent) {
        (Principal::Agent { .. }, Some(agent)) => format!("the agent `{agent}` of {person}"),
        (Principal::Agent { .. }, None) => format!("an agent of {person}"),
        (Principal::User { .. } | Principal::Service { on_behalf_of: Some(_), .. }, _) => person,
        _ => "an application".to_owned(),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
