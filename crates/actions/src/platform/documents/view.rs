//! A document as callers see it, and its status.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Tx,
    documents::{self, DocumentRow},
};

use crate::shared::refs::{self, Ref};

toolcrib_model::closed_set! {
    "a document status",
    /// Status of the index of a document.
    DocumentStatus {
        /// Not indexed yet.
        Processing = "processing",
        /// Indexed, so that searches find it.
        Indexed = "indexed",
        /// Indexing failed.
        Failed = "failed",
    }
}

/// A document, without its text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DocumentView {
    /// ID of the document.
    pub id: Id,
    /// Title; several documents can have the same title.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub title: String,
    /// URL of the source.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub source_url: Option<String>,
    /// Keywords to find the document by.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub tags: Vec<String>,
    /// Status of the index: `processing`, `indexed` or `failed`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Reason of a failed indexing.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub error: Option<String>,
    /// Size of the text in bytes.
    pub bytes: i64,
    /// Number of indexed passages.
    pub passages: i64,
    /// When it was added.
    pub created_at: Ts,
    /// Time of the last change.
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

/// Returns the document with this ID or exact title. 404 with similar titles if there is none, 409 with the
/// IDs if there are several.
pub async fn document(tx: &mut Tx, reference: &Ref) -> Result<DocumentRow, ActionError> {
    let found = documents::find(tx, reference.as_str()).await?;
    if let Some(row) = refs::one("document", reference, found, |row| row.id)? {
        return Ok(row);
    }
    let titles = documents::titles(tx).await?;
    Err(refs::missing("document", reference, &titles, "platform_list_documents"))
}
