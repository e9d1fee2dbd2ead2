//! Connects an app.

use toolcrib_engine::prelude::*;
use toolcrib_store::connections::{self, ConnectionRow};

use crate::shared::{check_characters, or_conflict};

pub struct CreateConnection;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the app, such as `slack`: lower-case letters, digits, `-` and `_`.
    #[schemars(length(min = 1, max = 60), regex(pattern = "^[a-z0-9][a-z0-9_-]*$"))]
    pub app: String,
    /// Display name. Default: the slug of the app.
    pub name: Option<String>,
}

impl WriteAction for CreateConnection {
    type Input = Input;
    type Output = ConnectionRow;

    fn spec() -> Spec {
        Spec::program("connections.create", Level::Write, Permission::INTEGRATIONS_MANAGE)
            .creates()
            .describe("Register a connected app, so that it can be assigned to agents.")
    }

    async fn resolve(&self, _: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_characters("/name", input.name.as_deref().unwrap_or_default())?;
        Ok(Target { label: format!("connected app `{}`", input.app), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ConnectionRow, ActionError> {
        let row = ConnectionRow {
            id: cx.new_id(),
            app: input.app.clone(),
            name: input.name.clone().unwrap_or_else(|| input.app.clone()),
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
        };
        or_conflict(connections::insert(cx.tx, &row).await, || {
            let text = format!("`{}` is connected already, or another one is called `{}`", row.app, row.name);
            ActionError::conflict(text).hint("`GET /v1/connections` lists what is connected")
        })?;
        let data = json!({ "id": row.id, "app": row.app, "name": row.name });
        cx.emit("connection.created", "integrations:read", data);
        Ok(row)
    }

    fn describe(_: &Input, output: &ConnectionRow) -> String {
        format!("Connected `{}`", output.name)
    }
}
