//! Counts the workspace's memories.

use std::collections::BTreeMap;

use toolcrib_engine::prelude::*;
use toolcrib_store::memories::{self, MemoryCount};

use crate::shared::NoArguments;

pub struct GetMemoryStats;

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Memories in the workspace.
    pub memories: i64,
    /// Bytes of their content in UTF-8.
    pub bytes: i64,
    /// When the oldest was stored; null where there is none.
    pub oldest: Option<Ts>,
    /// When the newest was stored; null where there is none.
    pub newest: Option<Ts>,
    /// By agent, most first.
    pub by_agent: Vec<OfAgent>,
    /// By kind, most first.
    pub by_kind: Vec<OfKind>,
}

/// The memories of one agent, or of the whole workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OfAgent {
    /// ID of the agent; null for memories of the workspace.
    pub agent_id: Option<Id>,
    /// Name of the agent; null for memories of the workspace or if the agent was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// Number of memories.
    pub memories: i64,
    /// Bytes of their content in UTF-8.
    pub bytes: i64,
}

/// The memories of one kind.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OfKind {
    /// The kind.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// Number of memories.
    pub memories: i64,
    /// Bytes of their content in UTF-8.
    pub bytes: i64,
}

impl ReadAction for GetMemoryStats {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_memory_stats", Category::Memory, Permission::MEMORY_READ)
            .describe("Count memories by agent and kind, with bytes, oldest and newest. For the texts use browse_memories.")
            .tags(&["memory", "count", "statistics", "size", "usage"])
            .examples(&["How much have my agents remembered?", "How big is the memory?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        Ok(sum(memories::counts(cx.tx).await?))
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("{}, {}", count(output.memories, "memory"), count(output.bytes, "byte"))
    }
}

fn sum(counts: Vec<MemoryCount>) -> Output {
    let mut agents: BTreeMap<Option<Id>, OfAgent> = BTreeMap::new();
    let mut kinds: BTreeMap<String, OfKind> = BTreeMap::new();
    let mut output = Output {
        memories: counts.iter().map(|count| count.memories).sum(),
        bytes: counts.iter().map(|count| count.bytes).sum(),
        oldest: counts.iter().map(|count| count.oldest).min(),
        newest: counts.iter().map(|count| count.newest).max(),
        by_agent: Vec::new(),
        by_kind: Vec::new(),
    };
    for count in counts {
        let (agent_id, agent_name) = (count.agent_id, count.agent_name);
        let agent =
            agents.entry(count.agent_id).or_insert(OfAgent { agent_id, agent_name, memories: 0, bytes: 0 });
        agent.memories += count.memories;
        agent.bytes += count.bytes;
        let new = OfKind { kind: count.kind.clone(), memories: 0, bytes: 0 };
        let kind = kinds.entry(count.kind).or_insert(new);
        kind.memories += count.memories;
        kind.bytes += count.bytes;
    }
    output.by_agent.extend(agents.into_values());
    output.by_kind.extend(kinds.into_values());
    output.by_agent.sort_by_key(|agent| std::cmp::Reverse(agent.memories));
    output.by_kind.sort_by_key(|kind| std::cmp::Reverse(kind.memories));
    output
}
