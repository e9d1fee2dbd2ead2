//! A document by its ID or title, and the statuses of documents.

use toolcrib_engine::ActionError;
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
