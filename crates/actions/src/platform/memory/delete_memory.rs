//! Deletes a memory.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx, agents,
    memories::{self, MemoryRow},
    text,
};

pub struct DeleteMemory;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the memory.
    pub memory_id: Id,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memory that was deleted.
    pub id: Id,
    /// Deleted text.
    #[schemars(extend("x-untrusted" = "memories"))]
    pub content: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteMemory {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::destructive(
            "platform_delete_memory",
            Category::Memory,
            Permission::MEMORY_DELETE,
            "The memory is deleted permanently: agents can't recall it any more. The audit log stays.",
        )
        .describe(
            "Delete one memory for good, by its id from search_memory or browse_memories. A person must approve.",
        )
        .tags(&["memory", "forget", "remove", "erase"])
        .examples(&["Forget the note about the old office"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = find(cx.tx, input.memory_id).await?;
        let agent = match row.agent_id {
            Some(id) => agents::get(cx.tx, id).await?,
            None => None,
        };
        Ok(Target {
            id: Some(row.id),
            label: format!("memory `{}`", text::snippet(&row.content, &[], 200)),
            detail: agent.map(|agent| format!("of agent `{}`", agent.name)),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find(cx.tx, input.memory_id).await?;
        if !memories::delete(cx.tx, row.id).await? {
            return Err(missing(row.id));
        }
        cx.emit("memory.deleted", "memory:read", json!({ "id": row.id, "agent_id": row.agent_id }));
        Ok(Output { id: row.id, content: row.content, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted memory `{}`", text::snippet(&output.content, &[], 60))
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<MemoryRow, ActionError> {
    memories::get(tx, id).await?.ok_or_else(|| missing(id))
}

fn missing(id: Id) -> ActionError {
    ActionError::not_found("memory", &id.to_string()).hint("`platform_browse_memories` lists them")
}
