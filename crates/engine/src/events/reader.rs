//! Reads events from the outbox for one stream, limited to those that the caller may see.
//!
//! A reader holds an offset in the outbox and reads the events after it. Each read checks the credential's
//! permissions again, so that a stream never returns events that its caller may no longer see.
#![deny(missing_docs)]

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use toolcrib_access::{Principal, Special};
use toolcrib_auth::{Authenticated, ClientToken, Credential};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::Permission;
use toolcrib_store::{
    AccessRow, Db, StoreError,
    events::{self, EventEntry},
};

use super::{
    tail::OutboxTail,
    visibility::{self, EventVisibility},
};
use crate::{
    base::ActionError,
    caller::{CallerClaims, relay, unavailable},
};

/// Maximum number of rows of one read.
const BATCH: i64 = 200;

/// Which events are asked for, among those that the caller may see.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EventsFilter {
    /// Only events of these names, such as `agent.created` or `awaiting_permission`; separated by commas.
    #[schemars(length(min = 1, max = 50))]
    pub types: Option<Vec<String>>,
    /// Only events of this conversation.
    pub session: Option<String>,
}

/// An event, as a stream returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The value for `Last-Event-ID` to continue after this event.
    pub id: String,
    /// The name, such as `agent.created`.
    pub name: String,
    /// The data of the event, with `type`, `event_id`, `workspace_id` and `at`.
    pub data: Value,
}

/// The result of one read.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The events that the caller may see, in order.
    pub items: Vec<Event>,
    /// The id to continue after, even if its event is not visible; absent if there were no events.
    pub reached: Option<String>,
    /// Whether more events can be read at once.
    pub more: bool,
}

/// The workspaces whose events a reader reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventScope {
    Workspace(Id),
    /// Domain events of all workspaces.
    Everywhere,
}

/// A reader of the outbox, at an offset.
pub struct EventReader {
    parts: ReaderParts,
    filter: EventsFilter,
    scope: EventScope,
    principal: Principal,
    offset: i64,
    woken: broadcast::Receiver<Option<Id>>,
}

/// What a reader needs of the engine.
pub(crate) struct ReaderParts {
    pub db: Db,
    pub tail: Arc<OutboxTail>,
    /// The known caller types.
    pub caller_types: Arc<[String]>,
    /// The permissions of all compiled actions.
    pub permissions: Arc<[Permission]>,
}

impl EventReader {
    /// Opens a reader after the event `last`, or at the end of the outbox.
    pub(crate) async fn open(
        parts: ReaderParts,
        claims: &CallerClaims,
        authenticated: &Authenticated,
        filter: EventsFilter,
        last: Option<&str>,
    ) -> Result<Self, ActionError> {
        // Subscribe before reading the offset, so that an event that commits in between wakes the reader.
        let woken = parts.tail.listen(&parts.db);
        events::assign_offsets(&parts.db).await?;
        let everywhere = is_operator(authenticated) && claims.workspace.is_nil();
        let scope = if everywhere { EventScope::Everywhere } else { EventScope::Workspace(claims.workspace) };
        let principal = claims.principal;
        let mut reader = Self { parts, filter, scope, principal, offset: 0, woken };
        reader.offset = reader.begin(authenticated, last).await?;
        Ok(reader)
    }

    /// Returns the principal of the reader.
    pub const fn principal(&self) -> Principal {
        self.principal
    }

    /// Returns the workspace whose events are read; `None` for all workspaces.
    pub const fn workspace(&self) -> Option<Id> {
        match self.scope {
            EventScope::Workspace(id) => Some(id),
            EventScope::Everywhere => None,
        }
    }

    /// Returns the first offset.
    async fn begin(&self, authenticated: &Authenticated, last: Option<&str>) -> Result<i64, ActionError> {
        let unknown = || {
            let message = "names no stored event; omit it to receive new events only";
            ActionError::invalid("/Last-Event-ID", "not_found", message)
        };
        if self.scope == EventScope::Everywhere {
            operator(authenticated)?;
            return match last {
                Some(text) => text.parse().ok().filter(|offset| *offset >= 0).ok_or_else(unknown),
                None => Ok(events::last_everywhere(&self.parts.db).await?),
            };
        }
        let (mut tx, _) = self.admitted(authenticated).await?;
        let found = match last.map(Id::try_parse) {
            None => Ok(Some(events::last(&mut tx).await?)),
            Some(Ok(id)) => events::offset_of(&mut tx, id).await,
            Some(Err(_)) => Ok(None),
        };
        tx.end().await?;
        found?.ok_or_else(unknown)
    }

