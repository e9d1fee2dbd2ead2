//! Reports the result of indexing documents.

use toolcrib_engine::prelude::*;
use toolcrib_store::documents;

use super::{
    SCOPE,
    batch::{self, Record, Stop},
};

toolcrib_model::closed_set! {
    "an index status",
    /// How indexing went.
    IndexStatus {
        /// The document can be found.
        Indexed = "indexed",
        /// It can't.
        Failed = "failed",
    }
}

/// One document that was worked on.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Indexing {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time.
    pub at: Ts,
    /// The document.
    pub document_id: Id,
    /// Result.
    pub status: IndexStatus,
    /// Reason of the failure.
    #[schemars(length(min = 1, max = 2000))]
    pub error: Option<String>,
}

impl Record for Indexing {
    fn spec() -> Spec {
        Spec::program("records.add_documents", Level::Write, Permission::DOCUMENTS_READ)
            .for_keys(SCOPE)
            .describe(
                "Report the results of indexing documents. Records with a known ID are skipped; invalid \
             ones are listed in `rejected`.",
            )
    }

    fn agent(&self) -> Option<Id> {
        None
    }

    async fn keep(self, cx: &mut WriteCx<'_>) -> Result<(), Stop> {
        let found = documents::find(cx.tx, &self.document_id.to_string()).await?;
        let Some(document) = found.into_iter().find(|row| row.id == self.document_id) else {
            let message = "there is no such document in this workspace";
            return Err(Stop::wrong("/document_id", "not_found", message));
        };
        batch::store_id(cx, "document", self.id).await?;
        let status = self.status.as_str();
        let error = self.error.as_deref().filter(|_| self.status == IndexStatus::Failed);
        documents::set_status(cx.tx, document.id, status, error, cx.now).await?;
        let data = json!({ "id": document.id, "title": document.title, "status": status });
        batch::happened(cx, "document.reported", "documents:read", None, self.at, data);
        Ok(())
    }
}
