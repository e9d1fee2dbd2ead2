//! Registers a database as a datasource.

use secrecy::SecretString;
use toolcrib_datasources::{AllowedTargets, DatasourceUrl, SourceRefused};
use toolcrib_engine::prelude::*;
use toolcrib_store::datasources::{self, DatasourceRow};

use crate::shared::{associated_data, check_characters, or_conflict};

pub struct CreateDatasource;

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Display name. Unique in the workspace, ignoring case.
    pub name: String,
    /// `postgres://USER:PASSWORD@HOST/NAME?sslmode=…` on an allowed host, or `sqlite:FILE` in the operator's
    /// folder. Use a login that can only read. Stored encrypted, never shown.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive" = true))]
    pub connection: String,
}

impl WriteAction for CreateDatasource {
    type Input = Input;
    type Output = DatasourceRow;

    fn spec() -> Spec {
        Spec::program("datasources.create", Level::Write, Permission::SETTINGS_MANAGE).creates().describe(
            "Register a database for platform_query_data. Its connection string is never shown again.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_characters("/name", &input.name)?;
        source(&cx.tools.catalog.rules().datasources.allowed, cx.caller.workspace, &input.connection)?;
        Ok(Target { label: format!("datasource `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<DatasourceRow, ActionError> {
        let rules = &cx.tools.catalog.rules().datasources;
        let source = source(&rules.allowed, cx.caller.workspace, &input.connection)?;
        let row = DatasourceRow {
            id: cx.new_id(),
            name: input.name.clone(),
            kind: source.kind().as_str().to_owned(),
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
        };
        let place = associated_data(cx.tx.workspace(), row.id);
        let sealed =
            rules.secret_cipher.seal(cx.ids, &place, &SecretString::from(input.connection.as_str()))?;
        or_conflict(datasources::insert(cx.tx, &row, &sealed).await, || {
            let text = format!("another datasource is called `{}`", input.name);
            ActionError::conflict(text).hint("choose another name, or remove that one first")
        })?;
        let data = json!({ "id": row.id, "name": row.name, "kind": row.kind });
        cx.emit("datasource.created", "settings:manage", data);
        Ok(row)
    }

    fn describe(_: &Input, output: &DatasourceRow) -> String {
        format!("Registered the datasource `{}`", output.name)
    }
}

/// Parses a connection URL and checks that the operator allows its target.
fn source(allowed: &AllowedTargets, workspace: Id, text: &str) -> Result<DatasourceUrl, ActionError> {
    DatasourceUrl::parse(text, allowed, workspace).map_err(|why| match why {
        SourceRefused::NotConfigured { .. } => {
            ActionError::new(ErrorCode::ConnectorNotConfigured, why.to_string())
        }
        SourceRefused::Refused(text) => ActionError::invalid("/connection", "connection", text),
    })
}
