//! Gate 9: the workspace's limit, spent only by calls that would run now.

use toolcrib_access::Limits;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{Level, LimitClass};

use super::{arguments::Resolved, confirmation::Confirmed, idempotency::Key, lookup::KnownAction};
use crate::{
    ActionError,
    early_exit::EarlyExit,
    limits::{LimitPerson, LimitRequest, LimitScope, LimitState, Limited, Limiter},
};

/// Administration, calls a minute.
const ADMIN_PER_MINUTE: u32 = 120;
/// Records, calls a minute.
const RECORDS_PER_MINUTE: u32 = 600;

/// A call that may run now.
#[derive(Clone)]
pub struct WithinLimits {
    pub(crate) found: KnownAction,
    pub(crate) key: Option<Key>,
    pub(crate) granted_by: &'static str,
    pub(crate) limit: LimitState,
}

/// Spends one unit of the call's class.
pub async fn spend(limiter: &dyn Limiter, confirmed: Confirmed) -> Result<WithinLimits, EarlyExit> {
    let Confirmed { valid: Resolved { found, key, .. }, granted_by } = confirmed;
    let class = found.meta.spec.limit_class;
    let changes = found.meta.spec.level != Level::Read;
    let (caller, limits) = (&found.subject.caller, &found.policy.limits);
    let request = of_workspace(caller.workspace, class, limits);
    let id = caller.principal.user().unwrap_or(caller.principal.key());
    let person = Some(LimitPerson { id, share: share(class, limits) });
    match limiter.spend(LimitRequest { person, changes, ..request }).await {
        Ok(limit) => Ok(WithinLimits { found, key, granted_by, limit }),
        Err(Limited::Exceeded { state, retry_after }) => {
            let quota = request.per_minute;
            let mut stop =
                found.refuse(used_up(class, quota, &state, retry_after), "rate_limited", "rate_limited");
            if let EarlyExit::Refused(refusal) = &mut stop {
                refusal.limit = Some(state);
            }
            Err(stop)
        }
        Err(Limited::Unavailable) => Err(EarlyExit::Unaudited(not_asked())),
    }
}

/// One unit of a workspace's, for a call that changes nothing.
pub fn of_workspace(workspace: Id, class: LimitClass, limits: &Limits) -> LimitRequest {
    let scope = LimitScope::Workspace(workspace);
    LimitRequest { scope, class, per_minute: quota(class, limits), person: None, changes: false }
}

/// Nobody can tell whether there is something left.
pub fn not_asked() -> ActionError {
    ActionError::new(ErrorCode::LimiterUnavailable, "the rate limiter can't be asked now; nothing was done")
}

/// What a class may spend in a minute. Lists are the operator's to set: [`crate::EngineSettings`].
pub fn quota(class: LimitClass, limits: &Limits) -> u32 {
    match class {
        LimitClass::Write => limits.write_per_minute,
        LimitClass::Read => limits.read_per_minute,
        LimitClass::External => limits.external_per_minute,
        LimitClass::Admin => ADMIN_PER_MINUTE,
        LimitClass::Records | LimitClass::Refusals | LimitClass::Lists => RECORDS_PER_MINUTE,
    }
}

/// What one person may spend of a class while another is active; none where that is all.
fn share(class: LimitClass, limits: &Limits) -> Option<u32> {
    let per_minute = u64::from(limits.write_per_minute);
    let percent = u64::from(limits.write_share_percent);
    let share = u32::try_from(per_minute * percent / 100).unwrap_or(u32::MAX).max(1);
    (class == LimitClass::Write && share < limits.write_per_minute).then_some(share)
}

/// The refusal of a spent bucket, of the workspace or of a person's share in it.
fn used_up(class: LimitClass, quota: u32, state: &LimitState, retry_after: u64) -> ActionError {
    let mut error = exceeded(class, quota, retry_after);
    if state.limit < quota {
        error.detail = format!(
            "your share of {} {} calls a minute is used up, and others of this workspace are active",
            state.limit,
            class.as_str()
        );
    }
    error
}

/// The refusal of a spent bucket.
pub fn exceeded(class: LimitClass, limit: u32, retry_after: u64) -> ActionError {
    let detail = format!("the limit of {limit} {} calls a minute is used up", class.as_str());
    let mut error =
        ActionError::new(ErrorCode::RateLimited, detail).hint(format!("wait {retry_after} seconds"));
    error.retry_after = Some(retry_after);
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_quota() {
        let limits = Limits {
            write_per_minute: 7,
            read_per_minute: 70,
            external_per_minute: 700,
            ..Limits::default()
        };
        for (class, expected) in [
            (LimitClass::Write, 7),
            (LimitClass::Read, 70),
            (LimitClass::External, 700),
            (LimitClass::Admin, 120),
            (LimitClass::Records, 600),
        ] {
            assert_eq!(quota(class, &limits), expected, "{}", class.as_str());
        }
    }

    #[test]
    fn a_share_is_of_writes_and_never_none() {
        let of = |write_per_minute, write_share_percent| {
            share(LimitClass::Write, &Limits { write_per_minute, write_share_percent, ..Limits::default() })
        };
        assert_eq!([of(10, 60), of(7, 60), of(2, 60), of(3, 1)], [6, 4, 1, 1].map(Some));
        assert_eq!([of(1, 60), of(10, 100), of(1, 1)], [None; 3]);
        assert_eq!(share(LimitClass::Read, &Limits::default()), None);
    }
}
