//! Creates the systems that a Markdown document describes, all or none.

use std::collections::{HashMap, HashSet};

use toolcrib_engine::prelude::*;
use toolcrib_registry::ArgError;

use super::{announce, check_brainstorm, record, within_systems};
use crate::{
    graph::{Graph, SystemName},
    markdown::{self, Described, Document, MAX_NOTES, Note},
    permissions, project,
    shared::{Ref, SOURCE, actor, number},
    system::{Criticality, SystemStatus, within_dependencies},
    tables::{
        dependencies::{self, DependencyRow},
        projects::{self, Lock},
        systems::{self, ChangeKind, System, SystemRow},
    },
    view,
};

/// The number of bytes of a document.
const MAX_MARKDOWN: usize = 256 * 1024;

pub struct ImportSystemFromMarkdown;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID or exact name.
    pub project: Option<Ref>,
    /// Up to 50 systems. Each begins with `# System: NAME` and has `## System ID` and other sections, at most 256 KiB.
    #[schemars(length(min = 1, max = 262_144), extend("x-raw" = true))]
    pub markdown: String,
    /// ID of the brainstorm that they are made from.
    pub from_brainstorm: Option<Id>,
}

/// What was imported.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The new systems, in the order of the document.
    pub systems: Vec<SystemName>,
    /// Number of dependencies of the new systems.
    pub dependencies: usize,
    /// What was not read or names nothing.
    pub warnings: Vec<Warning>,
    /// What was read and is not stored: versions, dependents and change logs.
    pub not_stored: Vec<NotStored>,
}

/// A remark on a part of the document.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Warning {
    /// Line of the document, from 1; null if it is about a whole system.
    pub line: Option<usize>,
    /// Section or slug.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub at: String,
    /// What is the matter.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub message: String,
}

/// What a system's document says beside the system.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotStored {
    /// Slug of the system.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub slug: String,
    /// Section `Version`.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub version: Option<String>,
    /// Section `Depended On By`.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub depended_on_by: Option<String>,
    /// Section `Change Log`.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub change_log: Option<String>,
}

