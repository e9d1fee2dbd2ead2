//! What of a row is hashed. `docs/audit.md` says the same for people who write a verifier: change both or neither.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::Entry;

/// Every stored column under its name, sorted by name. Ids are lower-case UUIDs, times RFC 3339 in UTC with six
/// decimals; `arguments` is the stored text.
pub fn fields(row: &Entry) -> Map<String, Value> {
    let Value::Object(mut fields) = json!({
        "action": row.action, "always_allow": row.always_allow, "arguments": &*row.arguments,
        "caller_name": row.caller_name, "caller_type": row.caller_type, "confirmation_id": row.confirmation_id,
        "credential_id": row.principal.credential_id, "decision": row.decision, "duration_ms": row.duration_ms,
        "error_code": row.error_code, "granted_by": row.granted_by, "id": row.id, "kind": row.kind,
        "mission_id": row.mission_id, "occurred_at": row.occurred_at, "outcome": row.outcome,
        "permission_level": row.permission_level, "principal_id": row.principal.id,
        "principal_kind": row.principal.kind, "reason": row.reason, "relayed_by": row.relayed_by,
        "request_id": row.request_id, "role": row.role, "session": row.session, "surface": row.surface,
        "system_admin": row.system_admin, "target": row.target, "trace_id": row.trace_id, "user_id": row.user_id,
        "via": row.via, "workspace_id": row.workspace_id,
    }) else {
        return Map::new();
    };
    fields.sort_keys();
    fields
}

/// The SHA-256 of the row's [`fields`] as JSON without white space, in hexadecimal. The names are ASCII and sorted and
/// there are no fractions: this is the canonical form of RFC 8785.
pub fn row_hash(row: &Entry) -> String {
    digest(&Value::Object(fields(row)).to_string())
}

pub(super) fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}
