//! Stored callers of runs with no person beside them. Such a caller can only be narrowed.

use toolcrib_access::Provenance;
use toolcrib_auth::StoredCaller;
use toolcrib_model::{CallerType, ErrorCode, Id};
use toolcrib_registry::Permission;

use super::CallerClaims;
use crate::base::ActionError;

#[derive(Clone, Copy, Debug)]
pub struct BackgroundWork<'w> {
    /// One of [`CallerType::BACKGROUND`].
    pub caller_type: &'static str,
    /// The conversation of its calls.
    pub session: &'w str,
    /// The mission of its calls.
    pub mission: Option<Id>,
    /// Whether it may only read.
    pub reads_only: bool,
}

#[derive(Clone, Debug)]
pub struct BackgroundCaller {
    pub caller: StoredCaller,
    /// The person for whom it acts, or the service key that acts for none.
    pub owner: Id,
    /// The person, if it is one.
    pub user: Option<Id>,
}

impl BackgroundCaller {
    /// Returns whoever set the work up, narrowed to a run of it. Fails if the stored caller can't be read, or its
    /// credential has no scope for the assistant.
    pub fn of(set_up_by: &StoredCaller, work: BackgroundWork<'_>) -> Result<Self, ActionError> {
        let claims = CallerClaims::of_stored(set_up_by)?;
        if !claims.scopes.cover(&Permission::ASSISTANT_USE) {
            let detail = "the credential that set it up has no scope for the assistant";
            return Err(ActionError::new(ErrorCode::PermissionDenied, detail));
        }
        let claims = CallerClaims {
            caller_type: CallerType::new(work.caller_type),
            session: Some(work.session.into()),
            // A key with a mission keeps it.
            mission: claims.mission.filter(|_| claims.credential.is_some()).or(work.mission),
            provenance: Provenance { background: true, ..claims.provenance.clone() },
            scopes: if work.reads_only { claims.scopes.reads() } else { claims.scopes.clone() },
            ..claims
        };
        let user = claims.principal.user();
        let owner = user.unwrap_or_else(|| claims.principal.id());
        Ok(Self { caller: claims.into_stored(), owner, user })
    }
}
