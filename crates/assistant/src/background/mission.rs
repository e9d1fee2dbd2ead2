//! Missions: a run for each task whose dependencies are done, or one for the goal of a mission without tasks.

use serde_json::{Value, json};
use toolcrib_engine::Stamp;
use toolcrib_model::{RunKind, RunState, count};
use toolcrib_store::{
    StoreError, WriteTx, assistant_runs,
    missions::{self, MissionRow, MissionTaskRow},
};

use super::{RunEnd, Work, cut, data::with_data, notify_ended, queue};

/// Letters of a task's output.
const MAX_OUTPUT: usize = 8_000;
/// Letters of a goal in a title.
const MAX_TITLE: usize = 60;

/// Starts a mission: the tasks that depend on none get runs.
pub async fn begin(tx: &mut WriteTx, stamp: Stamp<'_>, mission: &MissionRow) -> Result<(), StoreError> {
    let tasks = missions::tasks(tx, mission.id).await?;
    if tasks.is_empty() {
        let work = Work::new(RunKind::Mission, mission.id, mission.goal.clone());
        return queue(tx, stamp, mission.caller.as_deref(), work).await.map(|_| ());
    }
    run_steps(tx, stamp, mission, tasks).await.map(drop)
}

/// Stores the result of a task, and starts those that became free, or ends the mission.
pub async fn follow(tx: &mut WriteTx, stamp: Stamp<'_>, end: &RunEnd<'_>) -> Result<(), StoreError> {
    let found = missions::lock(tx, end.ref_id()).await?;
    let Some(mission) = found.filter(|mission| mission.state == "running") else { return Ok(()) };
    let failure = end.failure();
    if end.is_forbidden() {
        let why = failure.as_deref().unwrap_or_default();
        finish(tx, stamp, &mission, Some(why)).await?;
        assistant_runs::request_stop_of(tx, RunKind::Mission, mission.id, stamp.now).await?;
        let what = format!("The mission `{}`", cut(&mission.goal, MAX_TITLE));
        return notify_ended(tx, stamp, &what, end).await;
    }
    let is_for_programs = end.is_for_programs(tx).await?;
    let Some(position) = end.run.position else {
        if is_for_programs {
            return Ok(());
        }
        finish(tx, stamp, &mission, failure.as_deref()).await?;
        return end.notify(tx, stamp, &title(&mission)).await;
    };
    let mut tasks = missions::tasks(tx, mission.id).await?;
    // Another program may have reported its end meanwhile.
    let is_ours = |task: &&mut MissionTaskRow| task.position == position && task.status == "in_progress";
    if let Some(task) = tasks.iter_mut().find(is_ours) {
        set_result(task, end.text, failure, is_for_programs);
        store_task(tx, stamp, &mission, task).await?;
    }
    match run_steps(tx, stamp, &mission, tasks).await? {
        Some(why) if end.state != RunState::Stopped => {
            end.notify_failed(tx, stamp, &title(&mission), &why).await
        }
        _ => Ok(()),
    }
}

/// Sets what became of a task. One that programs go on with is as before its run.
fn set_result(task: &mut MissionTaskRow, text: &str, failure: Option<String>, is_for_programs: bool) {
    let status = match failure {
        _ if is_for_programs => "open",
        None => "done",
        Some(_) => "failed",
    };
    status.clone_into(&mut task.status);
    task.output = (status == "done").then(|| cut(text, MAX_OUTPUT));
    task.error = failure.filter(|_| status == "failed");
}

fn title(mission: &MissionRow) -> String {
    format!("Mission `{}`", cut(&mission.goal, MAX_TITLE))
}

/// Starts the tasks that are free, or leaves them to the workspace's own programs. Ends the mission if none is left
/// that could run, and returns why it failed.
async fn run_steps(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    mission: &MissionRow,
    mut tasks: Vec<MissionTaskRow>,
) -> Result<Option<String>, StoreError> {
    let done: Vec<bool> = tasks.iter().map(|task| task.status == "done").collect();
    let is_free = |task: &MissionTaskRow| {
        task.status == "open" && task.depends_on.iter().all(|at| done.get(*at) == Some(&true))
    };
    let free: Vec<usize> =
        tasks.iter().enumerate().filter(|(_, task)| is_free(task)).map(|(at, _)| at).collect();
    let mut is_free_left = false;
    for at in free {
        let message = message(mission, &tasks, at);
        let task = &mut tasks[at];
        let work = Work {
            position: Some(task.position),
            agent: task.agent_id,
            ..Work::new(RunKind::Mission, mission.id, message)
        };
        if !queue(tx, stamp, mission.caller.as_deref(), work).await? {
            is_free_left = true;
            continue;
        }
        "in_progress".clone_into(&mut task.status);
        store_task(tx, stamp, mission, task).await?;
    }
    if is_free_left || tasks.iter().any(|task| task.status == "in_progress") {
        return Ok(None);
    }
    let undone = tasks.iter().filter(|task| task.status != "done").count();
    let why = (undone > 0).then(|| format!("{} could not be done", count(undone, "task")));
    finish(tx, stamp, mission, why.as_deref()).await?;
    Ok(why)
}

/// Returns the words for a task: its instructions, and as data the goal and the results of the tasks that it depends
/// on.
fn message(mission: &MissionRow, tasks: &[MissionTaskRow], at: usize) -> String {
    let task = &tasks[at];
    let mut data = vec![("Goal of the mission".to_owned(), Value::String(mission.goal.clone()))];
    for other in task.depends_on.iter().filter_map(|on| tasks.get(*on)) {
        let output = Value::String(other.output.clone().unwrap_or_default());
        data.push((format!("Result of the task `{}`", other.title), output));
    }
    let instructions = match &task.description {
        Some(description) => format!("{}\n\n{description}", task.title),
        None => task.title.clone(),
    };
    with_data(&instructions, data)
}

async fn store_task(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    mission: &MissionRow,
    task: &mut MissionTaskRow,
) -> Result<(), StoreError> {
    task.updated_at = stamp.now;
    missions::update_task(tx, task).await?;
    let data = json!({
        "id": mission.id, "task_id": task.id, "position": task.position, "status": task.status,
        "agent_id": task.agent_id,
    });
    stamp.emit(tx, "mission.task_updated", "missions:read", data);
    Ok(())
}

/// Ends a mission as completed, or as failed with the reason.
async fn finish(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    mission: &MissionRow,
    why: Option<&str>,
) -> Result<(), StoreError> {
    let state = if why.is_some() { "failed" } else { "completed" };
    let cancelled = missions::end(tx, mission.id, state, why, stamp.now).await?.unwrap_or_default();
    let data = json!({ "id": mission.id, "state": state, "cancelled_tasks": cancelled });
    stamp.emit(tx, &format!("mission.{state}"), "missions:read", data);
    Ok(())
}
