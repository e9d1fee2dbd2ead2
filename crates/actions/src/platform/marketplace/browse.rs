//! The implementation that the three browsing actions share.

use toolcrib_engine::prelude::*;
use toolcrib_store::marketplace::{self, ItemFilter, ItemRow};

use crate::shared::{items::ItemKind, page};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Up to four words of name, description or tags.
    pub search: Option<String>,
    /// Only this category, such as `support`.
    pub category: Option<String>,
    /// Page size. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Returns a page of approved items.
pub async fn browse<T>(cx: &mut ReadCx<'_>, kind: ItemKind, input: &Input) -> Result<Page<T>, ActionError>
where
    T: for<'r> TryFrom<&'r ItemRow, Error = ActionError>,
{
    let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
    let filter = ItemFilter {
        category: input.category.as_deref().map(str::to_lowercase),
        search: input.search.clone(),
    };
    let rows = marketplace::list(cx.tx, kind.as_str(), &filter, cursor, limit + 1).await?;
    let rows = Page::from_rows(rows, limit, |row| Cursor { at: row.published_at, id: row.id });
    rows.try_map(|row| T::try_from(&row))
}
