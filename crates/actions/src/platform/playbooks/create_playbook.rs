//! Creates a playbook.

use toolcrib_engine::{prelude::*, shared::normalize_name};
use toolcrib_store::{playbooks, playbooks::PlaybookRow};

use super::{
    find::taken,
    steps::{self, OnError},
    view::PlaybookView,
};
use crate::shared::{
    or_conflict,
    refs::{self, Ref},
};

/// The default number of retries for a failed step.
const MAX_RETRIES: i64 = 2;
/// The default time limit of a step, in seconds.
const STEP_TIMEOUT_S: i64 = 300;

pub struct CreatePlaybook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A name that no other playbook here has.
    pub name: String,
    /// Purpose of the playbook.
    #[schemars(length(min = 1, max = 2000))]
    pub description: String,
    /// Tags.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
    /// Steps, in order.
    #[schemars(length(max = 50))]
    pub steps: Option<Vec<Step>>,
}

/// One step.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Step {
    /// ID or exact name of the agent that does the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Ref>,
    /// Instructions in plain text.
    #[schemars(length(min = 1, max = 8000))]
    pub prompt: String,
    /// Action on failure. Default: `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_error: Option<OnError>,
    /// Name of the output for later steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64))]
    pub output_key: Option<String>,
}

impl WriteAction for CreatePlaybook {
    type Input = Input;
    type Output = PlaybookView;

    fn spec() -> Spec {
        Spec::write("platform_create_playbook", Category::Playbooks, Permission::PLAYBOOKS_MANAGE).creates()
            .describe(
                "Create a playbook, with its steps if they are known. To run it, use platform_execute_playbook.",
            )
            .tags(&["playbook", "workflow", "recipe", "automation", "new"])
            .examples(&["Make a playbook that researches a topic and writes a summary"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        normalize_name("/name", &mut input.name)?;
        if playbooks::by_name(cx.tx, &input.name).await?.is_some() {
            return Err(taken(&input.name));
        }
        for agent in input.steps.iter_mut().flatten().filter_map(|step| step.agent.as_mut()) {
            *agent = refs::agent(cx.tx, agent).await?.id.into();
        }
        Ok(Target { label: format!("playbook `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<PlaybookView, ActionError> {
        let mut rows = Vec::new();
        for step in input.steps.iter().flatten() {
            let key = step.output_key.as_deref();
            rows.push(steps::row(cx.tx, step.agent.as_ref(), &step.prompt, step.on_error, key).await?);
        }
        let row = row(cx, input);
        or_conflict(playbooks::insert(cx.tx, &row).await, || taken(&input.name))?;
        playbooks::insert_steps(cx.tx, row.id, &rows).await?;
        cx.emit("playbook.created", "playbooks:read", json!({ "id": row.id, "name": row.name }));
        Ok(PlaybookView::new(row, rows))
    }

    fn describe(_: &Input, output: &PlaybookView) -> String {
        format!("Created playbook `{}` with {}", output.playbook.name, count(output.steps.len(), "step"))
    }
}

fn row(cx: &WriteCx<'_>, input: &Input) -> PlaybookRow {
    PlaybookRow {
        id: cx.new_id(),
        name: input.name.clone(),
        description: input.description.clone(),
        tags: json!(input.tags.clone().unwrap_or_default()).to_string(),
        status: "active".to_owned(),
        cron: None,
        timezone: None,
        next_run_at: None,
        max_retries: MAX_RETRIES,
        step_timeout_s: STEP_TIMEOUT_S,
        version: 1,
        created_by: cx.caller.principal.user(),
        caller: Some(cx.stored_caller().as_str().to_owned()),
        set_by: cx.caller.principal.user(),
        created_at: cx.now,
        updated_at: cx.now,
    }
}
