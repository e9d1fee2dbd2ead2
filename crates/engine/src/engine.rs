//! The one path: every call enters [`Engine::call`].

use std::{sync::Arc, time::Duration};

use futures_util::FutureExt as _;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_model::{Clock, ErrorCode, IdGen};
use toolcrib_registry::{DISPATCHER, Level, Surface};
use toolcrib_store::{Ahead, Db, Tx};
use tracing::Instrument;

use crate::{
    ActionError, Answer, CallRequest, Catalog, Identity, Via, build,
    call::Info,
    claimant::{Claimant, unavailable},
    dispatch::{self, Meant},
    events::Tail,
    flood::Flood,
    gates::{self, limit::Cleared, parse::Parsed},
    grants::Grants,
    limits::Limiter,
    locks::KeyedLocks,
    notify,
    stop::Stop,
    write::WriteCall,
};

/// What the operator decided for all workspaces.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The caller types that exist.
    pub caller_types: Vec<String>,
    /// Where this service is reached from outside, without a slash at the end.
    pub public_url: String,
    /// How long a confirmation waits, in seconds.
    pub confirmation_seconds: i64,
    /// Tool lists and searches that one principal may ask for in a minute.
    pub lists_per_minute: u32,
}

/// Runs calls. Cheap to share: everything in it is behind an `Arc`.
pub struct Engine {
    pub(crate) db: Db,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdGen>,
    pub(crate) limiter: Arc<dyn Limiter>,
    pub(crate) grants: Arc<dyn Grants>,
    pub(crate) settings: EngineSettings,
    pub(crate) locks: KeyedLocks,
    pub(crate) flood: Flood,
    pub(crate) strangers: Flood,
    pub(crate) tail: Arc<Tail>,
}

/// How a call is carried out, known from its name alone.
enum Kind {
    Read,
    Write { seconds: u32, ahead: Option<Ahead> },
    External,
}

impl Engine {
    /// Joins the parts.
    pub fn new(
        db: Db,
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
        limiter: Arc<dyn Limiter>,
        grants: Arc<dyn Grants>,
        settings: EngineSettings,
    ) -> Arc<Self> {
        Arc::new(Self {
            db,
            catalog,
            clock,
            ids,
            limiter,
            grants,
            settings,
            locks: KeyedLocks::default(),
            flood: Flood::default(),
            strangers: Flood::default(),
            tail: Arc::default(),
        })
    }

    /// Every action there is.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// What the operator decided.
    pub fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    /// The clock that calls are judged by.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Passes one call through all gates. Runs on a task of its own: a client that goes away changes nothing. Its ways are
    /// boxed, here and below: a task as large as the longest of them would be copied whole for each call.
    pub async fn call(self: &Arc<Self>, request: CallRequest) -> Answer {
        let info = self.info(&request);
        let (engine, request_id) = (self.clone(), info.request_id.clone());
        let named = if request.name == DISPATCHER { Via::Dispatcher } else { Via::Direct };
        let call = async move {
            let answer = engine.answer(&info, request).await;
            crate::trace::call(&engine.catalog, &info, named, &answer);
            answer
        };
        let task = tokio::spawn(call.instrument(crate::trace::span()));
        task.await.unwrap_or_else(|_| {
            build::failed(&ActionError::internal("the call's task panicked"), &request_id)
        })
    }

    /// Who this is here and now: gate 3 alone, for lists and streams.
    pub async fn admit(&self, identity: &Identity) -> Result<(Caller, WorkspacePolicy), ActionError> {
        let claimant =
            Claimant::from_identity(&self.db, &self.settings.caller_types, identity, false).await?;
        let standing = self.db.standing(claimant.workspace, claimant.who()).await.map_err(unavailable)?;
        claimant.caller(standing.as_ref())
    }

    pub(crate) fn info(&self, request: &CallRequest) -> Info {
        let now = self.clock.now();
        Info {
            call_id: self.ids.new_id(now),
            now,
            started: tokio::time::Instant::now(),
            door: request.door,
            offers: request.offers,
            idempotency_key: request.idempotency_key.clone(),
            tool_call: request.tool_call.clone(),
            request_id: request.request_id.clone(),
            trace_id: request.trace_id.clone(),
            names_mission: request.identity.wishes.mission.is_some(),
            confirmation: None,
            relayed_by: None,
        }
    }

    async fn answer(self: &Arc<Self>, info: &Info, request: CallRequest) -> Answer {
        // Twice at most: another process may have stored the answer of this very key first.
        for _ in 0..2 {
            match self.pass(info, &request).await {
                Ok(answer) => return answer,
                Err(Stop::Again) => {}
                Err(stop) => return self.settle(info, stop).boxed().await,
            }
        }
        build::failed(
            &ActionError::new(ErrorCode::InProgress, "a call with this key is still running"),
            &info.request_id,
        )
    }

