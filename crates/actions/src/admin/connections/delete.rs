//! Disconnects an app.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    connections::{self, ConnectionRow},
};

pub struct DeleteConnection;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The connection.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the deleted connection.
    pub id: Id,
    /// The app.
    pub app: String,
    /// Always `true`.
    pub deleted: bool,
    /// Number of agents from which it was removed.
    pub agents: usize,
}

impl WriteAction for DeleteConnection {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("connections.delete", Level::Write, Permission::INTEGRATIONS_MANAGE)
            .deletes()
            .describe("Disconnect an app and remove it from every agent.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, input.id).await?;
        Ok(Target { id: Some(row.id), label: format!("connected app `{}`", row.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find(cx.tx, input.id).await?;
        let uses = connections::uses(cx.tx).await?;
        let agents = uses.iter().filter(|one| one.connection_id == row.id).count();
        connections::delete(cx.tx, row.id).await?;
        cx.emit("connection.deleted", "integrations:read", json!({ "id": row.id, "app": row.app }));
        Ok(Output { id: row.id, app: row.app, deleted: true, agents })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Disconnected `{}`", output.app)
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<ConnectionRow, ActionError> {
    let found = connections::get(tx, id).await?;
    found.ok_or_else(|| ActionError::not_found("connection", &id.to_string()))
}
