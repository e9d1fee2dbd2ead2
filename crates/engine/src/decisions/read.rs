//! Reads of confirmations.

use toolcrib_access::{Caller, Principal, Special, WorkspacePolicy};
use toolcrib_model::{ConfirmationStatus, Cursor, Id, Page, Role};
use toolcrib_store::confirmations;

use super::decider::{no_relay, person};
use crate::{
    base::{ActionError, page_cursor},
    caller::{Authenticated, CallerClaims, Credential, member_named, unavailable},
    confirmations::{
        ConfirmationFilter, ConfirmationView, requester,
        view::{not_found, visible},
    },
    pipeline::Engine,
};

impl Engine {
    /// Returns one confirmation that this caller may see.
    pub async fn confirmation(
        &self,
        authenticated: &Authenticated,
        id: Id,
    ) -> Result<ConfirmationView, ActionError> {
        let (caller, policy) = self.admit_onlooker(authenticated).await?;
        let mut tx = self.db.read(caller.workspace).await?;
        let row = confirmations::get(&mut tx, id).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        let row = row.filter(|row| visible(&caller, row)).ok_or_else(|| not_found(id))?;
        Ok(self.records(&catalog).view(self.clock.now(), &row, &policy))
    }

    /// Returns the confirmations that this caller may see, newest first.
    pub async fn confirmations(
        &self,
        authenticated: &Authenticated,
        filter: &ConfirmationFilter,
    ) -> Result<Page<ConfirmationView>, ActionError> {
        let (caller, policy) = self.admit_onlooker(authenticated).await?;
        let all = caller.role >= Some(Role::Admin) && !filter.mine.unwrap_or(false);
        let user = matches!(caller.principal, Principal::User { .. });
        let filter_row = confirmations::ConfirmationQuery {
            status: filter.status.as_deref().map(status).transpose()?,
            user_id: if all || !user { None } else { caller.principal.user() },
            requester: if all || user { None } else { Some(requester(&caller)) },
        };
        let cursor = page_cursor(filter.cursor.as_deref())?;
        let limit = filter.limit.unwrap_or(20).clamp(1, 100);
        let mut tx = self.db.read(caller.workspace).await?;
        let rows = confirmations::list(&mut tx, &filter_row, self.clock.now(), cursor, limit + 1).await?;
        let catalog = self.catalog_in(&mut tx).await?;
        tx.end().await?;
        Ok(Page::from_rows(rows, limit, |row| Cursor { at: row.created_at, id: row.id })
            .map(|row| self.records(&catalog).view(self.clock.now(), &row, &policy)))
    }

    /// Authorizes a reader of confirmations. A key that relays decisions sees what the named user sees,
    /// because it must show the confirmations to that user.
    async fn admit_onlooker(
        &self,
        authenticated: &Authenticated,
    ) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let named = authenticated.requested.on_behalf_of.as_deref();
        let (Credential::Service(key), Some(named)) = (&authenticated.credential, named) else {
            return self.admit(authenticated).await;
        };
        if !key.scopes.special(Special::ApprovalsRelay) {
            return self.admit(authenticated).await;
        }
        let mut alone = authenticated.clone();
        alone.requested.on_behalf_of = None;
        let own = CallerClaims::resolve(&self.db, &self.settings.caller_types, &alone, false).await?;
        let person = person(&own, member_named(&self.db, own.workspace, named).await?);
        let access = self.db.access_row(person.workspace, person.actor_ids()).await.map_err(unavailable)?;
        let (key, _) = own.caller(access.as_ref())?;
        if !key.scopes.special(Special::ApprovalsRelay) {
            return Err(no_relay());
        }
        person.caller(access.as_ref())
    }
}

fn status(word: &str) -> Result<ConfirmationStatus, ActionError> {
    word.parse().map_err(|_| {
        let words: Vec<String> = ConfirmationStatus::ALL.iter().map(|status| format!("`{status}`")).collect();
        ActionError::invalid("/status", "enum", format!("must be one of {}", words.join(", ")))
    })
}
