//! Sends an add, and looks up what became of it.

use std::time::Duration;

use serde_json::Value;
use toolcrib_connectors::upstream::Method;
use toolcrib_engine::{
    ActionError, ExternalCx, ServiceAnswer,
    effect::{EffectCall, Found, Sent},
};

use super::{Added, Plan, TIMEOUT_SECONDS};
use crate::{
    answer::{is_final, is_starting},
    server::{LOCAL, Server},
    title::{self, Title},
};

/// The time for the request: the server asks the internet before it answers.
const REQUEST: Duration = Duration::from_mins(1);
/// By how much the clocks of a server and of ours may differ, in seconds.
const CLOCK_SKEW_SECONDS: i64 = 60;

/// Sends the one request of an add.
pub async fn send(cx: &ExternalCx<'_>, plan: &Plan) -> Sent<Added> {
    let server = match Server::at(cx, plan.kind, &plan.address, REQUEST).await {
        Ok(server) => server,
        Err(error) => return Sent::Nothing(error),
    };
    let answer = match server.send(Method::POST, plan.kind.path(), &[], Some(&plan.body)).await {
        Ok(answer) => answer,
        Err(failed) => return failed.into(),
    };
    if says_exists(&answer) {
        return match there(cx, plan).await {
            Ok(Some(title)) => Sent::Done(Added::already(&title)),
            _ => Sent::Refused(server.refusal(answer)),
        };
    }
    let made = answer.json.as_ref().filter(|_| answer.status == 201).and_then(|json| made(plan, json));
    match (made, answer.status) {
        (Some(title), _) => Sent::Done(Added::of(plan, &title)),
        (None, 400..500) => Sent::Refused(refusal(&server, plan, answer)),
        _ if is_starting(&answer) || is_final(&answer) && is_absent(cx, plan).await => {
            Sent::Refused(server.refusal(answer))
        }
        (None, _) => Sent::Unknown(server.refusal(answer)),
    }
}

/// Makes the error of an add that is refused: of its arguments, the server knows the id alone.
fn refusal(server: &Server, plan: &Plan, answer: ServiceAnswer) -> ActionError {
    let is_of_call = answer.status == 400 && answer.json.is_some();
    let error = server.refusal(answer);
    if !is_of_call {
        return error;
    }
    error.hint(format!(
        "check the id with `{}`; if it is right, an admin checks folder and quality profile at {}",
        plan.kind.search(),
        server.title()
    ))
}

/// Returns what a request added, if it is what was asked for.
fn made(plan: &Plan, answer: &Value) -> Option<Title> {
    let title: Title = serde_json::from_value(answer.clone()).ok()?;
    (title.id > 0 && title.foreign_id(plan.kind) == plan.foreign_id).then_some(title)
}

/// Returns whether an answer says that the title is there: two adds at once end with 409 on SQLite.
fn says_exists(answer: &ServiceAnswer) -> bool {
    let defects = answer.json.as_ref().and_then(Value::as_array);
    let codes = defects.into_iter().flatten().filter_map(|defect| defect["errorCode"].as_str());
    let exists = |code: &str| code == "MovieExistsValidator" || code == "SeriesExistsValidator";
    answer.status == 409 || (answer.status == 400 && codes.into_iter().any(exists))
}

/// Looks up whether the title is there, and is ours. Somebody else may have added it while our answer was lost: then
/// nobody knows what became of our request.
pub async fn look_up(cx: &ExternalCx<'_>, call: &EffectCall, plan: &Plan) -> Found<Added> {
    match there(cx, plan).await {
        Ok(None) => Found::NotTrue,
        Ok(Some(title)) if is_ours(cx, call, plan, &title) => Found::True(Added::of(plan, &title)),
        Ok(Some(_)) | Err(_) => Found::CannotTell,
    }
}

fn is_ours(cx: &ExternalCx<'_>, call: &EffectCall, plan: &Plan, title: &Title) -> bool {
    let first = call.started_at.plus_seconds(-CLOCK_SKEW_SECONDS);
    // A look within the call knows the time at which the call began.
    let last = cx.now.plus_seconds(i64::from(TIMEOUT_SECONDS) + CLOCK_SKEW_SECONDS);
    let in_time = title.added.is_some_and(|at| (first.to_jiff()..=last.to_jiff()).contains(&at));
    in_time && title.is_in(&plan.place.folder) && title.quality_profile_id == plan.place.profile_id
}

async fn there(cx: &ExternalCx<'_>, plan: &Plan) -> Result<Option<Title>, ActionError> {
    let server = Server::at(cx, plan.kind, &plan.address, LOCAL).await?;
    title::in_library(&server, plan.kind, plan.foreign_id).await
}

async fn is_absent(cx: &ExternalCx<'_>, plan: &Plan) -> bool {
    matches!(there(cx, plan).await, Ok(None))
}
