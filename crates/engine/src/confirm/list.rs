//! Lists of confirmations.

use toolcrib_access::Principal;
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_model::{ConfirmationStatus, Cursor, Page, Role, Ts};
use toolcrib_store::{
    Tx,
    confirmations::{self, ConfirmationQuery, ConfirmationRow},
};

use super::read::Onlooker;
use crate::{
    base::ActionError,
    caller::relay,
    catalog::Catalog,
    confirm::{CanDecide, ConfirmationFilter, ConfirmationView, requester},
    engine::Engine,
    shared::page_cursor,
};

/// The minimum number of rows of one query, where not all rows are shown.
const BATCH: i64 = 50;

impl Engine {
    /// Returns the confirmations that this caller may see, newest first.
    pub async fn confirmations(
        &self,
        authenticated: &Authenticated,
        filter: &ConfirmationFilter,
    ) -> Result<Page<ConfirmationView>, ActionError> {
        if let Credential::Client(token) = &authenticated.credential {
            relay::check_session(token, filter.session.as_deref())?;
        }
        let onlooker = self.admit_onlooker(authenticated).await?;
        let query = query(&onlooker, filter)?;
        let now = self.clock.now();
        let cursor = page_cursor(filter.cursor.as_deref())?;
        let limit = filter.limit.unwrap_or(20).clamp(1, 100);
        let mut tx = self.db.read(onlooker.caller.workspace).await?;
        let catalog = self.catalog_of(&mut tx, onlooker.policy.toolset_version).await?;
        let list = ConfirmationList { onlooker: &onlooker, catalog: &catalog, query, now };
        let rows = list.rows(&mut tx, filter.decidable, cursor, limit + 1).await?;
        let Page { items, next_cursor, ends } = Page::from_rows(rows, limit, |(row, _)| end(row));
        let items = self.show_confirmations(&mut tx, &onlooker.policy, &catalog, now, items).await?;
        tx.end().await?;
        Ok(Page { items, next_cursor, ends })
    }
}

/// The confirmations that one reader asks for.
struct ConfirmationList<'l> {
    onlooker: &'l Onlooker,
    catalog: &'l Catalog,
    query: ConfirmationQuery,
    now: Ts,
}

impl ConfirmationList<'_> {
    /// Returns at most `limit` rows after `cursor`, each with whether the reader may decide it. With `decidable`, only
    /// those of which that is true or false: the decision is made for each row, so that rows are read until enough are
    /// found. Few rows are read in vain, because few confirmations of a workspace are open.
    async fn rows(
        &self,
        tx: &mut Tx,
        decidable: Option<bool>,
        mut cursor: Cursor,
        limit: i64,
    ) -> Result<Vec<(ConfirmationRow, CanDecide)>, ActionError> {
        let decider = self.onlooker.authorized()?;
        let mut found = Vec::new();
        if decidable == Some(true) && decider.refused.is_some() {
            return Ok(found);
        }
        let (wanted, batch) = match decidable {
            None => (None, limit),
            some => (some, limit.max(BATCH)),
        };
        loop {
            let rows = confirmations::list(tx, &self.query, self.now, cursor, batch).await?;
            let is_last = i64::try_from(rows.len()).is_ok_and(|read| read < batch);
            for row in rows {
                cursor = end(&row);
                let can_decide = decider.can_decide(tx, self.catalog, &row, self.now).await?;
                if wanted.is_none_or(|wanted| wanted == can_decide.allowed) {
                    found.push((row, can_decide));
                }
                if i64::try_from(found.len()).is_ok_and(|found| found == limit) {
                    return Ok(found);
                }
            }
            if is_last {
                return Ok(found);
            }
        }
    }
}

fn end(row: &ConfirmationRow) -> Cursor {
    Cursor { at: row.created_at, id: row.id }
}

/// Returns the conditions of a list. Callers see what concerns them, admins all.
fn query(onlooker: &Onlooker, filter: &ConfirmationFilter) -> Result<ConfirmationQuery, ActionError> {
    let caller = &onlooker.caller;
    let all = caller.role >= Some(Role::Admin) && !filter.mine.unwrap_or(false);
    let user = matches!(caller.principal, Principal::User { .. });
    let mut statuses = filter.status.as_deref().map(statuses).transpose()?;
    if filter.decidable == Some(true) {
        // Nobody may decide any other.
        let known = statuses.unwrap_or_else(|| ConfirmationStatus::ALL.to_vec());
        statuses = Some(known.into_iter().filter(|status| status.is_open()).collect());
    }
    if let Some(person) = onlooker.decider.of_client_token() {
        let session = person.session.as_deref().map(str::to_owned);
        return Ok(ConfirmationQuery {
            statuses,
            user_id: person.principal.user(),
            session,
            ..ConfirmationQuery::default()
        });
    }
    Ok(ConfirmationQuery {
        statuses,
        user_id: if all || !user { None } else { caller.principal.user() },
        requester: if all || user { None } else { Some(requester(caller)) },
        session: filter.session.clone(),
    })
}

fn statuses(word: &str) -> Result<Vec<ConfirmationStatus>, ActionError> {
    let ended = |wanted: bool| {
        let all = ConfirmationStatus::ALL.iter().copied();
        all.filter(|status| status.has_ended() == wanted).collect()
    };
    match word {
        "open" => Ok(ended(false)),
        "ended" => Ok(ended(true)),
        word => word.parse().map(|status| vec![status]).map_err(|_| {
            let words = ConfirmationStatus::ALL.iter().map(|status| status.as_str());
            let words: Vec<String> = words.chain(["open", "ended"]).map(|word| format!("`{word}`")).collect();
            ActionError::invalid("/status", "enum", format!("must be one of {}", words.join(", ")))
        }),
    }
}
