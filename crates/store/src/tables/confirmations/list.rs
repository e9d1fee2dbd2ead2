//! The list of confirmations.

use toolcrib_model::{ConfirmationStatus, Cursor, Id, Ts};

use super::{ConfirmationRow, Requester};
use crate::backend::{AnyOf, StoreError, Tx, any_of};

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct ConfirmationQuery {
    /// Any of these statuses as clients see them: `expired` includes open confirmations after their expiry.
    pub statuses: Option<Vec<ConfirmationStatus>>,
    /// Only confirmations that were requested by or for this user.
    pub user_id: Option<Id>,
    /// Only confirmations of this requester.
    pub requester: Option<Requester>,
    /// Only confirmations of this conversation.
    pub session: Option<String>,
}

impl ConfirmationQuery {
    /// Returns the statuses as a condition.
    fn any_status(&self) -> Option<AnyOf> {
        self.statuses.as_ref().map(|all| all.iter().map(|status| status.as_str()).collect())
    }

    /// Returns whether all wanted confirmations are stored with a status that has not ended.
    fn is_unended(&self) -> bool {
        self.statuses.as_ref().is_some_and(|all| !all.iter().any(|status| status.has_ended()))
    }
}

/// Selects the rows of [`list`] that also meet a condition.
macro_rules! listed {
    ($condition:literal) => {
        concat!(select!(confirmations " FROM confirmations WHERE workspace_id = $1 "),
            $condition,
            " AND ",
            any_of!(
                "CASE WHEN status IN ('pending', 'awaiting_phrase') AND expires_at <= $3 \
                 THEN 'expired' ELSE status END",
                2
            ),
            " AND ($4 IS NULL OR requester_user_id = $4) \
             AND ($5 IS NULL OR requester_id = $5 AND requester_user_id IS NOT DISTINCT FROM $6) \
             AND ($7 IS NULL OR session = $7) \
             AND (created_at, id) < ($8, $9) ORDER BY created_at DESC, id DESC LIMIT $10"
        )
    };
}

/// Lists at most `limit` confirmations after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    filter: &ConfirmationQuery,
    now: Ts,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ConfirmationRow>, StoreError> {
    const ALL: &str = listed!("");
    // Few confirmations have not ended. The condition lets the index by status find them.
    const UNENDED: &str = listed!("AND status IN ('pending', 'awaiting_phrase', 'running')");
    let sql = if filter.is_unended() { UNENDED } else { ALL };
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(filter.any_status())
            .bind(now.as_micros())
        .bind(filter.user_id).bind(filter.requester.map(|by| by.id)).bind(filter.requester.and_then(|by| by.user_id))
        .bind(&filter.session).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}
