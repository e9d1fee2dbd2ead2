//! The implementation that the lists of installed skills and plugins share.

use toolcrib_engine::prelude::*;
use toolcrib_model::PageArgs;
use toolcrib_store::marketplace::{self, ItemRow};

use crate::shared::{items::ItemKind, page};

/// An installed item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Installed<T> {
    /// The item.
    #[serde(flatten)]
    pub item: T,
    /// Time of installation.
    pub installed_at: Ts,
    /// Number of agents with this item.
    pub agents: i64,
}

pub async fn list<T>(
    cx: &mut ReadCx<'_>,
    kind: ItemKind,
    input: &PageArgs,
) -> Result<Page<Installed<T>>, ActionError>
where
    T: for<'r> TryFrom<&'r ItemRow, Error = ActionError>,
{
    let (cursor, limit) = page(input.limit, input.cursor.as_deref())?;
    let rows = marketplace::installed(cx.tx, kind.as_str(), cursor, limit + 1).await?;
    let rows = Page::from_rows(rows, limit, |row| Cursor { at: row.installed_at, id: row.item.id });
    rows.try_map(|row| {
        Ok(Installed { item: T::try_from(&row.item)?, installed_at: row.installed_at, agents: row.agents })
    })
}
