//! Makes a document of a project, and keeps it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use toolcrib_engine::prelude::*;
use toolcrib_registry::ArgError;
use toolcrib_store::{StoreError, Tx, WriteTx};

use crate::{
    actions::plans::{MAX_PLANS, scope::Checked},
    design::Design,
    export::{Content, MAX_EXPORT, Plan},
    find,
    graph::{Edge, Graph},
    inputs::SystemRef,
    permissions, project,
    shared::{Ref, actor, number},
    tables::{
        dependencies,
        exports::{self, ExportFormat, ExportRow, ExportType},
        plans::{self, PlanRow},
        projects::{self, Lock, ProjectRow},
        systems::{self, ChangeRow, Purpose},
    },
};

/// The number of exports of a project. The oldest make room for new ones.
const MAX_EXPORTS: i64 = 200;
/// The number of bytes of all exports of a project.
const MAX_BYTES: i64 = 64 * 1024 * 1024;
/// The number of bytes of all snapshots of a project from which a roadmap reads the phases.
const MAX_SNAPSHOTS: i64 = 128 * 1024 * 1024;
/// The number of changes of a project that an export can show.
const MAX_CHANGES: i64 = 10_000;

pub struct GenerateExport;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Type.
    #[serde(rename = "type")]
    pub kind: ExportType,
    /// Format. Default: `markdown`.
    pub format: Option<ExportFormat>,
    /// ID or label of the plan, for `version_prd` alone.
    pub plan: Option<Ref>,
    /// IDs or slugs of the systems, for `system_doc`, or to narrow a `prompt_bundle`.
    #[schemars(length(min = 1, max = 2000))]
    #[schemars(with = "Option<Vec<SystemRef>>")]
    pub systems: Option<Vec<Ref>>,
    /// Whether to show the changes of the systems. Default: false.
    pub include_changelog: Option<bool>,
    /// Whether to draw the dependencies. Default: false.
    pub include_dependency_graph: Option<bool>,
}

impl WriteAction for GenerateExport {
    type Input = Input;
    type Output = ExportRow;

    fn spec() -> Spec {
        permissions::work("game_generate_export")
            .creates()
            .describe("Make a document of a game project and keep it. Its content is in game_list_exports.")
            .tags(&["game", "export", "document", "gdd", "prd", "roadmap", "prompts"])
            .examples(&[
                "Export the game design document",
                "Write the roadmap",
                "Make prompts to build the systems",
            ])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        check(input)?;
        let mut target = project::target("export", input.kind.as_str(), &project, None);
        if let Some(plan) = &mut input.plan {
            let row = find::plan(cx.tx, project.id, plan).await?;
            *plan = row.id.into();
            target = target.naming("plan", &row.version_label);
        }
        Ok(target)
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ExportRow, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?;
        let (id, title) = (project.id, format!("{}: {}", input.kind.title(), project.name));
        let content = content(cx.tx, project, input).await?;
        let format = input.format.unwrap_or(ExportFormat::Markdown);
        let text = content.render(format)?;
        if text.len() > MAX_EXPORT {
            return Err(too_large(input));
        }
        let bytes = number(text.len());
        make_room(cx.tx, id, bytes).await?;
        let row = ExportRow {
            id: cx.new_id(),
            kind: input.kind,
            format,
            title,
            bytes,
            created_by: actor(cx.caller),
            created_at: cx.now,
        };
        exports::insert(cx.tx, id, &row, &text).await?;
        let data = json!({ "project_id": id, "export_id": row.id });
        cx.emit("game.export_ready", permissions::EVENTS, data);
        Ok(row)
    }

    fn describe(_: &Input, row: &ExportRow) -> String {
        format!("Made export `{}` with {} bytes", row.title, row.bytes)
    }
}

/// Deletes the oldest exports of a project that has no room for another one.
async fn make_room(tx: &mut WriteTx, project: Id, bytes: i64) -> Result<(), StoreError> {
    let counts = projects::counts(tx, project).await?;
    if counts.exports < MAX_EXPORTS && counts.export_bytes + bytes <= MAX_BYTES {
        return Ok(());
    }
    exports::keep_newest(tx, project, MAX_EXPORTS - 1, MAX_BYTES - bytes).await
}

