//! Writes: gates 3 to 11 in one transaction on PostgreSQL, or in none before the commit's (ADR 13); on SQLite the gates
//! are passed on a reader, and the one writer repeats the access decision from what its own transaction reads.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::FutureExt;
use toolcrib_model::ErrorCode;
use toolcrib_store::{Ahead, Db, Standing, StoreError, WriteTx, job};

use crate::{
    ActionError, Answer, Engine,
    action::Done,
    build,
    call::Info,
    claimant::{Claimant, unavailable},
    gates::{
        self,
        limit::Cleared,
        membership::admit,
        parse::Parsed,
        parts::{Parts, SoFar},
    },
    locks::Held,
    notify,
    stop::{Passed, Refusal, Stop},
};

/// One write on its way.
pub(crate) struct WriteCall {
    pub engine: Arc<Engine>,
    pub info: Info,
    pub claimant: Claimant,
    /// What the action asks first.
    pub ahead: Option<Ahead>,
    /// How long it may take altogether.
    pub limit: Duration,
}

/// What a call was about, kept outside its transaction for the row of a call that was taken back.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<(Option<Passed>, Option<ActionError>)>>);

impl WriteCall {
    pub async fn run(self, parsed: Parsed) -> Result<Answer, Stop> {
        let seen = Seen::default();
        let in_parts = || {
            let meta = self.engine.catalog.registry().get(parsed.name());
            meta.is_some_and(|meta| gates::parts::many(&meta.spec, parsed.arguments()))
        };
        let ended = match self.engine.db {
            Db::Pg(_) if !in_parts() => self.in_one(parsed, seen.clone()).boxed().await,
            _ => self.in_two(parsed, seen.clone()).boxed().await,
        };
        ended.map_err(|stop| match stop {
            Stop::Early(error) => seen.taken_back(error),
            stop => stop,
        })
    }

    async fn in_one(mut self, parsed: Parsed, seen: Seen) -> Result<Answer, Stop> {
        let db = self.engine.db.clone();
        let ahead = self.ahead.take();
        let (workspace, who) = (self.claimant.workspace, self.claimant.who());
        let limit = self.limit;
        let job = job(move |tx, standing| {
            async move {
                let admitted = admit(parsed, &self.claimant, standing.as_ref())?;
                let cleared = self.engine.clear(&self.info, tx, admitted).await?;
                seen.about(&cleared);
                finish(&self.engine, &self.info, tx, cleared, &seen, None).await
            }
            .boxed()
        });
        db.write_ahead(workspace, who, ahead, limit, job).await
    }

    async fn in_two(mut self, parsed: Parsed, seen: Seen) -> Result<Answer, Stop> {
        let db = self.engine.db.clone();
        let ahead = self.ahead.take();
        let (workspace, who) = (self.claimant.workspace, self.claimant.who());
        let begun = db.read_ahead(workspace, who, ahead.as_ref()).await;
        let (mut tx, standing) = begun.map_err(unavailable)?;
        let cleared = match admit(parsed, &self.claimant, standing.as_ref()) {
            Ok(admitted) => self.engine.clear(&self.info, &mut tx, admitted).await,
            Err(error) => Err(Stop::Early(error)),
        };
        tx.end().await?;
        let cleared = cleared?;
        if gates::parts::many(cleared.found.spec(), &cleared.found.subject().arguments) {
            return self.in_parts(Parts::cut(cleared), &seen).await;
        }
        seen.about(&cleared);
        let limit = self.limit;
        let job = job(move |tx, standing| {
            async move {
                self.claimant.still_may(standing.as_ref(), &cleared)?;
                finish(&self.engine, &self.info, tx, cleared, &seen, None).await
            }
            .boxed()
        });
        db.write_ahead(workspace, who, ahead, limit, job).await
    }

    /// One commit for each part, with its row in the log. The last one's answer is that of the whole; the first that fails
    /// ends it.
    async fn in_parts(self, parts: Parts, seen: &Seen) -> Result<Answer, Stop> {
        let call = Arc::new(self);
        let mut so_far = SoFar::default();
        for (cleared, more) in parts.into_calls() {
            seen.about(&cleared);
            let ended = call.clone().part(cleared, more, so_far.clone(), seen.clone()).await;
            match ended {
                Ok((answer, left)) if more && answer.status() < 400 => {
                    drop(answer);
                    so_far = left;
                }
                Ok((answer, _)) => return Ok(answer),
                Err(Stop::Early(error)) => return Err(Stop::Early(so_far.failed(error))),
                Err(stop) => return Err(stop),
            }
        }
        Err(Stop::Early(ActionError::internal("a call was cut into no parts")))
    }

    async fn part(
        self: Arc<Self>,
        cleared: Cleared,
        more: bool,
        so_far: SoFar,
        seen: Seen,
    ) -> Result<(Answer, SoFar), Stop> {
        let db = self.engine.db.clone();
        let (workspace, who, limit) = (self.claimant.workspace, self.claimant.who(), self.limit);
        // The row of the last part is the one that the answer names.
        let mut info = self.info.clone();
        if more {
            info.call_id = self.engine.new_id();
        }
        let job = job(move |tx, standing| {
            async move {
                self.claimant.still_may(standing.as_ref(), &cleared)?;
                let mut part = Part { so_far, more };
                let answer = finish(&self.engine, &info, tx, cleared, &seen, Some(&mut part)).await?;
                Ok((answer, part.so_far))
            }
            .boxed()
        });
        db.write_ahead(workspace, who, None, limit, job).await
    }
}

