//! Reads exports of the audit log for their callers.

use toolcrib_auth::Authenticated;
use toolcrib_store::{AccessRow, Tx};

use super::Engine;
use crate::{
    audit::chain::AuditExport,
    base::ActionError,
    caller::{CallerClaims, unavailable},
    gates::{access, membership},
};

impl Engine {
    /// Reads the next lines of an export that a call of `operation` began; `None` after the last one. Decides anew
    /// whether the caller may call the operation, so that an export ends with the caller's permission.
    pub async fn read_export(
        &self,
        authenticated: &Authenticated,
        operation: &str,
        export: &mut AuditExport,
    ) -> Result<Option<String>, ActionError> {
        let claims = self.claims(authenticated).await?;
        if claims.workspace != export.workspace() {
            return Err(ActionError::internal("an export is read in another workspace than it began in"));
        }
        let (mut tx, access) =
            self.db.begin_read_as(claims.workspace, claims.actor_ids()).await.map_err(unavailable)?;
        let lines = match self.may_still_read(&claims, access.as_ref(), &mut tx, operation).await {
            Ok(()) => export.next(&mut tx).await.map_err(ActionError::from),
            Err(error) => Err(error),
        };
        tx.end().await?;
        lines
    }

    /// Decides whether the caller may call a read now.
    async fn may_still_read(
        &self,
        claims: &CallerClaims,
        access_row: Option<&AccessRow>,
        tx: &mut Tx,
        operation: &str,
    ) -> Result<(), ActionError> {
        let (caller, policy) = membership::reading_caller(claims, access_row, tx).await?;
        let meta = self.catalog().registry().get(operation);
        let meta =
            meta.ok_or_else(|| ActionError::internal(format!("there is no operation `{operation}`")))?;
        access::recheck(&caller, &meta.spec, &policy)
    }
}
