//! Lists rows of the audit log.

use toolcrib_engine::prelude::*;
use toolcrib_store::audit::{self, AuditEntry, AuditFilter, MAX_FILTERED_ROWS};

use super::{
    filter::{FilterInput, Group},
    steps,
    view::AuditView,
};
use crate::shared::page;

pub struct ListAudit;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Input {
    /// Which rows.
    #[serde(flatten)]
    pub filter: FilterInput,
    /// What an item is. Default: `row`. With `call` the newest calls come first, and `steps` tells what became of each.
    pub group: Option<Group>,
    /// Order. Default: `desc`.
    pub order: Option<Order>,
    /// With `order=asc`: only rows with a greater `seq`, such as the `seq` of the last row that was read.
    #[schemars(range(min = 0))]
    pub after_seq: Option<i64>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// In which order rows come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Order {
    /// Newest first, sealed or not.
    Desc,
    /// In the order of the chain, sealed rows only. Rows up to a `seq` that was read are complete, so that
    /// collectors can continue from it.
    Asc,
}

impl ReadAction for ListAudit {
    type Input = Input;
    type Output = Page<AuditView>;

    fn spec() -> Spec {
        Spec::program("audit.list", Level::Read, Permission::AUDIT_READ).deleted_workspaces().describe(
            "List rows of the workspace's audit log by any of their fields: newest first or in the order \
             of the chain. Newest first and with a filter other than a period, a page is made of at most 10,000 \
             rows of the log: it may have fewer rows than `limit`, or none, and a `next_cursor` that continues. \
             `group=call` lists calls in place of rows, each as it ended, with what happened in between.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Page<AuditView>, ActionError> {
        let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
        let filter = AuditFilter::from(&input.filter);
        let calls = input.group == Some(Group::Call);
        match input.order {
            Some(Order::Asc) if calls => {
                Err(ActionError::invalid("/group", "group", "calls are listed newest first only"))
            }
            Some(Order::Asc) => {
                let rows = audit::chained_rows(cx.tx, &filter, after(input, cursor)?, limit + 1).await?;
                let page =
                    Page::from_rows(rows.into_iter().map(|row| row.entry).collect(), limit, seq_cursor);
                views(cx, page).await
            }
            _ if input.after_seq.is_some() => {
                Err(ActionError::invalid("/after_seq", "order", "goes with `order` `asc`"))
            }
            _ if calls => newest_calls(cx, filter, cursor, limit).await,
            _ => {
                let (filter, last) = bounded(cx, filter, cursor).await?;
                let rows = audit::list(cx.tx, &filter, cursor, limit + 1).await?;
                views(cx, Page::from_rows(rows, limit, time_cursor).or_next(last.map(before))).await
            }
        }
    }

    fn describe(_: &Input, page: &Page<AuditView>) -> String {
        format!("Found {} of the audit log", count(page.items.len(), "row"))
    }
}

async fn views(cx: &mut ReadCx<'_>, page: Page<AuditEntry>) -> Result<Page<AuditView>, ActionError> {
    let Page { items, next_cursor, ends } = page;
    Ok(Page { items: AuditView::of_all(cx.tx, items).await?, next_cursor, ends })
}

async fn newest_calls(
    cx: &mut ReadCx<'_>,
    filter: AuditFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Page<AuditView>, ActionError> {
    let (filter, last) = bounded(cx, filter, cursor).await?;
    let calls = audit::list_calls(cx.tx, &filter, cursor, limit + 1).await?;
    let page = Page::from_rows(calls, limit, |call| time_cursor(&call.first)).or_next(last.map(before));
    let Page { items, next_cursor, ends } = page;
    Ok(Page { items: steps::of_calls(cx.tx, items).await?, next_cursor, ends })
}

/// Ends a page with a filter after [`MAX_FILTERED_ROWS`] rows, matching or not. Returns the time of the last of them.
async fn bounded(
    cx: &mut ReadCx<'_>,
    mut filter: AuditFilter,
    cursor: Cursor,
) -> Result<(AuditFilter, Option<Ts>), ActionError> {
    let last = if filter.is_of_all_rows() {
        None
    } else {
        audit::time_after(cx.tx, &filter, cursor, MAX_FILTERED_ROWS).await?
    };
    filter.from = last.or(filter.from);
    Ok((filter, last))
}

fn time_cursor(row: &AuditEntry) -> Cursor {
    Cursor { at: row.occurred_at, id: row.id }
}

/// Returns the cursor after all rows of a time, which were read.
fn before(last: Ts) -> Cursor {
    Cursor { at: Ts::from_micros(last.as_micros() - 1), id: Id::max() }
}

/// Returns the cursor of the ascending order. It contains the row's sequence number in place of a time.
fn seq_cursor(row: &AuditEntry) -> Cursor {
    Cursor { at: Ts::from_micros(row.seq.unwrap_or_default()), id: Id::nil() }
}

fn after(input: &Input, cursor: Cursor) -> Result<i64, ActionError> {
    match (&input.cursor, input.after_seq) {
        (Some(_), _) if cursor.id != Id::nil() => {
            Err(ActionError::invalid("/cursor", "cursor", "must be the `next_cursor` of this same list"))
        }
        (Some(_), _) => Ok(cursor.at.as_micros()),
        (None, after) => Ok(after.unwrap_or_default()),
    }
}
