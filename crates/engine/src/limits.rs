//! Rate limits: one bucket for each scope, class and size, however a call came.
//!
//! A bucket holds a minute's calls, starts full and refills evenly (GCRA). To add an implementation: implement
//! [`Limiter`], and run it through the table in `limits/vectors.rs`.

pub(crate) mod keyed;
mod local;
mod quota;
pub mod redis;
mod shares;
#[cfg(test)]
mod vectors;

use futures_util::future::BoxFuture;
use toolcrib_model::Id;
use toolcrib_registry::LimitClass;

pub use local::LocalLimiter;
pub(crate) use quota::{exceeded, not_asked, of_workspace};
pub use redis::RedisLimiter;

/// Who shares a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LimitScope {
    /// Everybody in a workspace.
    Workspace(Id),
    /// One principal, wherever.
    Principal(Id),
}

/// Which bucket, and how large it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitRequest {
    /// Who shares it.
    pub scope: LimitScope,
    /// What kind of call it is for.
    pub class: LimitClass,
    /// Calls a minute, which is also the burst. 0 admits none. Another number is another bucket, which starts full.
    pub per_minute: u32,
    /// Who spends it, where it is a workspace's call: what tells whether somebody else is active, and their share.
    pub person: Option<LimitPerson>,
    /// Whether the call would change anything. Where the bucket can't be asked, only what changes nothing may go on.
    pub changes: bool,
}

/// A person: the acting user, by whatever keys and agents; a key that acts for nobody counts as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitPerson {
    /// Whose calls count together.
    pub id: Id,
    /// Calls a minute that this person may spend of the bucket while another is active; none where that is all of it.
    pub share: Option<u32>,
}

/// What a bucket holds, for the answer's headers: of two that a call spends, the tighter one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitState {
    /// What kind of call it is for.
    pub class: LimitClass,
    /// Calls a minute.
    pub limit: u32,
    /// Calls that it would admit now.
    pub remaining: u32,
    /// Whole seconds until it is full again.
    pub reset_seconds: u64,
}

/// Why a call may not run now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// The bucket is empty.
    Exceeded {
        /// What it holds.
        state: LimitState,
        /// Whole seconds, at least 1: who waits exactly that long is admitted, unless another is faster.
        retry_after: u64,
    },
    /// The bucket can't be asked.
    Unavailable,
}

/// Counts calls.
pub trait Limiter: Send + Sync {
    /// Spends one call, or says why not; a refused call spends nothing.
    fn spend(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>>;

    /// What the bucket holds, without spending. Never [`Limited::Exceeded`].
    fn peek(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>>;
}
