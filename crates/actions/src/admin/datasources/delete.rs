//! Deletes a datasource.

use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, datasources, datasources::DatasourceRow};

pub struct DeleteDatasource;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The datasource.
    pub id: Id,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the deleted datasource.
    pub id: Id,
    /// Display name.
    pub name: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteDatasource {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("datasources.delete", Level::Write, Permission::SETTINGS_MANAGE)
            .deletes()
            .describe("Remove a datasource and its connection string. The database itself does not change.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, input.id).await?;
        Ok(Target { id: Some(row.id), label: format!("datasource `{}`", row.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find(cx.tx, input.id).await?;
        datasources::delete(cx.tx, row.id).await?;
        cx.emit("datasource.deleted", "settings:manage", json!({ "id": row.id, "name": row.name }));
        Ok(Output { id: row.id, name: row.name, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Removed the datasource `{}`", output.name)
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<DatasourceRow, ActionError> {
    let found = datasources::get(tx, id).await?;
    found.ok_or_else(|| ActionError::not_found("datasource", &id.to_string()))
}
