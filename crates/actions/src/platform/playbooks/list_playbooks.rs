//! Lists the workspace's playbooks.

use toolcrib_engine::prelude::*;
use toolcrib_store::playbooks::{self, PlaybookStats};

use super::view::{PlaybookStatus, PlaybookSummary};
use crate::{platform::analytics::figures::percent, shared::page};

pub struct ListPlaybooks;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only playbooks with this status.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<PlaybookStatus>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A playbook of the list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// The playbook.
    #[serde(flatten)]
    pub playbook: PlaybookSummary,
    /// How many steps it has.
    pub step_count: i64,
    /// When it was last asked to run.
    pub last_run_at: Option<Ts>,
    /// How that run stands.
    #[schemars(extend("x-ours" = true))]
    pub last_run_status: Option<String>,
    /// Runs that completed or failed.
    pub finished_runs: i64,
    /// Completed runs per hundred of those; null where none ended.
    pub success_rate: Option<f64>,
}

impl From<PlaybookStats> for Item {
    fn from(row: PlaybookStats) -> Self {
        Self {
            step_count: row.step_count,
            last_run_at: row.last_run_at.map(Ts::from_micros),
            last_run_status: row.last_run_status,
            finished_runs: row.completed + row.failed,
            success_rate: percent(row.completed, row.completed + row.failed),
            playbook: row.playbook.into(),
        }
    }
}

impl ReadAction for ListPlaybooks {
    type Input = Input;
    type Output = Page<Item>;

    fn spec() -> Spec {
        Spec::read("platform_list_playbooks", Category::Playbooks, Permission::PLAYBOOKS_READ)
            .describe("List this workspace's playbooks with step count, last run and success rate. Use it to find an id.")
            .tags(&["playbook", "workflow", "recipe", "automation", "overview"])
            .examples(&["Which playbooks do we have?", "How reliable are our workflows?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<Item>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let status = input.status.map(PlaybookStatus::as_str);
        let rows = playbooks::list(cx.tx, status, cursor, limit + 1).await?;
        let key = |row: &PlaybookStats| Cursor { at: row.playbook.created_at, id: row.playbook.id };
        Ok(Page::from_rows(rows, limit, key).map(Item::from))
    }

    fn describe(_: &Input, page: &Page<Item>) -> String {
        format!("Found {}", count(page.items.len(), "playbook"))
    }
}
