//! The engine: what all calls share.

mod briefs;
mod export;
mod invitations;
mod keyed_mutex;
mod refusals;
mod request_limits;
mod workspace_catalog;

use std::{sync::Arc, time::Duration};

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_auth::Authenticated;
use toolcrib_connectors::upstream::UpstreamClient;
use toolcrib_model::{Clock, Id, IdGen, Surface, Ts};
use toolcrib_store::{Db, health};

use keyed_mutex::KeyedMutex;
use refusals::{AuditThrottle, EarlyEndedWrites};

use crate::{
    base::{ActionError, CallContext, CallRequest},
    caller::{CallerClaims, unavailable},
    catalog::{Catalog, mcp_sessions::McpSessions, workspace_catalogs::WorkspaceCatalogs},
    events::{EventReader, EventsFilter, OutboxTail, ReaderParts, emit::Stamp, is_operator},
    gates::GateDependencies,
    grants::Grants,
    limits::Limiter,
};

pub use briefs::PackBrief;
pub(crate) use keyed_mutex::KeyGuard;
pub use request_limits::KEY_SHARES;
pub use workspace_catalog::AdmittedCaller;

/// The maximum difference between the clocks of this process and of the database, in microseconds. Expiry uses the
/// process's clock, and all processes of a deployment must agree on it.
const MAX_CLOCK_SKEW: i64 = 2_000_000;

/// Settings of the operator for all workspaces.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The known caller types.
    pub caller_types: Vec<String>,
    /// The public URL of this service, without a trailing slash.
    pub public_url: String,
    /// Seconds until a confirmation expires.
    pub confirmation_seconds: i64,
    /// Tool lists and searches a minute that one principal may request.
    pub lists_per_minute: u32,
    /// The most bytes of workspaces' toolsets in memory.
    pub toolset_cache_bytes: u64,
    /// Sends the requests of tools that upstreams run.
    pub upstream_client: UpstreamClient,
    /// How long a call whose effect nobody knows waits before each look at the service. A worker looks on afterwards.
    pub effect_looks: Vec<Duration>,
    /// The most time that a write may take on SQLite, where all writes wait for one writer.
    pub sqlite_write_timeout: Duration,
}

/// Runs calls. Shared as an `Arc`.
pub struct Engine {
    pub(crate) db: Db,
    pub(crate) catalogs: WorkspaceCatalogs,
    pub(crate) mcp_sessions: McpSessions,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdGen>,
    pub(crate) limiter: Arc<dyn Limiter>,
    pub(crate) grants: Arc<dyn Grants>,
    pub(crate) settings: EngineSettings,
    pub(crate) key_locks: KeyedMutex,
    pub(crate) early_ended_writes: EarlyEndedWrites,
    pub(crate) refusal_throttle: AuditThrottle,
    pub(crate) non_member_throttle: AuditThrottle,
    pub(crate) tail: Arc<OutboxTail>,
}

impl Engine {
    pub fn new(
        db: Db,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
        limiter: Arc<dyn Limiter>,
        grants: Arc<dyn Grants>,
        settings: EngineSettings,
    ) -> Arc<Self> {
        let client = settings.upstream_client.clone();
        let mcp_sessions = McpSessions::new(db.clone(), catalog.clone(), ids.clone(), client);
        Arc::new(Self {
            db,
            mcp_sessions,
            catalogs: WorkspaceCatalogs::new(catalog, settings.toolset_cache_bytes),
            clock,
            ids,
            limiter,
            grants,
            settings,
            key_locks: KeyedMutex::default(),
            early_ended_writes: EarlyEndedWrites::default(),
            refusal_throttle: AuditThrottle::default(),
            non_member_throttle: AuditThrottle::default(),
            tail: Arc::default(),
        })
    }

    /// Returns the catalogue of all compiled actions.
    pub fn catalog(&self) -> &Arc<Catalog> {
        self.catalogs.base()
    }