    async fn pass(self: &Arc<Self>, info: &Info, request: &CallRequest) -> Result<Answer, Stop> {
        let parsed = gates::parse::of_request(request)?;
        let (kind, placeless) = self.kind(info, &parsed);
        let types = &self.settings.caller_types;
        let claimant = Claimant::from_identity(&self.db, types, &request.identity, placeless).await?;
        let passed = match kind {
            Kind::Read => self.read(info, &claimant, parsed).boxed().await,
            Kind::External => self.external(info, &claimant, parsed).boxed().await,
            Kind::Write { seconds, ahead } => {
                let turn = self.turn(info, &claimant, &parsed).await?;
                // With a key or a mission the gates ask more.
                let asks_more = turn.is_some() || info.names_mission;
                let ahead = ahead.map(|ahead| if asks_more { ahead.and_more() } else { ahead });
                let limit = self.write_limit(seconds);
                let claimant = claimant.clone();
                WriteCall { engine: self.clone(), info: info.clone(), claimant, ahead, limit }
                    .run(parsed)
                    .boxed()
                    .await
            }
        };
        if let Err(Stop::Early(error)) = &passed {
            self.note_stranger(info, request, &claimant, error).boxed().await;
        }
        passed
    }

    /// How the call would be carried out, and whether it needs no workspace.
    fn kind(&self, info: &Info, parsed: &Parsed) -> (Kind, bool) {
        match dispatch::meant(&self.catalog, info, parsed.name(), parsed.arguments()) {
            Meant::Action { meta, arguments, .. } => {
                let spec = &meta.spec;
                let kind = match (spec.external, spec.level) {
                    (true, _) => Kind::External,
                    (false, Level::Read) => Kind::Read,
                    (false, _) => Kind::Write {
                        seconds: spec.timeout_seconds,
                        ahead: self.catalog.ahead(spec.name, &arguments),
                    },
                };
                (kind, spec.surface == Surface::Program && (spec.open || spec.system_scope.is_some()))
            }
            Meant::Unknown { .. } | Meant::Malformed(_) => (Kind::Read, false),
        }
    }

    /// Gates 3 to 9 inside one transaction.
    pub(crate) async fn clear(
        &self,
        info: &Info,
        tx: &mut Tx,
        admitted: gates::membership::Admitted,
    ) -> Result<Cleared, Stop> {
        if info.names_mission {
            gates::membership::know_mission(tx, &admitted).await?;
        }
        let found = gates::lookup::find(&self.catalog, info, admitted)?;
        let permitted = gates::access::permit(&self.catalog, found)?;
        let sound = gates::arguments::check(info, permitted)?;
        let fresh = gates::idempotency::check(info, tx, sound).await?;
        let valid = gates::arguments::resolve(self, info.now, tx, fresh).await?;
        let confirmed = gates::confirmation::ask(info, self.grants.as_ref(), tx, valid).await?;
        gates::limit::spend(self.limiter.as_ref(), confirmed).await
    }

    async fn read(&self, info: &Info, claimant: &Claimant, parsed: Parsed) -> Result<Answer, Stop> {
        let (mut tx, standing) =
            self.db.read_as(claimant.workspace, claimant.who()).await.map_err(unavailable)?;
        let admitted =
            gates::membership::admit_reader(parsed, claimant, standing.as_ref(), &mut tx).boxed().await;
        let ran = match admitted {
            Ok(admitted) => match self.clear(info, &mut tx, admitted).await {
                Ok(cleared) => Ok(gates::run::read(self, info, &mut tx, cleared).await),
                Err(stop) => Err(stop),
            },
            Err(error) => Err(Stop::Early(error)),
        };
        tx.end().await?;
        self.record(info, ran?).await
    }

    async fn external(&self, info: &Info, claimant: &Claimant, parsed: Parsed) -> Result<Answer, Stop> {
        let (mut tx, standing) =
            self.db.read_as(claimant.workspace, claimant.who()).await.map_err(unavailable)?;
        let cleared = match gates::membership::admit(parsed, claimant, standing.as_ref()) {
            Ok(admitted) => self.clear(info, &mut tx, admitted).await,
            Err(error) => Err(Stop::Early(error)),
        };
        tx.end().await?;
        let ran = gates::run::external(self, info, cleared?).await;
        self.record(info, ran).await
    }

    /// Gate 11 of a read: its row is durable before the answer leaves.
    async fn record(&self, info: &Info, ran: gates::run::Ran) -> Result<Answer, Stop> {
        let verdict = gates::audit::Verdict::of_run(info, &ran);
        let row = gates::audit::row(info, ran.found.subject(), verdict);
        let told = notify::ran(self.ids.as_ref(), info, ran.found.subject(), ran.outcome.is_ok());
        self.db.audit_telling(vec![row], told).await.map_err(build::audit_unavailable)?;
        Ok(build::ran(info, ran))
    }

    /// How long a write may take altogether.
    pub(crate) fn write_limit(&self, seconds: u32) -> Duration {
        match self.db {
            // Everybody waits for the one writer.
            Db::Sqlite(_) => Duration::from_secs(2),
            Db::Pg(_) => Duration::from_secs(u64::from(seconds)),
        }
    }
}
