//! Indexes a document again.

use toolcrib_engine::prelude::*;
use toolcrib_store::documents::{self, DocumentRow};

use super::{passages::passages, view::document};
use crate::shared::refs::Ref;

pub struct ReprocessDocument;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact title.
    pub document: Ref,
}

impl WriteAction for ReprocessDocument {
    type Input = Input;
    type Output = DocumentRow;

    fn spec() -> Spec {
        Spec::write("platform_reprocess_document", Category::Documents, Permission::DOCUMENTS_MANAGE)
            .describe(
                "Index a document again under the same id, such as after indexing failed. Replaces its passages.",
            )
            .tags(&["document", "reindex", "refresh", "repair"])
            .examples(&["Index the handbook again"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = document(cx.tx, &input.document).await?;
        input.document = row.id.into();
        Ok(Target {
            id: Some(row.id),
            label: format!("document `{}`", row.title),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<DocumentRow, ActionError> {
        let id = document(cx.tx, &input.document).await?.id;
        let content = documents::content(cx.tx, id).await?.unwrap_or_default();
        let passages = passages(cx, &content);
        documents::index(cx.tx, id, &passages, cx.now).await?;
        let row = document(cx.tx, &id.into()).await?;
        cx.emit(
            "document.reprocessed",
            "documents:read",
            json!({ "id": row.id, "title": row.title, "passages": row.passages }),
        );
        Ok(row)
    }

    fn describe(_: &Input, document: &DocumentRow) -> String {
        format!("Indexed document `{}` again: {}", document.title, count(document.passages, "passage"))
    }
}
