//! The text of an audit row that is hashed. `docs/audit.md` describes it for the authors of verifiers: change
//! both together.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use toolcrib_model::{Id, Ts};

use super::AuditEntry;

/// Every stored column, sorted by name. Ids are lower-case UUIDs; times are RFC 3339 in UTC with six
/// decimals; `arguments`, `minters` and `repaired` are the stored texts. Columns that few rows have are
/// omitted while they are null, so that a new column leaves the hashes of existing rows as they are.
#[derive(Debug, Serialize)]
pub struct Canonical<'r> {
    action: &'r str,
    always_allow: bool,
    arguments: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_ref: Option<Id>,
    caller_name: Option<&'r str>,
    caller_type: &'r str,
    confirmation_id: Option<Id>,
    credential_id: Option<Id>,
    decision: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<&'r str>,
    duration_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited_by: Option<Id>,
    error_code: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executor: Option<&'r str>,
    granted_by: Option<&'r str>,
    id: Id,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<&'r str>,
    kind: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    minters: Option<&'r str>,
    mission_id: Option<Id>,
    occurred_at: Ts,
    outcome: &'r str,
    permission_level: &'r str,
    principal_id: Id,
    principal_kind: &'r str,
    reason: Option<&'r str>,
    relayed_by: Option<Id>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repaired: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reported_by: Option<Id>,
    request_id: &'r str,
    role: Option<&'r str>,
    session: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'r str>,
    surface: &'r str,
    system_admin: bool,
    target: Option<&'r str>,
    trace_id: Option<&'r str>,
    user_id: Option<Id>,
    via: &'r str,
    workspace_id: Id,
}

impl<'r> From<&'r AuditEntry> for Canonical<'r> {
    fn from(row: &'r AuditEntry) -> Self {
        Self {
            action: &row.action,
            always_allow: row.always_allow,
            arguments: &row.arguments,
            call_ref: row.call_ref,
            caller_name: row.caller_name.as_deref(),
            caller_type: &row.caller_type,
            confirmation_id: row.confirmation_id,
            credential_id: row.principal.credential_id,
            decision: &row.decision,
            definition: row.definition.as_deref(),
            duration_ms: row.duration_ms,
            edited_by: row.edited_by,
            error_code: row.error_code.as_deref(),
            executor: row.executor.as_deref(),
            granted_by: row.granted_by.as_deref(),
            id: row.id,
            issuer: row.issuer.as_deref(),
            kind: &row.kind,
            minters: row.minters.as_deref(),
            mission_id: row.mission_id,
            occurred_at: row.occurred_at,
            outcome: &row.outcome,
            permission_level: &row.permission_level,
            principal_id: row.principal.id,
            principal_kind: &row.principal.kind,
            reason: row.reason.as_deref(),
            relayed_by: row.relayed_by,
            repaired: row.repaired.as_deref(),
            reported_by: row.reported_by,
            request_id: &row.request_id,
            role: row.role.as_deref(),
            session: row.session.as_deref(),
            subject: row.subject.as_deref(),
            surface: &row.surface,
            system_admin: row.system_admin,
            target: row.target.as_deref(),
            trace_id: row.trace_id.as_deref(),
            user_id: row.user_id,
            via: &row.via,
            workspace_id: row.workspace_id,
        }
    }
}

/// Returns the SHA-256 of [`Canonical`] as JSON without white space, in hexadecimal. This JSON is the
/// canonical form of RFC 8785, because the names are ASCII and sorted and there are no fractions.
pub fn row_hash(row: &AuditEntry) -> String {
    // Serialization can't fail: the fields are strings, ids, flags and integers.
    digest(&serde_json::to_string(&Canonical::from(row)).unwrap_or_default())
}

/// Names of an exported line that are no columns of the row.
const OF_THE_CHAIN: [&str; 6] = ["seq", "row_hash", "prev_hash", "hash", "newest", "sealed_at"];

pub fn exported_row_hash(line: &Map<String, Value>) -> String {
    let columns: BTreeMap<&String, &Value> =
        line.iter().filter(|(name, _)| !OF_THE_CHAIN.contains(&name.as_str())).collect();
    digest(&serde_json::to_string(&columns).unwrap_or_default())
}

pub(super) fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
