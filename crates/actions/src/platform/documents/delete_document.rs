//! Deletes a document with its passages.

use toolcrib_engine::prelude::*;
use toolcrib_store::documents;

use super::view::document;
use crate::shared::refs::Ref;

pub struct DeleteDocument;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact title.
    pub document: Ref,
}

/// Result of `platform_delete_document`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the deleted document.
    pub id: Id,
    /// Title of the deleted document.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub title: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteDocument {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::destructive(
            "platform_delete_document",
            Category::Documents,
            Permission::DOCUMENTS_DELETE,
            "Permanently deletes the document with its text and passages. The audit log remains.",
        )
        .describe("Permanently delete a document with its passages. A person must approve.")
        .tags(&["document", "remove", "file", "erase"])
        .examples(&["Delete the outdated handbook"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = document(cx.tx, &input.document).await?;
        input.document = row.id.into();
        Ok(Target {
            id: Some(row.id),
            label: format!("document `{}`", row.title),
            detail: Some(count(row.passages, "passage")),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = document(cx.tx, &input.document).await?;
        if !documents::delete(cx.tx, row.id).await? {
            return Err(ActionError::not_found("document", input.document.as_str()));
        }
        cx.emit("document.deleted", "documents:read", json!({ "id": row.id, "title": row.title }));
        Ok(Output { id: row.id, title: row.title, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted document `{}`", output.title)
    }
}
