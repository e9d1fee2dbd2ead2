//! An item as system admins see it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_model::{Id, Ts};
use toolcrib_store::marketplace::ItemRow;

/// Whether an item is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Status {
    /// Nobody sees it yet.
    Pending,
    /// Every workspace may browse and install it.
    Approved,
    /// Nobody can install it any more; where it is installed it stays.
    Withdrawn,
}

impl Status {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Withdrawn => "withdrawn",
        }
    }
}

/// An item.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PublishedItem {
    /// Its id.
    pub id: Id,
    /// `agent`, `skill` or `plugin`.
    pub kind: String,
    /// Unique among its kind.
    pub slug: String,
    /// What people call it.
    pub name: String,
    /// A word such as `support`.
    pub category: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// `pending`, `approved` or `withdrawn`.
    pub status: String,
    /// The version of its content.
    pub version: String,
    /// Who wrote it.
    pub author: String,
    /// How many workspaces installed it.
    pub install_count: i64,
    /// When it was published.
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
