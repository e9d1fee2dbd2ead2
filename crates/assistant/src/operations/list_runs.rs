//! Lists runs.

use toolcrib_engine::{prelude::*, shared::page};
use toolcrib_model::{RunKind, RunState};
use toolcrib_store::assistant_runs::{self, RunFilter, RunRow};

use crate::view::{RunView, owner, short};

pub struct ListRuns;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only runs in this state.
    pub state: Option<RunState>,
    /// Only runs for this.
    pub kind: Option<RunKind>,
    /// Also the runs of others, without texts. Needs `audit:read`.
    #[serde(default)]
    pub all: bool,
    /// Maximum number of runs.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

impl ReadAction for ListRuns {
    type Input = Input;
    type Output = Page<RunView>;

    fn spec() -> Spec {
        Spec::program("assistant.list_runs", Level::Read, Permission::ASSISTANT_USE)
            .describe("List runs of the caller, newest first, without their texts.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<RunView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        if input.all && !cx.caller.holds(&Permission::AUDIT_READ) {
            return Err(ActionError::new(
                ErrorCode::PermissionDenied,
                "the runs of others need `audit:read`",
            )
            .hint("leave `all` out"));
        }
        let own = owner(cx.caller)?;
        let filter = RunFilter { owner: (!input.all).then_some(own), state: input.state, kind: input.kind };
        let rows = assistant_runs::list(cx.tx, filter, cursor, limit + 1).await?;
        let key = |row: &RunRow| Cursor { at: row.created_at, id: row.id };
        Ok(Page::from_rows(rows, limit, key).map(short))
    }

    fn describe(_: &Input, page: &Page<RunView>) -> String {
        format!("Found {}", count(page.items.len(), "run"))
    }
}
