//! Exports: what they hold, as JSON or rendered as Markdown. Pure.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt::Write as _};

use toolcrib_engine::prelude::*;
use toolcrib_store::StoreError;

use crate::{
    design::Design,
    markdown::{one_line, render, section},
    tables::{
        exports::{ExportFormat, ExportType},
        plans::{PlanRow, PlanStatus},
        projects::ProjectRow,
        systems::{ChangeKind, ChangeRow, Purpose, System},
    },
};

/// The number of bytes of an export.
pub const MAX_EXPORT: usize = 4 * 1024 * 1024;
/// The first change of a system is one of these.
const BEGINNINGS: [ChangeKind; 2] = [ChangeKind::Created, ChangeKind::Imported];

#[derive(Debug, Serialize)]
pub struct Content {
    #[serde(rename = "type")]
    pub kind: ExportType,
    pub project: ProjectRow,
    /// The plan of a `version_prd`, all plans of a `roadmap`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plans: Vec<Plan>,
    /// The systems of all other types, and of a `version_prd`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design: Option<Design>,
    /// What the systems of a `prompt_bundle` depend on and that is not among them.
    #[serde(skip)]
    pub context: Vec<Purpose>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<Prompt>,
    /// The dependency graph as Mermaid text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependency_graph: Option<String>,
    /// Changes by system, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<BTreeMap<Id, Vec<ChangeRow>>>,
    /// Whether the project has older changes, which are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub changelog_truncated: bool,
}

/// A plan with its systems by phase.
#[derive(Debug, Serialize)]
pub struct Plan {
    #[serde(flatten)]
    pub row: PlanRow,
    pub phases: Vec<Vec<String>>,
}

/// What to say to a model that builds one system.
#[derive(Debug, Serialize)]
pub struct Prompt {
    pub slug: String,
    pub prompt: String,
}

impl Content {
    /// Renders the content. Equal content gives equal bytes.
    pub fn render(mut self, format: ExportFormat) -> Result<String, StoreError> {
        if self.kind == ExportType::PromptBundle {
            let design = self.design.take();
            self.prompts = design.iter().flat_map(|design| self.prompts_of(design)).collect();
        }
        match format {
            ExportFormat::Json => serde_json::to_string_pretty(&self)
                .map_err(|error| StoreError::Inconsistent(error.to_string())),
            ExportFormat::Markdown => Ok(self.markdown()),
        }
    }

    fn markdown(&self) -> String {
        let mut text = String::new();
        if self.kind != ExportType::SystemDoc {
            self.head(&mut text);
        }
        for plan in &self.plans {
            write_plan(&mut text, plan);
        }
        let graph =
            self.dependency_graph.as_ref().map(|graph| format!("```mermaid\n{}\n```", graph.trim_end()));
        section(&mut text, "Dependency Graph", graph.as_deref());
        if let Some(design) = &self.design {
            let links = design.links();
            for system in &design.systems {
                let separator = if text.is_empty() { "" } else { "\n" };
                let described = links.described(system, self.change_log(system));
                let _ = write!(text, "{separator}{}", render(&described));
            }
        }
        for prompt in &self.prompts {
            section(&mut text, &format!("Prompt for `{}`", prompt.slug), Some(&prompt.prompt));
        }
        text
    }

    fn head(&self, text: &mut String) {
        let ProjectRow { name, description, genre, platform, status, .. } = &self.project;
        let _ = writeln!(text, "# {}: {name}\n\n- Status: {status}", self.kind.title());
        for (title, value) in [("Genre", genre), ("Platform", platform)] {
            if let Some(value) = value {
                let _ = writeln!(text, "- {title}: {}", one_line(value));
            }
        }
        section(text, "About", description.as_deref());
    }

    fn change_log(&self, system: &System) -> Option<String> {
        let changes = self.changelog.as_ref()?.get(&system.row.id).map_or(&[][..], Vec::as_slice);
        let mut lines: Vec<String> = changes.iter().map(line_of).collect();
        let is_whole = changes.iter().any(|ChangeRow { kind, .. }| BEGINNINGS.contains(kind));
        if self.changelog_truncated && !is_whole {
            lines.push("- older changes are left out".to_owned());
        }
        Some(lines.join("\n")).filter(|log| !log.is_empty())
    }

    /// Returns the prompts of all systems, or enough of them to exceed [`MAX_EXPORT`].
    fn prompts_of(&self, design: &Design) -> Vec<Prompt> {
        let context = self.context.iter().map(|other| (&*other.slug, (&other.name, &other.purpose)));
        let own =
            design.systems.iter().map(|System { row, texts }| (&*row.slug, (&row.name, &texts.purpose)));
        let by_slug: BTreeMap<&str, (&String, &Option<String>)> = context.chain(own).collect();
        let links = design.links();
        let prompt = |system: &System| {
            let mut prompt =
                format!("Build the system `{}` of the game `{}`.\n", system.row.name, self.project.name);
            section(&mut prompt, "The Game", self.project.description.as_deref());
            let _ = write!(prompt, "\n{}", render(&links.described(system, self.change_log(system))));
            let own = links.of(&system.row.slug);
            for (name, purpose) in own.filter_map(|link| by_slug.get(link.target.as_str())) {
                let purpose = purpose.as_deref().unwrap_or("It has no description yet.");
                section(&mut prompt, &format!("What it builds on: {name}"), Some(purpose));
            }
            Prompt { slug: system.row.slug.clone(), prompt }
        };
        let mut bytes = 0;
        // Many prompts can hold the same long purpose: what is larger than an export is not made in memory first.
        let fits = |prompt: &Prompt| {
            let before = bytes;
            bytes += prompt.prompt.len();
            before <= MAX_EXPORT
        };
        design.systems.iter().map(prompt).take_while(fits).collect()
    }
}

fn line_of(change: &ChangeRow) -> String {
    let fields =
        if change.fields.is_empty() { String::new() } else { format!(" ({})", change.fields.join(", ")) };
    let summary = change.summary.as_deref().map(|summary| format!(": {summary}")).unwrap_or_default();
    format!("- {} {}{fields}{summary}", change.changed_at, change.kind.to_string().replace('_', " "))
}

fn write_plan(text: &mut String, plan: &Plan) {
    let PlanRow { version_label, title, description, status, finalized_at, sha256, .. } = &plan.row;
    let systems: usize = plan.phases.iter().map(Vec::len).sum();
    let mut about = match (status, finalized_at, sha256) {
        (PlanStatus::Finalized, Some(at), Some(sha256)) => format!("Finalized at {at}, SHA-256 `{sha256}`."),
        _ => "Draft.".to_owned(),
    };
    let _ = write!(about, " {} in {}.", count(systems, "system"), count(plan.phases.len(), "phase"));
    for (at, phase) in plan.phases.iter().enumerate() {
        let _ = write!(about, "\n\n{}. {}", at + 1, phase.join(", "));
    }
    section(text, &format!("{version_label}: {}", one_line(title)), Some(&about));
    if let Some(description) = description {
        section(text, &format!("About {version_label}"), Some(description));
    }
}
