//! Runs one SELECT in a registered database.

use secrecy::ExposeSecret as _;
use serde_json::Value;
use toolcrib_datasources::{
    Column, DatasourceError, DatasourceUrl, MAX_RESULT_BYTES, QueryLimits, QueryScheduler, STATEMENT,
    SourceRefused,
};
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, datasources, datasources::DatasourceRow};

use crate::shared::{
    associated_data,
    refs::{self, Ref},
};

/// Default for the maximum number of rows.
const ROWS: i64 = 50;

/// `platform_query_data`.
#[derive(Default)]
pub struct QueryData {
    scheduler: QueryScheduler,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name of the datasource, from `platform_list_datasources`.
    pub datasource: Ref,
    /// One SELECT in the SQL dialect of the datasource's `kind`.
    #[schemars(length(min = 1, max = 10_000))]
    pub sql: String,
    /// Maximum number of rows. Default: 50.
    #[schemars(range(min = 1, max = 1_000))]
    pub max_rows: Option<i64>,
}

/// Result of `platform_query_data`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Datasource that ran the query.
    pub datasource: SourceRef,
    /// Columns in order.
    pub columns: Vec<ColumnView>,
    /// Rows, with one value for each column. A number that a JSON reader could round is a string.
    #[schemars(extend("x-untrusted" = "query results"))]
    pub rows: Vec<Vec<Value>>,
    /// Number of returned rows.
    pub row_count: usize,
    /// Whether something was cut: rows beyond `max_rows` or 1 MiB, or text beyond 65,536 characters.
    pub truncated: bool,
}

/// A datasource by name.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SourceRef {
    /// ID of the datasource.
    pub id: Id,
    /// Name of the datasource.
    #[schemars(extend("x-untrusted" = "names of datasources"))]
    pub name: String,
    /// Database system: `postgres` or `sqlite`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
}

/// A column of a query result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ColumnView {
    /// Name of the column; several columns can have the same name.
    #[schemars(extend("x-untrusted" = "query results"))]
    pub name: String,
    /// Type of the column. For SQLite the type of its first value that is not null.
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
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_query_data", Category::Data, Permission::DATA_READ)
            .external()
            .timeout_seconds(25)
            .describe("Query a registered database with one read-only SELECT: joins, WITH, windows. Use platform_list_datasources to find one.")
            .tags(&["data", "sql", "database", "query", "select", "table", "rows", "report"])
            .examples(&["How many orders did we have last month?", "Which customers spent most in the shop database?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let reference = input.datasource.clone();
        let (row, sealed) = cx.read(|tx| Box::pin(async move { find(tx, &reference).await })).await?;
        let rules = &cx.tools.catalog.rules().datasources;
        let place = associated_data(cx.caller.workspace, row.id);
        let text = rules.secret_cipher.open(&place, &sealed)?;
        let source = DatasourceUrl::parse(text.expose_secret(), &rules.allowed, cx.caller.workspace);
        let source = source.map_err(out_of_reach)?;
        let most = usize::try_from(input.max_rows.unwrap_or(ROWS)).unwrap_or_default();
        let answered =
            self.scheduler.query(cx.caller.workspace, &source, &input.sql, QueryLimits::rows(most)).await;
        let table = answered.map_err(failed)?;
        if table.rows.is_empty() && table.truncated {
            return Err(refused(
                "too_large",
                &format!("returns a first row of more than {MAX_RESULT_BYTES} bytes"),
            )
            .hint("select fewer or shorter columns"));
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
        let more = if output.truncated { "; the result is truncated" } else { "" };
        format!("Read {} from `{}`{more}", count(output.row_count, "row"), output.datasource.name)
    }
}

/// Returns the datasource with its encrypted connection URL.
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

/// Returns a 422 error on the query.
fn refused(code: &str, why: &str) -> ActionError {
    ActionError::invalid("/sql", code, why)
}

/// Returns the error of a datasource whose address was allowed at registration and no longer is. It does not
/// name the address.
fn out_of_reach(why: SourceRefused) -> ActionError {
    match why {
        SourceRefused::NotConfigured { .. } => {
            ActionError::new(ErrorCode::ConnectorNotConfigured, why.to_string())
        }
        SourceRefused::Refused(_) => {
            ActionError::conflict("the server's settings no longer allow connections to this datasource")
                .hint("ask an admin to remove the datasource and register it again")
        }
    }
}

fn failed(why: DatasourceError) -> ActionError {
    let text = why.to_string();
    match why {
        DatasourceError::Refused(why) => refused("refused", &why.to_string()),
        DatasourceError::Query(said) => {
            refused("database", &format!("can't be run; the database reports: {said}"))
                .quoting("query results")
                .hint("use the names of tables and columns that exist in the database")
        }
        DatasourceError::Timeout => ActionError::new(
            ErrorCode::Timeout,
            format!("the query was stopped: {text} ({} seconds)", STATEMENT.as_secs()),
        )
        .hint("narrow the query: fewer rows, a shorter period, or a column with an index"),
        DatasourceError::Login => ActionError::new(ErrorCode::UpstreamError, text)
            .hint("ask an admin to register the datasource again with a valid login"),
        DatasourceError::Unreachable(cause) => {
            let mut error =
                ActionError::new(ErrorCode::UpstreamError, text).hint("try again later, or ask an admin");
            error.internal = Some(cause);
            error
        }
    }
}
