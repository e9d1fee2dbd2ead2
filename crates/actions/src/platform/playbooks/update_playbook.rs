//! Changes a playbook, its schedule and its limits.

use toolcrib_engine::{prelude::*, shared::normalize_name};
use toolcrib_store::playbooks::{self, PlaybookRow};

use super::{
    find,
    schedule::{self, Schedule},
    view::{ChangedPlaybook, PlaybookStatus, PlaybookView},
};
use crate::shared::{present, refs::Ref};

pub struct UpdatePlaybook;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub playbook: Ref,
    /// A new name that no other playbook here has.
    pub name: Option<String>,
    /// Purpose of the playbook.
    #[schemars(length(min = 1, max = 2000))]
    pub description: Option<String>,
    /// New tags; they replace all existing tags.
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub tags: Option<Vec<String>>,
    /// New status; `inactive` stops the playbook and its schedule.
    #[schemars(extend("x-plain-words" = true))]
    pub status: Option<PlaybookStatus>,
    /// Schedule; null removes it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<Schedule>", extend("x-nullable" = true))]
    #[expect(clippy::option_option, reason = "left out, null and a schedule are three wishes")]
    pub schedule: Option<Option<Schedule>>,
    /// Limits of the steps.
    pub limits: Option<Limits>,
}

/// How far a playbook's steps may go.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Limits {
    /// Number of retries for a failed step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 10))]
    pub max_retries: Option<i64>,
    /// Time limit of a step, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 3600))]
    pub step_timeout_s: Option<i64>,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Playbook after the call.
    #[serde(flatten)]
    pub playbook: ChangedPlaybook,
    /// Next three scheduled times.
    pub next_runs: Vec<Ts>,
}

impl WriteAction for UpdatePlaybook {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::write("platform_update_playbook", Category::Playbooks, Permission::PLAYBOOKS_MANAGE)
            .standing_work()
            .describe("Change a playbook's name, description, tags, status, schedule or limits. For steps: the step actions.")
            .tags(&["playbook", "workflow", "edit", "schedule", "cron", "rename"])
            .examples(&["Run the weekly report every Monday at nine", "Switch that playbook off"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        if let Some(Some(schedule)) = &input.schedule {
            schedule::check(schedule, cx.now)?;
        }
        let (row, target) = find::target(cx.tx, &mut input.playbook).await?;
        if let Some(name) = input.name.as_mut().filter(|name| **name != row.name) {
            normalize_name("/name", name)?;
        }
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let mut row = find::lock(cx.tx, &input.playbook).await?;
        let changed_fields = apply(input, &mut row);
        let next_runs = schedule::next_times(&row, cx.now);
        if !changed_fields.is_empty() {
            row.next_run_at = next_runs.first().map(|at| at.as_micros());
            find::store(cx, &mut row).await?;
            let data = json!({ "id": row.id, "name": row.name, "changed": changed_fields });
            cx.emit("playbook.updated", "playbooks:read", data);
        }
        let steps = playbooks::steps(cx.tx, row.id).await?;
        let playbook = PlaybookView::new(row, steps);
        let changed = !changed_fields.is_empty();
        Ok(Output { playbook: ChangedPlaybook { playbook, changed, changed_fields }, next_runs })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let ChangedPlaybook { playbook, changed, changed_fields } = &output.playbook;
        let name = &playbook.playbook.name;
        match output.next_runs.first() {
            _ if !changed => format!("Nothing to change: playbook `{name}` already has these values"),
            Some(next) if changed_fields.contains(&"schedule") => {
                format!("Updated playbook `{name}`: {}; it runs next at {next}", changed_fields.join(", "))
            }
            _ => format!("Updated playbook `{name}`: {}", changed_fields.join(", ")),
        }
    }
}

/// Sets the given fields whose values differ, and returns their names.
fn apply(input: &Input, row: &mut PlaybookRow) -> Vec<&'static str> {
    let before = row.clone();
    if let Some(name) = &input.name {
        row.name.clone_from(name);
    }
    if let Some(description) = &input.description {
        row.description.clone_from(description);
    }
    if let Some(tags) = &input.tags {
        row.tags = json!(tags).to_string();
    }
    if let Some(status) = input.status {
        status.as_str().clone_into(&mut row.status);
    }
    if let Some(schedule) = &input.schedule {
        schedule::set(row, schedule.as_ref());
    }
    if let Some(limits) = &input.limits {
        row.max_retries = limits.max_retries.unwrap_or(row.max_retries);
        row.step_timeout_s = limits.step_timeout_s.unwrap_or(row.step_timeout_s);
    }
    let fields = [
        ("name", row.name != before.name),
        ("description", row.description != before.description),
        ("tags", row.tags != before.tags),
        ("status", row.status != before.status),
        ("schedule", (&row.cron, &row.timezone) != (&before.cron, &before.timezone)),
        ("limits", (row.max_retries, row.step_timeout_s) != (before.max_retries, before.step_timeout_s)),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}