    /// Reads the events after the offset and advances it. Checks the caller's permissions again. After an
    /// error the stream must end.
    pub async fn read(&mut self, authenticated: &Authenticated) -> Result<Events, ActionError> {
        let (rows, visibility) = match self.scope {
            EventScope::Everywhere => {
                operator(authenticated)?;
                (events::after_everywhere(&self.parts.db, self.offset, BATCH).await?, EventVisibility::All)
            }
            EventScope::Workspace(_) => {
                let (mut tx, visibility) = self.admitted(authenticated).await?;
                let rows = events::after(&mut tx, self.offset, BATCH).await;
                tx.end().await?;
                (rows?, visibility)
            }
        };
        let more = i64::try_from(rows.len()).is_ok_and(|count| count == BATCH);
        let reached = rows.last().map(|row| self.mark(row));
        self.offset = rows.last().map_or(self.offset, |row| row.offset);
        let seen = rows.into_iter().filter(|row| visibility.allows(row) && self.asks_for(row));
        let items = seen.map(|row| self.event(row)).collect::<Result<_, _>>()?;
        Ok(Events { items, reached, more })
    }

    /// Waits until an event may have happened. Returns `false` if the stream must end.
    pub async fn wait(&mut self) -> bool {
        let mut ended = self.parts.tail.ended();
        loop {
            let woken = tokio::select! {
                _ = ended.wait_for(|ended| *ended) => return false,
                woken = self.woken.recv() => woken,
            };
            match (woken, self.scope) {
                (Ok(Some(workspace)), EventScope::Workspace(mine)) if workspace != mine => {}
                (Err(broadcast::error::RecvError::Closed), _) => return false,
                // A receiver that lagged has lost messages, so it must read the outbox.
                _ => return true,
            }
        }
    }

    /// Opens a transaction for the caller, with the visibility that the database gives now.
    async fn admitted(
        &self,
        authenticated: &Authenticated,
    ) -> Result<(toolcrib_store::Tx, EventVisibility), ActionError> {
        let ReaderParts { db, caller_types, .. } = &self.parts;
        let claims = CallerClaims::resolve(db, caller_types, authenticated, false).await?;
        if self.scope != EventScope::Workspace(claims.workspace) {
            return Err(ActionError::new(
                ErrorCode::WorkspaceMismatch,
                "the credential belongs to another workspace",
            ));
        }
        let (tx, access) =
            db.begin_read_as(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        let visibility = match (claims.principal, &authenticated.credential) {
            (Principal::Operator { .. }, _) if access.is_some() => {
                operator(authenticated).map(|()| EventVisibility::Domain)
            }
            (_, Credential::Client(token)) => self.client_visibility(&claims, token, access.as_ref()),
            _ => claims
                .caller(access.as_ref())
                .and_then(|(caller, _)| EventVisibility::of(&caller, &self.parts.permissions)),
        };
        match visibility {
            Ok(visibility) => Ok((tx, visibility)),
            Err(error) => {
                tx.end().await?;
                Err(error)
            }
        }
    }

    /// Returns the visibility of a client token, if its key may relay the decisions of an active member now.
    fn client_visibility(
        &self,
        claims: &CallerClaims,
        token: &ClientToken,
        access: Option<&AccessRow>,
    ) -> Result<EventVisibility, ActionError> {
        relay::check_session(token, self.filter.session.as_deref())?;
        relay::check_key(&relay::key_alone(claims, token.key.key_id), access)?;
        relay::person(claims, token.user_id).caller(access)?;
        Ok(EventVisibility::Confirmations { user: token.user_id, session: Arc::clone(&token.session) })
    }

    fn asks_for(&self, row: &EventEntry) -> bool {
        let named = |types: &Vec<String>| types.contains(&row.name);
        self.filter.types.as_ref().is_none_or(named)
            && (self.filter.session.is_none() || self.filter.session == row.session)
    }

    /// Returns the id of a position. An offset counts the events of all workspaces, so only a reader of all
    /// workspaces may see it.
    fn mark(&self, row: &EventEntry) -> String {
        match self.scope {
            EventScope::Everywhere => row.offset.to_string(),
            EventScope::Workspace(_) => row.id.to_string(),
        }
    }

    fn event(&self, row: EventEntry) -> Result<Event, StoreError> {
        let id = self.mark(&row);
        let mut data: Value =
            serde_json::from_str(&row.data).map_err(|error| StoreError::Inconsistent(error.to_string()))?;
        if let Some(fields) = data.as_object_mut() {
            fields.insert("type".into(), json!(row.name));
            fields.insert("event_id".into(), json!(row.id));
            fields.insert("workspace_id".into(), json!(row.workspace_id));
            fields.insert("at".into(), json!(row.occurred_at));
        }
        Ok(Event { id, name: row.name, data })
    }
}

/// Returns whether the credential is an operator key.
pub(crate) fn is_operator(authenticated: &Authenticated) -> bool {
    matches!(authenticated.credential, Credential::Operator(_))
}

fn operator(authenticated: &Authenticated) -> Result<(), ActionError> {
    match &authenticated.credential {
        Credential::Operator(key) if key.scopes.special(Special::EventsAll) => Ok(()),
        _ => Err(visibility::no_scope(Special::EventsAll)),
    }
}
