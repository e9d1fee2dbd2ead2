//! One row of the audit log.

use serde::{Serialize, Serializer};
use toolcrib_model::{Id, Ts};

/// One row of the audit log, as it is inserted.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "the columns of `action_log`, described where they are read: `audit::Entry`")]
pub struct AuditRow {
    #[serde(serialize_with = "hex_id")]
    pub workspace_id: Id,
    #[serde(serialize_with = "hex_id")]
    pub id: Id,
    #[serde(serialize_with = "micros")]
    pub occurred_at: Ts,
    pub kind: &'static str,
    pub action: String,
    pub permission_level: &'static str,
    pub via: &'static str,
    pub surface: &'static str,
    pub principal_kind: &'static str,
    #[serde(serialize_with = "hex_id")]
    pub principal_id: Id,
    #[serde(serialize_with = "hex_id_option")]
    pub user_id: Option<Id>,
    #[serde(serialize_with = "hex_id_option")]
    pub credential_id: Option<Id>,
    pub role: Option<&'static str>,
    pub system_admin: bool,
    pub caller_type: String,
    pub caller_name: Option<String>,
    pub session: Option<String>,
    #[serde(serialize_with = "hex_id_option")]
    pub mission_id: Option<Id>,
    pub decision: &'static str,
    pub granted_by: Option<&'static str>,
    pub always_allow: bool,
    #[serde(serialize_with = "hex_id_option")]
    pub relayed_by: Option<Id>,
    pub reason: Option<String>,
    pub arguments: String,
    pub target: Option<String>,
    pub error_code: Option<&'static str>,
    pub outcome: &'static str,
    pub duration_ms: i64,
    pub request_id: String,
    pub trace_id: Option<String>,
    #[serde(serialize_with = "hex_id_option")]
    pub confirmation_id: Option<Id>,
    pub minters: Option<String>,
    #[serde(serialize_with = "hex_id_option")]
    pub edited_by: Option<Id>,
    pub issuer: Option<String>,
    pub subject: Option<String>,
}

pub(crate) fn hex_id<S: Serializer>(id: &Id, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&id.simple())
}

#[expect(clippy::ref_option, reason = "serde's signature")]
pub(crate) fn hex_id_option<S: Serializer>(id: &Option<Id>, serializer: S) -> Result<S::Ok, S::Error> {
    match id {
        Some(id) => serializer.collect_str(&id.simple()),
        None => serializer.serialize_none(),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
pub(crate) fn micros<S: Serializer>(at: &Ts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(at.as_micros())
}