/// Checks which arguments the type takes. 422 for each that it lacks or does not take.
fn check(input: &Input) -> Result<(), ActionError> {
    let kind = input.kind;
    let (needs_plan, needs_systems) = (kind == ExportType::VersionPrd, kind == ExportType::SystemDoc);
    let takes_systems = needs_systems || kind == ExportType::PromptBundle;
    let has_systems = kind != ExportType::Roadmap;
    let [log, graph] =
        [input.include_changelog, input.include_dependency_graph].map(|option| option == Some(true));
    let (narrowed, all_but_roadmap) = ("`system_doc` and `prompt_bundle`", "types with systems");
    let mut errors = Vec::new();
    for (pointer, given, needs, takes, types) in [
        ("/plan", input.plan.is_some(), needs_plan, needs_plan, "`version_prd`"),
        ("/systems", input.systems.is_some(), needs_systems, takes_systems, narrowed),
        ("/include_changelog", log, false, has_systems, all_but_roadmap),
        ("/include_dependency_graph", graph, false, has_systems, all_but_roadmap),
    ] {
        if needs && !given {
            errors.push(ArgError::new(pointer, "required", format!("is required for `{kind}`")));
        }
        if given && !takes {
            errors.push(ArgError::new(pointer, "unexpected", format!("is for {types}, not for `{kind}`")));
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors)) }
}

fn too_large(input: &Input) -> ActionError {
    let advice = match input.kind {
        ExportType::SystemDoc | ExportType::PromptBundle => "give fewer `systems`",
        ExportType::VersionPrd => "export its systems as `system_doc`, some at a time",
        ExportType::Roadmap => "export its plans as `version_prd`, one at a time",
        ExportType::Gdd => "export systems as `system_doc`, some at a time",
    };
    let log = if input.include_changelog == Some(true) { "leave out `include_changelog`, or " } else { "" };
    ActionError::invalid("/type", "size", "makes a document of more than 4 MiB")
        .hint(format!("{log}{advice}"))
}

/// Reads what the export shows.
async fn content(tx: &mut Tx, project: ProjectRow, input: &Input) -> Result<Content, ActionError> {
    let graph = dependencies::graph(tx, project.id).await?;
    let (mut context, mut until) = (Vec::new(), None);
    let (plans, design) = match (input.kind, &input.plan) {
        (ExportType::VersionPrd, Some(plan)) => {
            let row = find::plan(tx, project.id, plan).await?;
            let design = design_of_plan(tx, project.id, graph, &row, input).await?;
            until = row.finalized_at;
            (vec![Plan { row, phases: design.phases.clone() }], Some(design))
        }
        (ExportType::Roadmap, _) => (all_plans(tx, project.id, graph, input).await?, None),
        _ => {
            let checked = phases(graph, input)?;
            if input.kind == ExportType::PromptBundle {
                context = self::context(tx, project.id, &checked, input).await?;
            }
            (vec![], Some(read(tx, project.id, &checked, input).await?))
        }
    };
    let (changelog, changelog_truncated) = match &design {
        Some(design) if input.include_changelog == Some(true) => {
            let (changes, truncated) = changelog(tx, project.id, design, until).await?;
            (Some(changes), truncated)
        }
        _ => (None, false),
    };
    let drawn = design.as_ref().filter(|_| input.include_dependency_graph == Some(true)).map(drawn);
    Ok(Content {
        kind: input.kind,
        project,
        plans,
        design,
        context,
        prompts: vec![],
        dependency_graph: drawn,
        changelog,
        changelog_truncated,
    })
}

fn drawn(design: &Design) -> String {
    let graph = design.graph();
    graph.mermaid(&(0..graph.nodes().len()).collect()).text
}

/// Returns the given systems, or all, in their order.
fn phases(graph: Graph, input: &Input) -> Result<Checked, ActionError> {
    if let Some(systems) = &input.systems {
        return Checked::of_refs(graph, systems);
    }
    let ids: Vec<Id> = graph.nodes().iter().map(|node| node.id).collect();
    Checked::of_ids(graph, &ids)
}

async fn read(tx: &mut Tx, project: Id, checked: &Checked, input: &Input) -> Result<Design, ActionError> {
    let design = Design::read(tx, project, &checked.graph, &checked.scope.phases, MAX_EXPORT).await?;
    design.ok_or_else(|| too_large(input))
}

