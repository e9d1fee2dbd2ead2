//! Records an add: a row, an event, and a notification for the admins if none of them made it.

use toolcrib_access::Principal;
use toolcrib_engine::{NotificationText, effect::EffectCall, prelude::*};
use toolcrib_model::{NotificationKind, person_name, visible};
use toolcrib_store::members;

use super::{Added, Plan, Status, named};
use crate::{
    READERS,
    text::Text,
    tracking::{self, NewAddition},
};

pub async fn record(
    cx: &mut WriteCx<'_>,
    call: &EffectCall,
    plan: &Plan,
    output: &Added,
) -> Result<(), ActionError> {
    if output.status == Status::AlreadyInLibrary {
        return Ok(());
    }
    let agent_id = match cx.caller.principal {
        Principal::Agent { agent_id, .. } => Some(agent_id),
        _ => None,
    };
    let addition = NewAddition {
        id: cx.new_id(),
        call_id: call.call_id,
        user_id: cx.caller.principal.user(),
        agent_id,
        kind: plan.kind,
        title: &plan.title,
        year: plan.year,
        foreign_id: plan.foreign_id.to_string(),
        library_id: output.library_id,
        library: plan.place.library.as_deref(),
        created_at: cx.now,
    };
    tracking::insert(cx.tx, &addition).await?;
    let about = json!({
        "id": addition.id, "call_id": call.call_id, "type": plan.kind, "foreign_id": addition.foreign_id,
        "library_id": output.library_id,
    });
    cx.emit("media.added", READERS, about.clone());
    notify(cx, plan, &about).await
}

/// Notifies the admins, unless the member is one. A record can come long after the call, so that the role is read now.
async fn notify(cx: &mut WriteCx<'_>, plan: &Plan, about: &serde_json::Value) -> Result<(), ActionError> {
    let member = match cx.caller.principal.user() {
        Some(user_id) => members::get(cx.tx, user_id).await?,
        None => None,
    };
    if member.as_ref().is_some_and(|member| member.active && matches!(&*member.role, "admin" | "owner")) {
        return Ok(());
    }
    let name = member.as_ref().and_then(|member| person_name(member.display_name.as_deref()));
    let who = name.map_or_else(|| "A member".into(), visible);
    let into = Text::name(plan.place.library.as_deref().unwrap_or(&plan.place.folder));
    let (into, reason) = (into.visible(), visible(&plan.place.reason));
    let noun = plan.kind.noun();
    let body = format!("{who} added {noun} {} to {into}: {reason}", named(&plan.title, plan.year));
    let title = format!("A {noun} was added");
    let text = NotificationText { kind: NotificationKind::MediaAdded, title, body };
    cx.notify_other_admins(text, about).await
}
