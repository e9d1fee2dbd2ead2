//! The pipeline. Every call enters through [`Engine::call`].

mod audit_throttle;
mod call_log;
mod check;
mod clock_skew;
mod events;
mod export;
mod keyed_mutex;
mod mcp_session;
mod non_member;
mod query_names;
mod read;
mod refused_writes;
mod remember;
mod request_confirmation;
mod respond;
mod workspace_catalog;
mod write;

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_connectors::upstream::UpstreamClient;
use toolcrib_model::{Clock, IdGen, Ts, Via};
use toolcrib_registry::Dispatcher;
use toolcrib_store::Db;
use tracing::Instrument;

use audit_throttle::AuditThrottle;
use keyed_mutex::KeyedMutex;
use refused_writes::RefusedWrites;
use write::WriteCall;

use crate::{
    base::{ActionError, CallContext},
    caller::{Authenticated, CallRequest, CallerClaims, unavailable},
    catalog::{Catalog, mcp_sessions::McpSessions, workspace_catalogs::WorkspaceCatalogs},
    confirmations::ConfirmationRecords,
    events::{OutboxTail, emit::Stamp},
    gates::{self, CallKind, GateDependencies, early_exit::EarlyExit},
    grants::Grants,
    limits::Limiter,
    response::{self, CallResponse},
};

pub use check::CheckView;
pub(crate) use mcp_session::NoSession;
pub use workspace_catalog::AdmittedCaller;

/// How often a call is attempted: if another process stores a response to its key meanwhile, the next attempt finds it, and if
/// the tool has become another kind, the next attempt runs it as that.
const ATTEMPTS: usize = 3;
/// How long a duplicate waits for a call that an upstream runs.
const IN_PROGRESS_WAIT: Duration = Duration::from_secs(10);
/// Between two looks at such a call.
const IN_PROGRESS_POLL: Duration = Duration::from_millis(200);

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
    pub(crate) refused_writes: RefusedWrites,
    pub(crate) refusal_throttle: AuditThrottle,
    pub(crate) non_member_throttle: AuditThrottle,
    pub(crate) tail: Arc<OutboxTail>,
}

impl Engine {
    /// Makes an engine.
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
            refused_writes: RefusedWrites::default(),
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

    /// Returns the clock of all calls.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Passes a call through all gates. The call runs in its own task, so that it completes even if the
    /// client disconnects. The futures are boxed here and below, because a task as large as the largest of
    /// them would be copied for each call.
    pub async fn call(self: &Arc<Self>, request: CallRequest) -> CallResponse {
        let context = self.context(&request);
        let (engine, request_id) = (self.clone(), context.request_id.clone());
        let dispatched = Dispatcher::parse(&request.name).is_some();
        let named = if dispatched { Via::Dispatcher } else { Via::Direct };
        let call = async move {
            let answer = engine.answer_or_retry(&context, request).await;
            call_log::call(engine.catalog(), &context, named, &answer);
            answer
        };
        let task = tokio::spawn(call.instrument(crate::base::call_span::span()));
        task.await.unwrap_or_else(|_| {
            response::failed(&ActionError::internal("the call's task panicked"), &request_id)
        })
    }

    /// Runs gate 3 only, for lists and streams.
    pub async fn admit(
        &self,
        authenticated: &Authenticated,
    ) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let claims =
            CallerClaims::resolve(&self.db, &self.settings.caller_types, authenticated, false).await?;
        let access = self.db.access_row(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        claims.caller(access.as_ref())
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

    /// Returns the writer of confirmation records of a workspace with this catalogue.
    pub(crate) fn records<'e>(&'e self, catalog: &'e Catalog) -> ConfirmationRecords<'e> {
        ConfirmationRecords {
            catalog,
            ids: self.ids.as_ref(),
            public_url: &self.settings.public_url,
            seconds: self.settings.confirmation_seconds,
        }
    }

    /// Returns the source of ids, with the time `now`.
    pub(crate) fn stamp(&self, now: Ts) -> Stamp<'_> {
        Stamp { ids: self.ids.as_ref(), now }
    }

    pub(crate) fn context(&self, request: &CallRequest) -> CallContext {
        let now = self.clock.now();
        CallContext {
            call_id: self.ids.new_id(now),
            now,
            started: tokio::time::Instant::now(),
            surface: request.surface,
            offers: request.offers,
            idempotency_key: request.idempotency_key.clone(),
            tool_call: request.tool_call.clone(),
            request_id: request.request_id.clone(),
            trace_id: request.trace_id.clone(),
            names_mission: request.authenticated.requested.mission.is_some(),
            confirmation: None,
            upstream_target: None,
            relayed_by: None,
        }
    }

    async fn answer_or_retry(self: &Arc<Self>, context: &CallContext, request: CallRequest) -> CallResponse {
        let mut attempts = 0;
        while attempts < ATTEMPTS {
            match self.attempt(context, &request, attempts == 0).await {
                Ok(answer) => return answer,
                Err(EarlyExit::Retry) => attempts += 1,
                Err(EarlyExit::InProgress) if context.started.elapsed() < IN_PROGRESS_WAIT => {
                    tokio::time::sleep(IN_PROGRESS_POLL).await;
                }
                Err(exit) => return self.respond_early(context, exit).boxed().await,
            }
        }
        self.respond_early(context, EarlyExit::InProgress).boxed().await
    }

    async fn attempt(
        self: &Arc<Self>,
        context: &CallContext,
        request: &CallRequest,
        is_first: bool,
    ) -> Result<CallResponse, EarlyExit> {
        let parsed = gates::parse::of_request(request)?;
        let exact = self.exact_execution(context, &parsed);
        let workspace_optional = exact.as_ref().is_some_and(|exact| exact.workspace_optional);
        let types = &self.settings.caller_types;
        let claims =
            CallerClaims::resolve(&self.db, types, &request.authenticated, workspace_optional).await?;
        let execution = match exact {
            Some(exact) => exact,
            None => self.execution(context, &claims, (&parsed, is_first)).boxed().await?,
        };
        let passed = match execution.kind {
            CallKind::Read => self.read(context, &claims, parsed).boxed().await,
            CallKind::External => self.external(context, &claims, parsed).boxed().await,
            CallKind::ExternalWrite => {
                let _key_guard = self.lock_key(context, &claims, &parsed).await?;
                self.external_write(context.clone(), claims.clone(), parsed).boxed().await
            }
            CallKind::Write => {
                let _key_guard = self.lock_key(context, &claims, &parsed).await?;
                let limit = self.write_limit(execution.seconds);
                let (context, claims) = (context.clone(), claims.clone());
                let call = WriteCall { engine: self.clone(), context, claims, limit };
                self.db.run_write(call.run(parsed).in_current_span()).boxed().await
            }
        };
        if let Err(EarlyExit::Unaudited(error)) = &passed {
            self.audit_non_member(context, request, &claims, error).boxed().await;
        }
        passed
    }

    /// Returns the timeout of a write.
    pub(crate) fn write_limit(&self, seconds: u32) -> Duration {
        // Shorter on SQLite, because all writes wait for its single writer.
        Duration::from_secs(if self.db.is_sqlite() { 2 } else { seconds.into() })
    }
}
