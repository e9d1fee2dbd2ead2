//! Ask a registered database one SELECT.

use schemars::JsonSchema;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_datasources::{
    Bounds, Column, DatasourceError, DatasourceUrl, MOST_BYTES, Runner, STATEMENT, SourceRefused,
};
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::{Tx, datasources, datasources::DatasourceRow};

use crate::shared::{
    refs::{self, Ref},
    sources,
};

/// Rows when nothing else is said.
const ROWS: i64 = 50;

/// The action.
#[derive(Default)]
pub struct QueryData {
    runner: Runner,
}

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Id or exact name, as `platform_list_datasources` shows it.
    pub datasource: Ref,
    /// One SELECT in the dialect of the datasource's `kind`.
    #[schemars(length(min = 1, max = 10_000))]
    pub sql: String,
    /// At most this many rows; 50 unless said.
    #[schemars(range(min = 1, max = 1_000))]
    pub max_rows: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The datasource that was asked.
    pub datasource: SourceRef,
    /// The columns, in order.
    pub columns: Vec<ColumnView>,
    /// The rows: a value for each column. Numbers that a reader of JSON may not keep exactly are texts.
    #[schemars(extend("x-untrusted" = "query results"))]
    pub rows: Vec<Vec<Value>>,
    /// How many rows there are here.
    pub row_count: usize,
    /// Whether there is more: rows beyond `max_rows` or 1 MiB, or parts of texts beyond 65,536 characters.
    pub truncated: bool,
}

/// A datasource by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceRef {
    /// Its id.
    pub id: Id,
    /// Its name.
    #[schemars(extend("x-untrusted" = "names of datasources"))]
    pub name: String,
    /// `postgres` or `sqlite`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
}

/// A column.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ColumnView {
    /// What the query calls it; several may have the same name.
    #[schemars(extend("x-untrusted" = "query results"))]
    pub name: String,
    /// Its type. In SQLite each value has its own: the first one's that is not null.
    #[serde(rename = "type")]
    #[schemars(extend("x-ours" = true))]
    pub type_name: String,
}

impl From<Column> for ColumnView {
    fn from(column: Column) -> Self {
        Self { name: column.name, type_name: column.type_name }
    }
}

impl ExternalAction for QueryData {
    const SPEC: Spec = Spec::read("platform_query_data", Category::Data, Permission::DATA_READ)
        .external()
        .timeout_seconds(25)
        .describe("Ask a registered database one read-only SELECT: joins, WITH, windows. platform_list_datasources lists them.")
        .tags(&["data", "sql", "database", "query", "select", "table", "rows", "report"])
        .examples(&["How many orders did we have last month?", "Which customers spent most in the shop database?"]);
    type Input = Input;
    type Output = Output;

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let reference = input.datasource.clone();
        let (row, sealed) = cx.look(|tx| Box::pin(async move { find(tx, &reference).await })).await?;
        let rules = &cx.tools.catalog.rules().datasources;
        let place = sources::place(cx.caller.workspace, row.id);
        let text = rules.secret_cipher.open(&place, &sealed)?;
        let source = DatasourceUrl::parse(text.expose_secret(), &rules.allowed, cx.caller.workspace);
        let source = source.map_err(out_of_reach)?;
        let most = usize::try_from(input.max_rows.unwrap_or(ROWS)).unwrap_or_default();
        let answered = self.runner.ask(cx.caller.workspace, &source, &input.sql, Bounds::rows(most)).await;
        let table = answered.map_err(failed)?;
        if table.rows.is_empty() && table.truncated {
            return Err(refused(
                "too_large",
                &format!("the first row alone is larger than {MOST_BYTES} bytes"),
            )
            .hint("choose fewer or shorter columns"));
        }
        Ok(Output {
            datasource: SourceRef { id: row.id, name: row.name, kind: row.kind },
            columns: table.columns.into_iter().map(ColumnView::from).collect(),
            row_count: table.rows.len(),
            rows: table.rows,
            truncated: table.truncated,
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let more = if output.truncated { ", and there is more" } else { "" };
        format!("Read {} rows from `{}`{more}", output.row_count, output.datasource.name)
    }
}

/// The datasource, with what connects to it as it is stored.
async fn find(tx: &mut Tx, reference: &Ref) -> Result<(DatasourceRow, String), ActionError> {
    let found = match reference.id() {
        Some(id) => datasources::get(tx, id).await?,
        None => datasources::by_name(tx, reference.as_str()).await?,
    };
    let Some(row) = found else {
        let names = datasources::names(tx).await?;
        return Err(refs::missing("datasource", reference, &names, "platform_list_datasources"));
    };
    match datasources::config(tx, row.id).await? {
        Some(sealed) => Ok((row, sealed)),
        None => Err(ActionError::internal("a datasource has no configuration")),
    }
}

/// 422 on the query.
fn refused(code: &str, why: &str) -> ActionError {
    ActionError::invalid("/sql", code, why)
}

/// It was allowed when it was registered. Where it is, is not told to whoever asks.
fn out_of_reach(why: SourceRefused) -> ActionError {
    match why {
        SourceRefused::NotConfigured { .. } => {
            ActionError::new(ErrorCode::ConnectorNotConfigured, why.to_string())
        }
        SourceRefused::Refused(_) => {
            ActionError::conflict("this datasource is not among those that may be reached any more")
                .hint("ask an admin to remove it and register it again")
        }
    }
}

fn failed(why: DatasourceError) -> ActionError {
    let text = why.to_string();
    match why {
        DatasourceError::Refused(why) => refused("refused", &why.to_string()),
        DatasourceError::Query(said) => {
            refused("database", &format!("can't be run, the database says: {said}"))
                .quoting("query results")
                .hint("names of tables and columns must be the database's own")
        }
        DatasourceError::Timeout => ActionError::new(
            ErrorCode::Timeout,
            format!("the query was stopped: {text} ({} seconds)", STATEMENT.as_secs()),
        )
        .hint("narrow it down: fewer rows, a shorter time, an index"),
        DatasourceError::Login => ActionError::new(ErrorCode::UpstreamError, text)
            .hint("an admin can register the datasource again with another login"),
        DatasourceError::Unreachable(cause) => {
            let mut error =
                ActionError::new(ErrorCode::UpstreamError, text).hint("try again later, or ask an admin");
            error.internal = Some(cause);
            error
        }
    }
}
