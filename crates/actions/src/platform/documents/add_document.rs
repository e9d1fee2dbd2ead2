//! Adds a document and indexes it.

use toolcrib_engine::prelude::*;
use toolcrib_store::documents::{self, DocumentRow};

use super::{passages::passages, view::DocumentStatus};

/// Maximum length of the text, in bytes of UTF-8.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

pub struct AddDocument;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Title of the document.
    pub title: String,
    /// Plain text or Markdown, at most 1 MiB.
    #[schemars(length(min = 1, max = 1_048_576), extend("x-raw" = true))]
    pub content: String,
    /// URL of the source, with `http` or `https`.
    #[schemars(length(max = 2000), regex(pattern = "^https?://[^\\s]+$"))]
    pub source_url: Option<String>,
    /// Keywords to find the document by.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
}

impl WriteAction for AddDocument {
    type Input = Input;
    type Output = DocumentRow;

    fn spec() -> Spec {
        Spec::write("platform_add_document", Category::Documents, Permission::DOCUMENTS_MANAGE).creates()
            .large_body()
            .describe("Add a text or Markdown document and index it for search. For a single fact use platform_store_memory.")
            .tags(&["document", "upload", "file", "knowledge", "index"])
            .examples(&["Save this handbook as a document"])
    }

    async fn resolve(&self, _: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        if input.content.len() > MAX_TEXT_BYTES {
            return Err(ActionError::invalid("/content", "maxLength", "must be at most 1 MiB of UTF-8"));
        }
        if input.content.trim().is_empty() {
            return Err(ActionError::invalid("/content", "minLength", "must contain more than white space"));
        }
        Ok(Target { label: format!("document `{}`", input.title), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<DocumentRow, ActionError> {
        let passages = passages(cx, &input.content);
        let row = DocumentRow {
            id: cx.new_id(),
            title: input.title.clone(),
            source_url: input.source_url.clone(),
            tags: input.tags.clone().unwrap_or_default(),
            status: DocumentStatus::Indexed.as_str().to_owned(),
            error: None,
            bytes: i64::try_from(input.content.len()).unwrap_or(i64::MAX),
            passages: i64::try_from(passages.len()).unwrap_or(i64::MAX),
            version: 0,
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
            updated_at: cx.now,
        };
        documents::insert(cx.tx, &row, &input.content, &passages).await?;
        cx.emit(
            "document.added",
            "documents:read",
            json!({ "id": row.id, "title": row.title, "passages": row.passages }),
        );
        Ok(row)
    }

    fn describe(_: &Input, document: &DocumentRow) -> String {
        format!("Added document `{}` with {}", document.title, count(document.passages, "passage"))
    }
}
