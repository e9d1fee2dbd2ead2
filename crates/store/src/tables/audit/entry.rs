//! A row of the audit log as it is read and shown.
#![deny(missing_docs)]

use std::{borrow::Cow, marker::PhantomData, ops::Deref};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use serde_json::Value;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

/// A row of the audit log. It is never changed.
#[derive(Clone, Debug, PartialEq, FromRow, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// Whose log it is in.
    #[serde(skip)]
    pub workspace_id: Id,
    /// ID: the `call_id` of the response.
    pub id: Id,
    /// Number in the chain; null until the row is sealed, a second or two after it was written.
    pub seq: Option<i64>,
    /// When the call was decided.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    /// `call`, `outcome`, `confirmation`, `grant` or `admin`. A row of kind `outcome` is about a call whose outcome is
    /// `started`.
    pub kind: String,
    /// The action or operation.
    pub action: String,
    /// `read`, `write` or `destructive`.
    pub permission_level: String,
    /// `direct`, `dispatcher` or `confirmation`.
    pub via: String,
    /// `rest`, `mcp`, `console`, `cli` or `assistant`.
    pub surface: String,
    /// Who called.
    #[sqlx(flatten)]
    pub principal: AuditPrincipal,
    /// User who made the call or on whose behalf it was made; null for a service key that acts for no member.
    pub user_id: Option<Id>,
    /// The role at that time; null for none.
    pub role: Option<String>,
    /// Whether the call was made with a system admin's token.
    pub system_admin: bool,
    /// Such as `chat` or `mission`.
    pub caller_type: String,
    /// The agent's slug.
    pub caller_name: Option<String>,
    /// The conversation.
    pub session: Option<String>,
    /// The mission.
    pub mission_id: Option<Id>,
    /// `auto_allowed`, `approved`, `denied`, `confirmation_required`, `rate_limited`, `invalid` or `expired`.
    pub decision: String,
    /// `auto`, `session` or `user`; null where it was not allowed.
    pub granted_by: Option<String>,
    /// Whether a session grant allowed the call.
    pub always_allow: bool,
    /// The service key that relayed a user's decision.
    pub relayed_by: Option<Id>,
    /// A code that says why.
    pub reason: Option<String>,
    /// The arguments, sensitive ones masked.
    #[sqlx(try_from = "String")]
    pub arguments: StoredArguments,
    /// Target, as people know it.
    pub target: Option<String>,
    /// The code of the error that was answered.
    pub error_code: Option<String>,
    /// `succeeded`, `failed`, `not_run`, `started`, `unknown` or `handed_out`.
    pub outcome: String,
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// Request ID.
    pub request_id: String,
    /// The trace it belongs to.
    pub trace_id: Option<String>,
    /// The confirmation it belongs to.
    pub confirmation_id: Option<Id>,
    /// Who minted the key that was used; empty for a token, and for a key of the operator's.
    #[sqlx(try_from = "Option<String>")]
    pub minters: StoredList<Id>,
    /// The person who changed the arguments, while approving, to those that ran.
    pub edited_by: Option<Id>,
    /// Who issued the token, where its person has no user here; null else.
    pub issuer: Option<String>,
    /// Who they are to that issuer; null else.
    pub subject: Option<String>,
    /// JSON pointers to the arguments that were read differently from how they were written; `""`: the text.
    #[sqlx(try_from = "Option<String>")]
    #[schemars(extend("x-ours" = true))]
    pub repaired: StoredList<String>,
    /// What runs a declared tool or an effect of a pack: `http`, `mcp`, `client` or `pack`. Null for other actions.
    pub executor: Option<String>,
    /// Digest of the declared tool's definition; null for other actions.
    pub definition: Option<String>,
    /// Of a row of kind `outcome`: the `id` of the call's row.
    pub call_ref: Option<Id>,
    /// User, agent or key that reported the outcome of a call that the caller ran.
    pub reported_by: Option<Id>,
}

/// An audit row with its link in the chain. The hashes are as stored.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct ChainedRow {
    /// The row; its `seq` is never null.
    #[sqlx(flatten)]
    pub entry: AuditEntry,
    /// The hash of the row itself.
    pub row_hash: String,
    /// The hash of the previous link.
    pub prev_hash: String,
    /// The hash of this link.
    pub hash: String,
    /// The latest time of all rows up to this one.
    #[sqlx(try_from = "i64")]
    pub newest: Ts,
    /// When the row was sealed.
    #[sqlx(try_from = "i64")]
    pub sealed_at: Ts,
}

/// Who called.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct AuditPrincipal {
    /// `user`, `agent`, `service` or `operator`.
    #[sqlx(rename = "principal_kind")]
    pub kind: String,
    /// The user, agent or key.
    #[sqlx(rename = "principal_id")]
    pub id: Id,
    /// The key that was used; null for a token.
    pub credential_id: Option<Id>,
}

/// A list as stored: JSON text, or nothing for an empty list. The stored bytes are part of the row's hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredList<T> {
    text: Option<String>,
    items: PhantomData<T>,
}

impl<T> From<Option<String>> for StoredList<T> {
    fn from(text: Option<String>) -> Self {
        Self { text, items: PhantomData }
    }
}

impl<T> Default for StoredList<T> {
    fn default() -> Self {
        None.into()
    }
}

impl<T> StoredList<T> {
    /// Returns the stored text.
    pub fn as_deref(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

impl<T: Serialize + DeserializeOwned> Serialize for StoredList<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let items: Vec<T> =
            self.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        items.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for StoredList<T> {
    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}

/// Arguments as stored: JSON text, whose bytes are part of the row's hash. They are serialized as the JSON
/// value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredArguments(String);

impl From<String> for StoredArguments {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl Deref for StoredArguments {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Serialize for StoredArguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A text that is not JSON is serialized as a string.
        match serde_json::from_str::<Value>(&self.0) {
            Ok(value) => value.serialize(serializer),
            Err(_) => serializer.serialize_str(&self.0),
        }
    }
}

impl JsonSchema for StoredArguments {
    fn schema_name() -> Cow<'static, str> {
        Value::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}
