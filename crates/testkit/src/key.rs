//! Rows of keys.

use toolcrib_model::Id;
use toolcrib_store::keys::KeyRow;

use crate::NOW;

/// Returns a row with default values, which tests override.
pub fn key_row(workspace_id: Id, id: Id, kind: &str) -> KeyRow {
    KeyRow {
        workspace_id,
        id,
        kind: kind.into(),
        name: "a key".into(),
        secret_hash: vec![0; 32],
        agent_id: None,
        runs_as: None,
        mission_id: None,
        role: None,
        scopes: "[]".into(),
        caller_types: "[]".into(),
        created_by: None,
        created_at: NOW,
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
        parent_id: None,
        old_secret_hash: None,
        old_secret_until: None,
    }
}