    /// Returns the operator's settings.
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// Makes an id with the current time.
    pub fn new_id(&self) -> Id {
        self.ids.new_id(self.clock.now())
    }

    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Derives the claims of a caller who needs a workspace.
    pub(crate) async fn claims(&self, authenticated: &Authenticated) -> Result<CallerClaims, ActionError> {
        CallerClaims::resolve(&self.db, &self.settings.caller_types, authenticated, false).await
    }

    /// Runs gate 3 only, for lists and streams.
    pub async fn admit(
        &self,
        authenticated: &Authenticated,
    ) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let claims = self.claims(authenticated).await?;
        let access = self.db.access_row(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        claims.caller(access.as_ref())
    }

    /// Opens a reader after `last` (the id of an event) or at the end of the outbox. Counts one list request
    /// of the principal.
    ///
    /// Returns 403 `insufficient_scope` for a key that may not read events; 422 if `last` is not the id of a
    /// stored event.
    pub async fn events(
        self: &Arc<Self>,
        authenticated: &Authenticated,
        filter: EventsFilter,
        last: Option<&str>,
    ) -> Result<EventReader, ActionError> {
        let types = &self.settings.caller_types;
        let claims =
            CallerClaims::resolve(&self.db, types, authenticated, is_operator(authenticated)).await?;
        self.spend_list(&claims.principal).await?;
        let parts = ReaderParts {
            db: self.db.clone(),
            tail: Arc::clone(&self.tail),
            caller_types: types.as_slice().into(),
            permissions: self.catalog().registry().permissions().collect(),
        };
        EventReader::open(parts, &claims, authenticated, filter, last).await
    }

    /// Ends all streams of events, before the process stops.
    pub fn end_events(&self) {
        self.tail.end();
    }

    /// Returns the parts that the gates use.
    pub(crate) fn gate_dependencies(&self) -> GateDependencies<'_> {
        GateDependencies {
            db: &self.db,
            catalogs: &self.catalogs,
            ids: self.ids.as_ref(),
            limiter: self.limiter.as_ref(),
            grants: self.grants.as_ref(),
            upstream_client: &self.settings.upstream_client,
            mcp_sessions: &self.mcp_sessions,
        }
    }

    /// Returns the source of ids, with the time `now`.
    pub fn stamp(&self, now: Ts) -> Stamp<'_> {
        Stamp { ids: self.ids.as_ref(), now }
    }

    /// Returns the context of what this service does by itself.
    pub(crate) fn system_context(&self, surface: Surface, request_id: String) -> CallContext {
        CallContext::of_service(self.ids.as_ref(), self.clock.now(), surface, request_id)
    }

    pub(crate) fn context(&self, request: &CallRequest) -> CallContext {
        CallContext {
            offers: request.offers,
            idempotency_key: request.idempotency_key.clone(),
            tool_call: request.tool_call.clone(),
            trace_id: request.trace_id.clone(),
            names_mission: request.authenticated.requested.mission.is_some(),
            ..self.system_context(request.surface, request.request_id.clone())
        }
    }

    pub(crate) fn write_timeout(&self, seconds: u32) -> Duration {
        let timeout = Duration::from_secs(seconds.into());
        if self.db.is_sqlite() { timeout.min(self.settings.sqlite_write_timeout) } else { timeout }
    }

    /// Returns an error if the database's clock differs by more than two seconds. Always succeeds on SQLite,
    /// which has no clock of its own.
    pub async fn clocks_agree(&self) -> Result<(), String> {
        let before = self.clock.now();
        let theirs = health::clock(&self.db).await.map_err(|_| "the database does not answer".to_owned())?;
        let Some(theirs) = theirs else { return Ok(()) };
        let after = self.clock.now();
        // The database read its clock at some time between `before` and `after`, however long the query took.
        let early = before.as_micros() - theirs.as_micros();
        let late = theirs.as_micros() - after.as_micros();
        let apart = early.max(late);
        if apart <= MAX_CLOCK_SKEW {
            return Ok(());
        }
        tracing::warn!(
            apart_ms = apart / 1_000,
            "not ready: the database's clock is another than this machine's"
        );
        Err("the database's clock is more than 2 seconds off".to_owned())
    }
}
