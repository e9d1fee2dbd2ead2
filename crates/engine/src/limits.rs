//! Rate limits: one bucket for each scope, class and size. All surfaces share the buckets.
//!
//! A bucket holds the calls of one minute, starts full and refills evenly (GCRA). To add an implementation,
//! implement [`Limiter`] and run it through the table in `limits/vectors.rs`.

mod local;
mod quota;
pub mod redis;
mod shares;
#[cfg(test)]
mod vectors;

use futures_util::future::BoxFuture;
use toolcrib_access::{Caller, Limits};
use toolcrib_model::Id;
use toolcrib_registry::LimitClass;

use crate::base::ActionError;

pub use local::LocalLimiter;
pub(crate) use quota::{exceeded, limiter_unavailable, of_workspace};
pub use redis::RedisLimiter;

/// Which callers share a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitScope {
    /// All callers of a workspace.
    Workspace(Id),
    /// One principal, in all workspaces.
    Principal(Id),
}

/// The bucket of a call, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitRequest {
    /// Which callers share the bucket.
    pub scope: LimitScope,
    pub class: LimitClass,
    /// Calls a minute, which is also the burst. 0 admits none. A bucket with another number is a different
    /// bucket, which starts full.
    pub per_minute: u32,
    /// The person whose share the call counts against, if the scope is a workspace. Other people's calls
    /// limit this person to the share.
    pub person: Option<LimitPerson>,
    /// Whether the call would change anything. If the bucket can't be read, only calls that change nothing
    /// may continue.
    pub changes: bool,
}

impl LimitRequest {
    /// Returns the request for one call of this caller that changes nothing, with the share of their person.
    pub(crate) fn of_caller(caller: &Caller, class: LimitClass, limits: &Limits) -> Self {
        let id = caller.principal.user().unwrap_or(caller.principal.key());
        let person = Some(LimitPerson { id, share: shares::share(class, limits) });
        Self { person, ..of_workspace(caller.workspace, class, limits) }
    }
}

/// A person: the acting user, through any of their keys and agents. A key that acts for no user counts as a
/// person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitPerson {
    /// The id of the user, or of a key that acts for no user.
    pub id: Id,
    /// Calls a minute that this person may make while another person is active; `None` if the person may use
    /// the whole bucket.
    pub share: Option<u32>,
}

/// The state of a bucket, for the rate-limit headers. If a call counts against two buckets, the state of the
/// tighter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitState {
    /// The class of the bucket's calls.
    pub class: LimitClass,
    /// Size of the bucket in calls a minute.
    pub limit: u32,
    /// Number of calls that the bucket would admit now.
    pub remaining: u32,
    /// Whole seconds until the bucket is full.
    pub reset_seconds: u64,
}

/// Why a call is not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// The bucket is empty.
    Exceeded {
        state: LimitState,
        /// Whole seconds, at least 1. A retry after exactly this time is admitted, unless another call uses
        /// the capacity first.
        retry_after: u64,
    },
    /// The bucket can't be read.
    Unavailable,
}

impl Limited {
    /// Makes the error of a call of the class.
    pub(crate) fn error(self, class: LimitClass) -> ActionError {
        match self {
            Self::Exceeded { state, retry_after } => exceeded(class, state.limit, retry_after),
            Self::Unavailable => limiter_unavailable(),
        }
    }
}

/// Counts calls against buckets.
pub trait Limiter: Send + Sync {
    /// Counts one call against the bucket. A refused call does not count.
    fn spend(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>>;

    /// Returns the state of the bucket that a call would be told of, and counts nothing. Never returns
    /// [`Limited::Exceeded`].
    fn peek(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>>;
}
