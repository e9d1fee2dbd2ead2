//! Counts and limits requests that are held open: event streams, and requests that wait for a decision or a result.
//! Each holds a connection and reads the database again and again, so no caller may open an unlimited number.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use toolcrib_access::Principal;
use toolcrib_engine::{ActionError, GaugeGuard, KEY_SHARES};
use toolcrib_model::{ErrorCode, Id};

/// `Retry-After` of a refused request, in seconds.
const RETRY: u64 = 15;

#[derive(Clone, Copy, Debug)]
pub struct StreamLimits {
    pub per_principal: usize,
    pub per_workspace: usize,
}

impl Default for StreamLimits {
    /// 8 requests of a principal and 200 of a workspace.
    fn default() -> Self {
        Self { per_principal: 8, per_workspace: 200 }
    }
}

/// What a request is counted for. Each has a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Share {
    Principal(Principal),
    ServiceKey(Id),
    Workspace(Id),
}

/// Returns what a request is counted for: its principal, its service key and its workspace.
fn shares(workspace: Option<Id>, principal: Principal) -> Vec<Share> {
    let key = match principal {
        Principal::Service { key_id, .. } => Some(Share::ServiceKey(key_id)),
        _ => None,
    };
    [Some(Share::Principal(principal)), key, workspace.map(Share::Workspace)].into_iter().flatten().collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldKind {
    /// A stream of events.
    Stream,
    /// A request that waits for a decision or a result.
    Wait,
}

/// The counts of the held requests of one kind.
#[derive(Debug)]
pub struct HeldRequests {
    kind: HeldKind,
    limits: StreamLimits,
    open: Mutex<HashMap<Share, usize>>,
}

/// One held request. It is counted until it is dropped.
pub struct HeldRequest {
    requests: Arc<HeldRequests>,
    shares: Vec<Share>,
    _counted: Option<GaugeGuard>,
}

impl HeldRequests {
    /// Nothing is held yet.
    pub(crate) fn new(kind: HeldKind, limits: StreamLimits) -> Self {
        Self { kind, limits, open: Mutex::default() }
    }

    /// Holds a request. 429 `rate_limited` if a limit is reached.
    pub(crate) fn open(
        self: &Arc<Self>,
        workspace: Option<Id>,
        principal: Principal,
    ) -> Result<HeldRequest, ActionError> {
        let shares = shares(workspace, principal);
        let mut open = self.open.lock();
        for share in &shares {
            if open.get(share).copied().unwrap_or(0) >= self.most(*share) {
                return Err(self.refused(*share));
            }
        }
        for share in &shares {
            *open.entry(*share).or_default() += 1;
        }
        let is_stream = self.kind == HeldKind::Stream;
        let counted = is_stream.then(|| GaugeGuard::new(metrics::gauge!("toolcrib_http_streams")));
        Ok(HeldRequest { requests: Arc::clone(self), shares, _counted: counted })
    }

    fn most(&self, share: Share) -> usize {
        match share {
            Share::Principal(_) => self.limits.per_principal,
            // Otherwise a key could open more streams by acting for more members.
            Share::ServiceKey(_) => self.limits.per_principal.saturating_mul(KEY_SHARES.into()),
            Share::Workspace(_) => self.limits.per_workspace,
        }
    }

    fn refused(&self, share: Share) -> ActionError {
        let whose = match share {
            Share::Principal(_) => "you have",
            Share::ServiceKey(_) => "this key has",
            Share::Workspace(_) => "this workspace has",
        };
        let (what, hint) = match self.kind {
            HeldKind::Stream => (
                "event streams open",
                "close a stream, or read several sessions from one stream: without `session` it sends the events of all",
            ),
            HeldKind::Wait => (
                "requests waiting",
                "send it without `wait`, or read the decisions from `GET /v1/events`, one stream for all",
            ),
        };
        let detail = format!("{whose} {} {what}, which is the limit", self.most(share));
        let mut error = ActionError::new(ErrorCode::RateLimited, detail).hint(hint);
        error.retry_after = Some(RETRY);
        error
    }
}

impl Drop for HeldRequest {
    fn drop(&mut self) {
        let mut open = self.requests.open.lock();
        for share in &self.shares {
            if let Some(count) = open.get_mut(share) {
                *count -= 1;
                if *count == 0 {
                    open.remove(share);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn streams(per_principal: usize, per_workspace: usize) -> Arc<HeldRequests> {
        Arc::new(HeldRequests::new(HeldKind::Stream, StreamLimits { per_principal, per_workspace }))
    }

    fn id(n: u128) -> Id {
        Id::from_u128(n)
    }

    #[test]
    fn a_principal_has_its_share_and_gets_it_back() {
        let streams = streams(2, 10);
        let user = Principal::User { user_id: id(1) };
        let agent = Principal::Agent { agent_id: id(1), runs_as: id(1) };
        let held: Vec<_> = (0..2).map(|_| streams.open(Some(id(9)), user).ok().unwrap()).collect();
        let refused = streams.open(Some(id(9)), user).err().unwrap();
        assert_eq!((refused.code, refused.retry_after), (ErrorCode::RateLimited, Some(RETRY)));
        assert_eq!(refused.detail, "you have 2 event streams open, which is the limit");
        assert!(streams.open(Some(id(9)), agent).is_ok(), "another principal, whatever its ids");
        drop(held);
        assert!(streams.open(Some(id(9)), user).is_ok());
        assert!(streams.open.lock().is_empty(), "nothing stays behind");
    }

    #[test]
    fn naming_members_multiplies_a_keys_share_by_ten_at_most() {
        let streams = streams(2, 1_000);
        let as_member = |n| Principal::Service { key_id: id(1), on_behalf_of: Some(id(n)) };
        let mut held = Vec::new();
        for n in 0..100 {
            held.extend((0..3).filter_map(|_| streams.open(Some(id(9)), as_member(n)).ok()));
        }
        assert_eq!(held.len(), 20);
        let other = Principal::Service { key_id: id(2), on_behalf_of: Some(id(0)) };
        assert!(streams.open(Some(id(9)), other).is_ok());
    }

    #[test]
    fn a_workspace_has_its_share_and_no_other_one_pays_for_it() {
        let streams = streams(8, 5);
        let held: Vec<_> = (0..20)
            .filter_map(|n| streams.open(Some(id(9)), Principal::User { user_id: id(n) }).ok())
            .collect();
        assert_eq!(held.len(), 5);
        assert!(streams.open(Some(id(8)), Principal::User { user_id: id(1) }).is_ok());
        assert!(streams.open(None, Principal::Operator { key_id: id(1) }).is_ok(), "of all workspaces");
    }
}
