//! Stores a memory.

use sha2::{Digest, Sha256};
use toolcrib_engine::prelude::*;
use toolcrib_store::{
    memories::{self, MemoryRow},
    text,
};

use crate::shared::refs::{self, Ref};

pub struct StoreMemory;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Text to store.
    #[schemars(length(min = 1, max = 8000))]
    pub content: String,
    /// ID or exact name of the agent that owns the memory. Default: the whole workspace.
    pub agent: Option<Ref>,
    /// Tags.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The memory.
    #[serde(flatten)]
    pub memory: MemoryRow,
    /// Whether the call stored the content; false if it was already stored.
    pub changed: bool,
}

impl WriteAction for StoreMemory {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_store_memory", Category::Memory, Permission::MEMORY_USE).creates()
            .promoted()
            .always_offered()
            .describe("Remember a fact, decision or preference for later, workspace-wide or for one agent. Not for files.")
            .tags(&["memory", "remember", "note", "save", "fact", "preference"])
            .examples(&["Remember that our fiscal year starts in April", "Note that the client prefers e-mail"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let label = format!("memory `{}`", text::snippet(&input.content, &[], 100));
        let mut target = Target { label, ..Target::default() };
        if let Some(reference) = &input.agent {
            let agent = refs::agent(cx.tx, reference).await?;
            target.detail = Some(format!("for agent `{}`", agent.name));
            target = target.naming("agent", &agent.name);
            input.agent = Some(agent.id.into());
        }
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let agent = refs::optional_agent(cx.tx, input.agent.as_ref()).await?.map(|agent| agent.id);
        let tags = input.tags.clone().unwrap_or_default();
        let row = MemoryRow {
            id: cx.new_id(),
            agent_id: agent,
            kind: "note".to_owned(),
            content: input.content.clone(),
            content_hash: hex::encode(Sha256::digest(&input.content)),
            tokens: text::tokens(&format!("{} {}", input.content, tags.join(" "))),
            tags,
            version: 1,
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
        };
        if !memories::insert(cx.tx, &row).await? {
            let known = memories::by_hash(cx.tx, row.agent_id.unwrap_or_default(), &row.content_hash).await?;
            let known = known.ok_or_else(|| {
                ActionError::conflict("this content was stored and deleted at the same time")
                    .hint("call again")
            })?;
            return Ok(Output { memory: known, changed: false });
        }
        cx.emit("memory.stored", "memory:read", json!({ "id": row.id, "agent_id": agent, "kind": row.kind }));
        Ok(Output { memory: row, changed: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let text = text::snippet(&output.memory.content, &[], 60);
        if output.changed { format!("Stored `{text}`") } else { format!("Already stored: `{text}`") }
    }
}