impl Seen {
    fn about(&self, cleared: &Cleared) {
        let (subject, granted_by, limit) =
            (cleared.found.subject().clone(), cleared.granted_by, cleared.limit);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(Passed { subject, granted_by, limit });
    }

    fn if_taken(&self, error: Option<ActionError>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = error;
    }

    /// A call that passed its gates and was taken back gets a row all the same, unless the rows themselves are the
    /// trouble, or nobody knows whether it was kept.
    fn taken_back(&self, error: ActionError) -> Stop {
        let (passed, taken) = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let refused =
            |error, reason, passed| Stop::Refused(Box::new(Refusal::taken_back(error, reason, passed)));
        match (error.code, passed) {
            (ErrorCode::Timeout, Some(passed)) => refused(error, "timeout", passed),
            (ErrorCode::Conflict, Some(passed)) => refused(taken.unwrap_or(error), "conflict", passed),
            (ErrorCode::Internal, Some(passed)) => refused(error, "failed", passed),
            _ => Stop::Early(error),
        }
    }
}

/// One of several commits of a call.
struct Part {
    so_far: SoFar,
    /// Others follow.
    more: bool,
}

impl Part {
    /// Counts what the part left; behind the last one that is the answer of the whole.
    fn ended(&mut self, outcome: Result<Done, ActionError>, records: usize) -> Result<Done, ActionError> {
        let done = outcome.map_err(|error| self.so_far.failed(error))?;
        self.so_far.add(&done, records);
        if self.more { Ok(done) } else { std::mem::take(&mut self.so_far).done() }
    }
}

/// Gates 10 and 11, and what is remembered of them, before the commit.
async fn finish(
    engine: &Engine,
    info: &Info,
    tx: &mut WriteTx,
    cleared: Cleared,
    seen: &Seen,
    part: Option<&mut Part>,
) -> Result<Answer, Stop> {
    let records = gates::parts::records(&cleared);
    let mut ran = gates::run::write(engine, info, tx, cleared).await;
    seen.if_taken(ran.taken.take());
    let unfinished = part.as_ref().is_some_and(|part| part.more) && ran.outcome.is_ok();
    if let Some(part) = part {
        ran.outcome = part.ended(ran.outcome, records);
    }
    let mut row = gates::audit::row(info, ran.found.subject(), gates::audit::Verdict::of_run(info, &ran));
    // A workspace that this very call created is where its row belongs.
    row.workspace_id = tx.workspace();
    tx.audit(row);
    let told = if unfinished {
        Vec::new()
    } else {
        notify::ran(engine.ids.as_ref(), info, ran.found.subject(), ran.outcome.is_ok())
    };
    for event in told {
        tx.event(event);
    }
    let (found, key) = (ran.found.clone(), ran.key.clone());
    let answer = build::ran(info, ran);
    // A fault on our side may pass: the same key may try again.
    if let Some(key) = key.filter(|_| answer.status() < 500 && !unfinished) {
        let body = answer.to_value();
        let stored = Some((answer.status(), &body));
        // Where the call began: there the key is looked up, also when the call has created a workspace and is in it.
        let (ended_in, began_in) = (tx.workspace(), found.subject().caller.workspace);
        tx.enter(began_in).await?;
        if !gates::idempotency::remember(info, tx, &found, &key, stored, None).await? {
            return Err(Stop::Again);
        }
        tx.enter(ended_in).await?;
    }
    Ok(answer)
}

impl Claimant {
    /// Gates 3 and 5 once more, from what the changing transaction itself reads.
    fn still_may(&self, standing: Option<&Standing>, cleared: &Cleared) -> Result<(), Stop> {
        let (caller, policy) = self.caller(standing)?;
        gates::access::still(&caller, cleared.found.spec(), &policy)
            .map_err(|error| Stop::Refused(Box::new(Refusal::denied(error, cleared.found.subject().clone()))))
    }
}

impl Engine {
    /// Waits for the turn of the call's idempotency key, where it has one.
    pub(crate) async fn turn(
        &self,
        info: &Info,
        claimant: &Claimant,
        parsed: &Parsed,
    ) -> Result<Option<Held>, Stop> {
        let session = claimant.session.as_deref();
        let Some(key) = gates::idempotency::key_text(info, session, || parsed.name()) else {
            return Ok(None);
        };
        match self.locks.take(claimant.workspace, claimant.principal.key(), key).await {
            Some(held) => Ok(Some(held)),
            None => Err(ActionError::new(ErrorCode::InProgress, "a call with the same key is still running")
                .hint("wait and send the same call again")
                .into()),
        }
    }
}

impl From<StoreError> for Stop {
    fn from(fault: StoreError) -> Self {
        Self::Early(fault.into())
    }
}
