//! An item as system admins see it.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_model::{Id, Ts};
use toolcrib_store::marketplace::ItemRow;

toolcrib_model::closed_set! {
    "a status",
    /// Whether an item is offered.
    Status {
        /// Not visible yet.
        Pending = "pending",
        /// Visible to every workspace and installable.
        Approved = "approved",
        /// No longer installable; existing installations stay.
        Withdrawn = "withdrawn",
    }
}

/// An item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PublishedItem {
    /// ID.
    pub id: Id,
    /// `agent`, `skill` or `plugin`.
    pub kind: String,
    /// Slug. Unique among items of the same kind.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// A tag, such as `support`.
    pub category: String,
    /// Description.
    pub description: String,
    /// Tags for search.
    pub tags: Vec<String>,
    /// `pending`, `approved` or `withdrawn`.
    pub status: String,
    /// Version of the content.
    pub version: String,
    /// Author.
    pub author: String,
    /// Number of workspaces that installed it.
    pub install_count: i64,
    /// Time of publication.
    pub published_at: Ts,
}

impl From<ItemRow> for PublishedItem {
    fn from(row: ItemRow) -> Self {
        Self {
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            id: row.id,
            kind: row.kind,
            slug: row.slug,
            name: row.name,
            category: row.category,
            description: row.description,
            status: row.status,
            version: row.version,
            author: row.author,
            install_count: row.install_count,
            published_at: row.published_at,
        }
    }
}
