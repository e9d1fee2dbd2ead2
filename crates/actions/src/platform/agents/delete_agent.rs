//! Deletes an agent.

use toolcrib_engine::prelude::*;
use toolcrib_store::{agents, assignments, assignments::AssignmentCounts, workspaces};

use crate::shared::refs::{self, Ref};

pub struct DeleteAgent;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub agent: Ref,
}

/// Result of `platform_delete_agent`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// ID of the deleted agent.
    pub id: Id,
    /// Name of the deleted agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteAgent {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::destructive(
            "platform_delete_agent",
            Category::Agents,
            Permission::AGENTS_DELETE,
            "Permanently deletes the agent with its assignments, schedules and keys. Reports, executions and the audit log remain.",
        )
        .describe("Permanently delete an agent. A person must approve. To stop an agent for a while, set its status to inactive.")
        .tags(&["agent", "remove", "retire", "bot"])
        .examples(&["Delete the old onboarding bot"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let row = refs::agent(cx.tx, &input.agent).await?;
        input.agent = row.id.into();
        Ok(Target {
            id: Some(row.id),
            label: format!("agent `{}`", row.name),
            detail: detail(assignments::counts(cx.tx, row.id).await?),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = refs::agent(cx.tx, &input.agent).await?;
        let had = assignments::counts(cx.tx, row.id).await?;
        if !assignments::remove_all(cx.tx, row.id, cx.now).await? {
            return Err(ActionError::not_found("agent", input.agent.as_str()));
        }
        if had.keys > 0 {
            workspaces::bump_access(cx.tx).await?;
        }
        agents::delete(cx.tx, row.id).await?;
        cx.emit("agent.deleted", "agents:read", json!({ "id": row.id, "name": row.name }));
        Ok(Output { id: row.id, name: row.name, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted agent `{}`", output.name)
    }
}

/// Describes what is deleted with the agent, such as `2 tools, 1 key`. Returns `None` if nothing is.
fn detail(had: AssignmentCounts) -> Option<String> {
    let parts = [
        (had.tools, "tool"),
        (had.skills, "skill"),
        (had.plugins, "plugin"),
        (had.heartbeats, "heartbeat"),
        (had.schedules, "schedule"),
        (had.keys, "key"),
    ];
    let words: Vec<String> =
        parts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| count(number, word)).collect();
    if words.is_empty() { None } else { Some(words.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_is_counted_and_what_is_not_there_is_not_named() {
        let had = AssignmentCounts { tools: 2, keys: 1, ..AssignmentCounts::default() };
        assert_eq!(detail(had).as_deref(), Some("2 tools, 1 key"));
        assert_eq!(detail(AssignmentCounts::default()), None);
    }
}
