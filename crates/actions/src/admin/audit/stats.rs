//! Counts calls of the audit log, or its rows.

use toolcrib_engine::prelude::*;
use toolcrib_store::audit::{self, AuditColumn, Counted};

use super::filter::{FilterInput, Group};

pub struct AuditStats;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// By what they are counted.
    pub by: AuditColumn,
    /// What is counted. Default: `call`, each once, by its end.
    pub group: Option<Group>,
    /// Which of them.
    #[serde(flatten)]
    pub filter: FilterInput,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// By what they were counted.
    pub by: AuditColumn,
    /// Values, most frequent first, at most 1,000; hours are in order, the last 1,000.
    pub items: Vec<Count>,
    /// The sum of all counts.
    pub total: i64,
}

/// A value and how many have it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Count {
    /// The value; an hour is the time at which it begins.
    pub value: String,
    /// Number of calls or rows.
    pub count: i64,
}

impl ReadAction for AuditStats {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("audit.stats", Level::Read, Permission::AUDIT_READ)
            .deleted_workspaces()
            .describe("Count the calls of the audit log by one of their fields, for charts: each once, as it ended, at the \
                 time when it was made. `group=row` counts rows.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let of = if input.group == Some(Group::Row) { Counted::Rows } else { Counted::Calls };
        let counts = audit::counts(cx.tx, &(&input.filter).into(), input.by, of).await?;
        let items: Vec<Count> = counts.into_iter().map(|(value, count)| Count { value, count }).collect();
        let total = items.iter().map(|item| item.count).sum();
        Ok(Output { by: input.by, items, total })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Counted {} of the audit log", count(output.total, "item"))
    }
}
