//! A document as callers see it, and the words of its fields.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Tx,
    documents::{self, DocumentRow},
};

use crate::shared::refs::{self, Ref};

/// Whether a document can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum DocumentStatus {
    /// Not yet.
    Processing,
    /// It can.
    Indexed,
    /// Indexing failed.
    Failed,
}

impl DocumentStatus {
    /// The stored word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Indexed => "indexed",
            Self::Failed => "failed",
        }
    }
}

/// A document, without its text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DocumentView {
    /// Its id.
    pub id: Id,
    /// Its title; several may have the same.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub title: String,
    /// Where it came from.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub source_url: Option<String>,
    /// Words to find it by.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub tags: Vec<String>,
    /// `processing`, `indexed` or `failed`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Why indexing failed.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub error: Option<String>,
    /// Bytes of its text.
    pub bytes: i64,
    /// How many passages it is found by.
    pub passages: i64,
    /// When it was added.
    pub created_at: Ts,
    /// When it last changed.
    pub updated_at: Ts,
}

impl From<DocumentRow> for DocumentView {
    fn from(row: DocumentRow) -> Self {
        Self {
            id: row.id,
            title: row.title,
            source_url: row.source_url,
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            status: row.status,
            error: row.error,
            bytes: row.bytes,
            passages: row.passages,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// The document that is meant, by id or exact title; 404 with near titles, 409 with the ids of those of one title.
pub async fn document(tx: &mut Tx, reference: &Ref) -> Result<DocumentRow, ActionError> {
    let found = documents::find(tx, reference.as_str()).await?;
    if let Some(row) = refs::one("document", reference, found, |row| row.id)? {
        return Ok(row);
    }
    let titles = documents::titles(tx).await?;
    Err(refs::missing("document", reference, &titles, "platform_list_documents"))
}