impl WriteAction for ImportSystemFromMarkdown {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        permissions::manage("game_import_system_from_markdown")
            .creates()
            .large_body()
            .describe("Create game systems from a Markdown document, with the dependencies among them. All or nothing.")
            .tags(&["game", "system", "design", "markdown", "import", "upload"])
            .examples(&["Import this design document", "Create the systems from this Markdown", "Load our system docs"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let project = project::to_change(cx, &mut input.project).await?;
        let document = parse(&input.markdown)?;
        check_brainstorm(cx.tx, project.id, input.from_brainstorm).await?;
        let label = format!("{} of project `{}`", count(document.systems.len(), "new system"), project.name);
        let target = Target { label, ..Target::default() };
        Ok(target.naming("project", &project.name))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let project = project::lock(cx, input.project.as_ref(), Lock::Change).await?.id;
        check_brainstorm(cx.tx, project, input.from_brainstorm).await?;
        let document = parse(&input.markdown)?;
        let counts = projects::counts(cx.tx, project).await?;
        within_systems(counts.systems + number(document.systems.len()))?;
        let old = dependencies::graph(cx.tx, project).await?;
        refuse_taken(&document, &old)?;
        let new: Vec<System> =
            document.systems.iter().map(|one| system(cx, one, input.from_brainstorm)).collect();
        let mut warnings: Vec<Warning> = document.warnings.into_iter().map(Warning::from).collect();
        let edges = edges(&document.systems, &new, &old, &mut warnings);
        within_dependencies(counts.dependencies + number(edges.len()))?;
        refuse_cycle(&old, &new, &edges)?;
        for system in &new {
            systems::insert(cx.tx, project, system).await?;
            record(cx, project, &system.row, ChangeKind::Imported, None, vec![]).await?;
        }
        dependencies::insert(cx.tx, project, &edges).await?;
        announce(cx, project, &new.iter().map(|system| system.row.id).collect::<Vec<_>>());
        Ok(Output {
            systems: new.iter().map(|system| (&system.row).into()).collect(),
            dependencies: edges.len(),
            warnings,
            not_stored: document.systems.into_iter().filter_map(not_stored).collect(),
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let dependencies = count(output.dependencies, "dependency");
        format!("Imported {} with {dependencies}", count(output.systems.len(), "system"))
    }
}

/// Parses the document. 422 with all its defects.
fn parse(markdown: &str) -> Result<Document, ActionError> {
    if markdown.len() > MAX_MARKDOWN {
        return Err(ActionError::invalid("/markdown", "maxLength", "must be at most 256 KiB of UTF-8"));
    }
    markdown::parse(markdown).map_err(|defects| {
        let error = |defect: &Note| {
            let section =
                if defect.section.is_empty() { String::new() } else { format!(", `{}`", defect.section) };
            ArgError::new(
                "/markdown",
                "markdown",
                format!("line {}{section}: {}", defect.line, defect.message),
            )
        };
        ActionError::invalid_all(defects.iter().map(error).collect()).quoting(SOURCE)
    })
}

fn refuse_taken(document: &Document, old: &Graph) -> Result<(), ActionError> {
    let known: HashSet<&str> = old.nodes().iter().map(|node| node.slug.as_str()).collect();
    let taken = document.systems.iter().filter(|system| known.contains(system.slug.as_str()));
    let taken: Vec<String> = taken.map(|system| format!("`{}`", system.slug)).collect();
    if taken.is_empty() {
        return Ok(());
    }
    Err(ActionError::conflict(format!(
        "the project has systems with these slugs already: {}",
        taken.join(", ")
    ))
    .quoting(SOURCE)
    .hint("an import only creates; change them with `game_update_game_system`"))
}

fn system(cx: &WriteCx<'_>, described: &Described, brainstorm_id: Option<Id>) -> System {
    let row = SystemRow {
        id: cx.new_id(),
        name: described.name.clone(),
        slug: described.slug.clone(),
        status: described.status.unwrap_or(SystemStatus::Draft),
        mvp_criticality: described.mvp_criticality.unwrap_or(Criticality::Important),
        brainstorm_id,
        created_by: actor(cx.caller),
        created_at: cx.now,
        updated_at: cx.now,
        version: 1,
    };
    let mut texts = described.texts.clone();
    texts.drop_blank();
    System { row, texts }
}

/// Returns the dependencies of the new systems on new and old ones. A slug that neither has is a warning.
fn edges(
    described: &[Described],
    new: &[System],
    old: &Graph,
    warnings: &mut Vec<Warning>,
) -> Vec<DependencyRow> {
    let mut ids: HashMap<&str, Id> = old.nodes().iter().map(|node| (node.slug.as_str(), node.id)).collect();
    ids.extend(new.iter().map(|system| (system.row.slug.as_str(), system.row.id)));
    let (mut edges, mut unknown) = (Vec::new(), 0);
    for (system, described) in new.iter().zip(described) {
        for (slug, kind) in &described.dependencies {
            if let Some(id) = ids.get(slug.as_str()) {
                edges.push(DependencyRow { source_id: system.row.id, target_id: *id, kind: *kind });
                continue;
            }
            unknown += 1;
            if unknown <= MAX_NOTES {
                let message = format!("There is no system `{slug}` to depend on");
                warnings.push(Warning { line: None, at: described.slug.clone(), message });
            }
        }
    }
    if unknown > MAX_NOTES {
        let message = format!("And {} more dependencies on unknown systems", unknown - MAX_NOTES);
        warnings.push(Warning { line: None, at: String::new(), message });
    }
    edges
}

fn refuse_cycle(old: &Graph, new: &[System], edges: &[DependencyRow]) -> Result<(), ActionError> {
    // Old systems depend on no new one, so that a cycle has new systems only.
    let new = new.iter().map(|system| SystemName::from(&system.row));
    let nodes = old.nodes().iter().cloned().chain(new).collect();
    let whole = Graph::new(nodes, edges.iter().map(|edge| (edge.source_id, edge.target_id, edge.kind)));
    whole.layers().map(|_| ()).map_err(|path| view::cycle(&whole, &path))
}

fn not_stored(described: Described) -> Option<NotStored> {
    let Described { slug, version, depended_on_by, change_log, .. } = described;
    let any = version.is_some() || depended_on_by.is_some() || change_log.is_some();
    any.then_some(NotStored { slug, version, depended_on_by, change_log })
}

impl From<Note> for Warning {
    fn from(note: Note) -> Self {
        Self { line: Some(note.line), at: note.section, message: note.message }
    }
}
