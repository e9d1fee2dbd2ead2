//! The pack `notes`: short notes of a workspace. It shows what a pack needs: a table, two actions and their words.

use std::sync::Arc;

use toolcrib_engine::{Pack, prelude::*};
use toolcrib_registry::{PackInfo, Verb};
use toolcrib_store::{PackSchema, StoreError, with_backend};

static INFO: PackInfo = PackInfo {
    slug: "notes",
    title: "Notes",
    description: "Short notes that everybody in the workspace reads.",
    sources: &["notes"],
    events: &["notes.added"],
};

/// Returns the pack.
pub fn pack() -> Pack {
    let (sqlite, postgres) = (sqlx::migrate!("migrations/sqlite"), sqlx::migrate!("migrations/postgres"));
    Pack {
        schema: Some(Arc::new(PackSchema::new("notes", &sqlite, &postgres, &["notes_notes"]))),
        phrases: include_str!("../data/phrases.tsv"),
        calls: include_str!("../data/calls.json"),
        ..Pack::new(&INFO, || vec![Action::write(AddNote), Action::read(ListNotes)])
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema, sqlx::FromRow)]
pub struct Note {
    /// ID.
    id: Id,
    /// Text of the note.
    #[schemars(extend("x-untrusted" = "notes"))]
    text: String,
}

struct AddNote;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddInput {
    /// Text of the note.
    #[schemars(length(min = 1, max = 2_000))]
    text: String,
}

impl WriteAction for AddNote {
    type Input = AddInput;
    type Output = Note;

    fn spec() -> Spec {
        Spec::write("notes_add_note", Category::Pack(&INFO), Permission::of_pack("notes", Verb::Use))
            .creates()
            .describe("Add a note that everybody in the workspace can read.")
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &AddInput) -> Result<Note, ActionError> {
        const SQL: &str =
            "INSERT INTO notes_notes (workspace_id, id, text, created_at) VALUES ($1, $2, $3, $4)";
        let note = Note { id: cx.new_id(), text: input.text.clone() };
        with_backend!(cx.tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(note.id).bind(&note.text)
            .bind(cx.now.as_micros()).execute(c).await.map(drop))
        .map_err(StoreError::from)?;
        cx.emit("notes.added", "notes:read", json!({ "id": note.id }));
        Ok(note)
    }

    fn describe(_: &AddInput, note: &Note) -> String {
        format!("Added the note {}", note.id)
    }
}

struct ListNotes;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Notes {
    /// Up to 50 notes, newest first.
    items: Vec<Note>,
}

impl ReadAction for ListNotes {
    type Input = ListInput;
    type Output = Notes;

    fn spec() -> Spec {
        Spec::read("notes_list_notes", Category::Pack(&INFO), Permission::of_pack("notes", Verb::Read))
            .describe("List the newest notes of the workspace.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &ListInput) -> Result<Notes, ActionError> {
        const SQL: &str = "SELECT id, text FROM notes_notes WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT 50";
        let items =
            with_backend!(cx.tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await);
        Ok(Notes { items: items.map_err(StoreError::from)? })
    }

    fn describe(_: &ListInput, notes: &Notes) -> String {
        format!("Listed {} notes", notes.items.len())
    }
}
