//! The size of a workspace's bucket for each class, and the errors of a bucket that does not admit a call.

use toolcrib_access::Limits;
use toolcrib_model::{ErrorCode, Id, count};
use toolcrib_registry::LimitClass;

use super::{LimitRequest, LimitScope};
use crate::base::ActionError;

/// Limit of administration, in calls a minute.
const ADMIN_PER_MINUTE: u32 = 120;
/// Limit of records, in calls a minute.
const RECORDS_PER_MINUTE: u32 = 600;

/// Limit of tests, in calls a minute.
const TESTS_PER_MINUTE: u32 = 5;

/// Returns the request for one call of a workspace that changes nothing.
pub fn of_workspace(workspace: Id, class: LimitClass, limits: &Limits) -> LimitRequest {
    let scope = LimitScope::Workspace(workspace);
    LimitRequest { scope, class, per_minute: quota(class, limits), person: None, changes: false }
}

/// Makes the error for a limiter that can't be reached.
pub fn limiter_unavailable() -> ActionError {
    ActionError::new(ErrorCode::LimiterUnavailable, "the rate limiter is unavailable; nothing was done")
}

/// Returns the limit of a class in calls a minute. The limit of lists is a setting: `EngineSettings`.
pub fn quota(class: LimitClass, limits: &Limits) -> u32 {
    match class {
        LimitClass::Write => limits.write_per_minute,
        LimitClass::Read => limits.read_per_minute,
        LimitClass::External => limits.external_per_minute,
        LimitClass::Client => limits.client_per_minute,
        LimitClass::Admin => ADMIN_PER_MINUTE,
        LimitClass::Tests => TESTS_PER_MINUTE,
        LimitClass::Records | LimitClass::Refusals | LimitClass::Lists => RECORDS_PER_MINUTE,
    }
}

/// Makes the error for an empty bucket.
pub fn exceeded(class: LimitClass, limit: u32, retry_after: u64) -> ActionError {
    let detail = format!("the limit of {} a minute of the class `{class}` is reached", count(limit, "call"));
    let hint = format!("wait {}", count(retry_after, "second"));
    let mut error = ActionError::new(ErrorCode::RateLimited, detail).hint(hint);
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
            client_per_minute: 7_000,
            ..Limits::default()
        };
        for (class, expected) in [
            (LimitClass::Write, 7),
            (LimitClass::Read, 70),
            (LimitClass::External, 700),
            (LimitClass::Client, 7_000),
            (LimitClass::Admin, 120),
            (LimitClass::Records, 600),
            (LimitClass::Tests, 5),
        ] {
            assert_eq!(quota(class, &limits), expected, "{}", class.as_str());
        }
    }

    #[test]
    fn the_error_counts_the_calls_of_a_class() {
        for (class, limit, wait, told, hint) in [
            (LimitClass::Tests, 5, 12, "5 calls a minute of the class `tests`", "wait 12 seconds"),
            (LimitClass::Write, 1, 1, "1 call a minute of the class `write`", "wait 1 second"),
        ] {
            let error = exceeded(class, limit, wait);
            assert_eq!(error.detail, format!("the limit of {told} is reached"));
            assert_eq!(error.hint.as_deref(), Some(hint));
        }
    }
}
