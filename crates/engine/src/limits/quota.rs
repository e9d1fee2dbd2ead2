//! What a workspace may spend of each class in a minute, and the errors of a bucket that gives nothing.

use toolcrib_access::Limits;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::LimitClass;

use super::{LimitRequest, LimitScope};
use crate::base::ActionError;

/// Administration, calls a minute.
const ADMIN_PER_MINUTE: u32 = 120;
/// Records, calls a minute.
const RECORDS_PER_MINUTE: u32 = 600;

/// One unit of a workspace's, for a call that changes nothing.
pub fn of_workspace(workspace: Id, class: LimitClass, limits: &Limits) -> LimitRequest {
    let scope = LimitScope::Workspace(workspace);
    LimitRequest { scope, class, per_minute: quota(class, limits), person: None, changes: false }
}

/// Nobody can tell whether there is something left.
pub fn not_asked() -> ActionError {
    ActionError::new(ErrorCode::LimiterUnavailable, "the rate limiter is unavailable; nothing was done")
}

/// What a class may spend in a minute. Lists are the operator's to set: `EngineSettings`.
pub fn quota(class: LimitClass, limits: &Limits) -> u32 {
    match class {
        LimitClass::Write => limits.write_per_minute,
        LimitClass::Read => limits.read_per_minute,
        LimitClass::External => limits.external_per_minute,
        LimitClass::Admin => ADMIN_PER_MINUTE,
        LimitClass::Records | LimitClass::Refusals | LimitClass::Lists => RECORDS_PER_MINUTE,
    }
}

/// The refusal of a spent bucket.
pub fn exceeded(class: LimitClass, limit: u32, retry_after: u64) -> ActionError {
    let detail = format!("the limit of {limit} {} calls a minute is reached", class.as_str());
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
}
