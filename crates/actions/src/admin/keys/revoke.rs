//! Revokes a key.

use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, keys, keys::KeyRow};

use crate::admin::guard;

pub struct RevokeKey;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The key.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The key.
    pub id: Id,
    /// Display name.
    pub name: String,
    /// Always `true`.
    pub revoked: bool,
    /// Whether the key, or a key that was created with it, was valid until now.
    pub changed: bool,
}

impl WriteAction for RevokeKey {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("keys.revoke", Level::Write, Permission::KEYS_MANAGE)
            .deletes()
            .describe("Revoke a key permanently. It is refused from the next call on, and stays in the list.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, input.id).await?;
        Ok(Target { id: Some(row.id), label: format!("key `{}`", row.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find(cx.tx, input.id).await?;
        guard::lock(cx).await?;
        let changed = keys::revoke(cx.tx, row.id, cx.now).await?;
        if changed {
            cx.emit("key.revoked", "keys:read", json!({ "id": row.id, "name": row.name }));
        }
        Ok(Output { id: row.id, name: row.name, revoked: true, changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Revoked the key `{}`", output.name)
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<KeyRow, ActionError> {
    keys::get(tx, id).await?.ok_or_else(|| ActionError::not_found("key", &id.to_string()))
}
