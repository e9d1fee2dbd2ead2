//! The option of an approval to create a session grant: "Always allow this for the session".
#![deny(missing_docs)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_access::WorkspacePolicy;
use toolcrib_registry::{ActionMeta, Level};
use toolcrib_store::confirmations::ConfirmationRow;

use crate::base::ActionError;

/// For how long an approval counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Remember {
    /// For this call and, until the conversation's grant ends, for others of the same action by the same caller.
    Session,
}

/// Returns whether an approval of this record may create a session grant: a simple confirmation of a write
/// that has a session. Standing work that this service carries out is confirmed each time.
pub(crate) fn possible(row: &ConfirmationRow, meta: Option<&ActionMeta>, policy: &WorkspacePolicy) -> bool {
    refusal(row, meta, policy).is_none()
}

fn refusal(
    row: &ConfirmationRow,
    meta: Option<&ActionMeta>,
    policy: &WorkspacePolicy,
) -> Option<&'static str> {
    if row.level != "simple" {
        return Some(
            "is available for simple confirmations only; a typed confirmation is required each time",
        );
    }
    if meta.is_none_or(|meta| meta.spec.level != Level::Write) {
        return Some("is available for writes only; a destructive action is confirmed each time");
    }
    if meta.is_some_and(|meta| policy.runs_standing_work(&meta.spec)) {
        return Some("is not available for work that goes on by itself, which is confirmed each time");
    }
    row.session.is_none().then_some("needs a session: the call had no `X-Session-Id`")
}

/// Returns 422 if an approval of this record can't create a session grant.
pub(crate) fn check(
    row: &ConfirmationRow,
    meta: Option<&ActionMeta>,
    policy: &WorkspacePolicy,
) -> Result<(), ActionError> {
    match refusal(row, meta, policy) {
        None => Ok(()),
        Some(why) => {
            Err(ActionError::invalid("/remember", "session_grant", why).hint("approve it without `remember`"))
        }
    }
}
