//! Deletes a playbook.

use toolcrib_engine::prelude::*;
use toolcrib_store::playbooks;

use super::find;
use crate::shared::refs::Ref;

pub struct DeletePlaybook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The playbook that was deleted.
    pub id: Id,
    /// Name.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub name: String,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeletePlaybook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::destructive(
            "platform_delete_playbook",
            Category::Playbooks,
            Permission::PLAYBOOKS_DELETE,
            "The playbook is deleted permanently, with its steps and schedule. Its executions and the audit log stay.",
        )
        .describe("Delete a playbook for good. A person must approve. To stop it for a while, set its status to inactive.")
        .tags(&["playbook", "workflow", "recipe", "remove"])
        .examples(&["Delete the old onboarding playbook"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let (row, mut target) = find::target(cx.tx, &mut input.playbook).await?;
        let steps = playbooks::steps(cx.tx, row.id).await?.len();
        let plural = if steps == 1 { "" } else { "s" };
        let schedule = if row.cron.is_some() { " and a schedule" } else { "" };
        target.detail = Some(format!("{steps} step{plural}{schedule}"));
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let row = find::playbook(cx.tx, &input.playbook).await?;
        if !playbooks::delete(cx.tx, row.id).await? {
            return Err(ActionError::not_found("playbook", input.playbook.as_str()));
        }
        cx.emit("playbook.deleted", "playbooks:read", json!({ "id": row.id, "name": row.name }));
        Ok(Output { id: row.id, name: row.name, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted playbook `{}`", output.name)
    }
}
