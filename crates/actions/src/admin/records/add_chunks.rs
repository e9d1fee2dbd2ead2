//! Reports the passages of a document that a runtime split, for example one in another format than text.

use serde_json::Value;
use toolcrib_engine::prelude::*;
use toolcrib_store::{documents, documents::Passage, text};

use super::{
    SCOPE,
    batch::{self, Recorded, Stop},
};

pub struct AddChunks;

/// One passage.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time of creation.
    pub at: Ts,
    /// Position in the document, from 0. Replaces the passage at this position.
    #[schemars(range(min = 0, max = 100_000))]
    pub position: i64,
    /// Text of the passage.
    #[schemars(length(min = 1, max = 20_000))]
    pub content: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The document.
    pub document_id: Id,
    #[schemars(schema_with = "batch::records::<Chunk>")]
    records: Vec<Value>,
}

impl WriteAction for AddChunks {
    type Input = Input;
    type Output = Recorded;

    fn spec() -> Spec {
        Spec::program("records.add_chunks", Level::Write, Permission::DOCUMENTS_READ)
            .for_keys(SCOPE)
            .describe(
                "Report passages of a document for search. Records with a known ID are skipped; invalid ones \
             are listed in `rejected`.",
            )
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Recorded, ActionError> {
        let id = input.document_id;
        let found = documents::find(cx.tx, &id.to_string()).await?;
        let document = found.into_iter().find(|row| row.id == id);
        let document = document.ok_or_else(|| ActionError::not_found("document", &id.to_string()))?;
        let (good, mut recorded) = batch::validate::<Chunk>(&input.records, cx.now)?;
        for (index, chunk) in good {
            recorded.count(index, keep(cx, id, chunk).await)?;
        }
        recorded.rejected.sort_by_key(|rejected| rejected.index);
        if recorded.accepted > 0 {
            documents::recount(cx.tx, id, cx.now).await?;
            let data = json!({ "id": id, "title": document.title, "chunks": recorded.accepted });
            cx.emit("document.chunks_reported", "documents:read", data);
        }
        Ok(recorded)
    }

    fn describe(_: &Input, recorded: &Recorded) -> String {
        recorded.describe()
    }
}

async fn keep(cx: &mut WriteCx<'_>, document: Id, chunk: Chunk) -> Result<(), Stop> {
    batch::store_id(cx, "chunk", chunk.id).await?;
    let tokens = text::tokens(&chunk.content);
    let passage = Passage { id: cx.new_id(), position: chunk.position, content: chunk.content, tokens };
    Ok(documents::put_passage(cx.tx, document, &passage, cx.now).await?)
}