/// Returns what the systems depend on directly and that is not among them.
async fn context(
    tx: &mut Tx,
    project: Id,
    checked: &Checked,
    input: &Input,
) -> Result<Vec<Purpose>, ActionError> {
    let (graph, chosen) = (&checked.graph, checked.scope.order.iter().collect::<BTreeSet<_>>());
    let outside = |edge: &&Edge| chosen.contains(&edge.source) && !chosen.contains(&edge.target);
    let targets: BTreeSet<usize> = graph.edges().iter().filter(outside).map(|edge| edge.target).collect();
    let ids: Vec<Id> = targets.iter().map(|node| graph.nodes()[*node].id).collect();
    let (mut context, mut bytes) = (Vec::new(), 0);
    // In batches, so that what is too large is not all in memory.
    for batch in ids.chunks(100) {
        let purposes = systems::purposes(tx, project, batch).await?;
        bytes += purposes.iter().filter_map(|other| other.purpose.as_ref()).map(String::len).sum::<usize>();
        if bytes > MAX_EXPORT {
            return Err(too_large(input));
        }
        context.extend(purposes);
    }
    Ok(context)
}

async fn design_of_plan(
    tx: &mut Tx,
    project: Id,
    graph: Graph,
    row: &PlanRow,
    input: &Input,
) -> Result<Design, ActionError> {
    if let Some(snapshot) = &row.snapshot {
        return Ok(Design::of_snapshot(snapshot)?);
    }
    let ids = plans::systems(tx, project, row.id).await?;
    read(tx, project, &Checked::of_ids(graph, &ids)?, input).await
}

/// Returns all plans with their phases, newest first. A finalized one shows those that it had.
async fn all_plans(
    tx: &mut Tx,
    project: Id,
    mut graph: Graph,
    input: &Input,
) -> Result<Vec<Plan>, ActionError> {
    refuse_large_snapshots(plans::snapshot_bytes(tx, project).await?)?;
    let mut systems: HashMap<Id, Vec<Id>> = HashMap::new();
    for (plan, system) in plans::all_systems(tx, project).await? {
        systems.entry(plan).or_default().push(system);
    }
    let (mut all, mut bytes) = (Vec::new(), 0);
    for row in plans::list(tx, project, None, Cursor::START, MAX_PLANS).await? {
        let phases = if row.finalized_at.is_some() {
            let phases = plans::phases(tx, project, row.id).await?;
            bytes += phases.len();
            if bytes > MAX_EXPORT {
                return Err(too_large(input));
            }
            Design::phases_of_json(&phases)?
        } else {
            let checked = Checked::of_ids(graph, systems.get(&row.id).map_or(&[], Vec::as_slice))?;
            let phases = checked.view().phases;
            graph = checked.graph;
            phases
        };
        all.push(Plan { row, phases });
    }
    Ok(all)
}

/// Returns the 422 of a roadmap of plans whose snapshots are too large to read in one call.
fn refuse_large_snapshots(bytes: i64) -> Result<(), ActionError> {
    if bytes <= MAX_SNAPSHOTS {
        return Ok(());
    }
    let text = format!("needs finalized plans of at most {MAX_SNAPSHOTS} bytes together; these have {bytes}");
    Err(ActionError::invalid("/type", "size", text).hint("export the plans as `version_prd`, one at a time"))
}

/// Returns the changes of the systems until a time, and whether the project has older ones than an export can show.
async fn changelog(
    tx: &mut Tx,
    project: Id,
    design: &Design,
    until: Option<Ts>,
) -> Result<(BTreeMap<Id, Vec<ChangeRow>>, bool), StoreError> {
    let shown: BTreeSet<Id> = design.systems.iter().map(|system| system.row.id).collect();
    let mut newest = systems::all_changes(tx, project, until, MAX_CHANGES + 1).await?;
    let truncated = number(newest.len()) > MAX_CHANGES;
    if truncated {
        newest.pop();
    }
    let mut changes: BTreeMap<Id, Vec<ChangeRow>> = BTreeMap::new();
    for change in newest.into_iter().filter(|change| shown.contains(&change.system_id)) {
        changes.entry(change.system_id).or_default().push(change);
    }
    Ok((changes, truncated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roadmap_reads_a_limited_number_of_bytes() {
        refuse_large_snapshots(MAX_SNAPSHOTS).unwrap();
        let refused = refuse_large_snapshots(MAX_SNAPSHOTS + 1).unwrap_err();
        assert!(refused.hint.unwrap().contains("`version_prd`"));
    }
}
