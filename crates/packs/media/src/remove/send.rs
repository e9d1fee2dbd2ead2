//! Sends a removal, and looks up what became of it.

use std::time::Duration;

use toolcrib_connectors::upstream::Method;
use toolcrib_engine::{
    ActionError, ExternalCx, ServiceAnswer,
    effect::{Found, Sent},
};
use toolcrib_model::ErrorCode;

use super::{Plan, Removed};
use crate::{
    answer::{is_final, is_page, is_starting},
    server::{LOCAL, Server},
    settings::Kind,
    title,
};

/// The time limit of a call, in seconds: 28 for its two requests, the rest for looking up what became of it.
pub const TIMEOUT_SECONDS: u8 = 60;
/// The time for both requests. The server answers from its own database, and deletes files afterwards.
const REQUESTS: Duration = Duration::from_secs(28);
/// How Sonarr says that a series is not there, with 500.
const SONARR_GONE: &str = "Expected query to return 1 rows but returned 0";

/// Reads the title once more, and sends the one request of a removal.
pub async fn send(cx: &ExternalCx<'_>, plan: &Plan) -> Sent<Removed> {
    let server = match Server::at(cx, plan.kind, &plan.address, REQUESTS).await {
        Ok(server) => server,
        Err(error) => return Sent::Nothing(error),
    };
    if let Err(error) = still_there(&server, plan).await {
        return Sent::Nothing(error);
    }
    let path = format!("{}/{}", plan.kind.path(), plan.library_id);
    let flag = |on| if on { "true" } else { "false" };
    let query =
        [("deleteFiles", flag(plan.delete_files)), (exclusion(plan.kind), flag(plan.exclude_from_lists))];
    let answer = match server.send(Method::DELETE, &path, &query, None).await {
        Ok(answer) => answer,
        Err(failed) => return failed.into(),
    };
    match answer.status {
        200..300 if !is_page(answer.media_type.as_deref()) => Sent::Done(Removed::of(plan)),
        _ if says_gone(&answer) => Sent::Refused(gone(plan)),
        400..500 => Sent::Refused(server.refusal(answer)),
        _ if is_starting(&answer) || is_final(&answer) && still_there(&server, plan).await.is_ok() => {
            Sent::Refused(server.refusal(answer))
        }
        _ => Sent::Unknown(server.refusal(answer)),
    }
}

async fn still_there(server: &Server, plan: &Plan) -> Result<(), ActionError> {
    let there = title::in_library(server, plan.kind, plan.foreign_id).await?;
    there.filter(|title| title.id == plan.library_id).map(drop).ok_or_else(|| gone(plan))
}

/// Returns the server's own name of the exclusion from lists. Another name is ignored in silence.
const fn exclusion(kind: Kind) -> &'static str {
    match kind {
        Kind::Movie => "addImportExclusion",
        Kind::Series => "addImportListExclusion",
    }
}

fn says_gone(answer: &ServiceAnswer) -> bool {
    let message = answer.json.as_ref().and_then(|json| json["message"].as_str());
    answer.status == 404 || (answer.status == 500 && message == Some(SONARR_GONE))
}

fn gone(plan: &Plan) -> ActionError {
    let detail = format!("somebody else removed this {} meanwhile", plan.kind.noun());
    ActionError::new(ErrorCode::NotFound, detail)
}

/// Looks up whether the title is gone. It was there just before the request was sent.
pub async fn look_up(cx: &ExternalCx<'_>, plan: &Plan) -> Found<Removed> {
    let Ok(server) = Server::at(cx, plan.kind, &plan.address, LOCAL).await else { return Found::CannotTell };
    match title::in_library(&server, plan.kind, plan.foreign_id).await {
        Ok(Some(title)) if title.id == plan.library_id => Found::NotTrue,
        Ok(_) => Found::True(Removed::of(plan)),
        Err(_) => Found::CannotTell,
    }
}
