//! Exports of an empty and a small project, in both formats.

use serde_json::Value;
use toolcrib_model::Ts;

use super::*;
use crate::{
    graph::{DependencyType, Graph, SystemName},
    markdown::parse,
    system::{Criticality, MAX_TEXT, SystemStatus, Texts},
    tables::{
        projects::ProjectStatus,
        systems::{ChangeKind, SystemRow},
    },
    view::Link,
};

const AT: Ts = Ts::from_micros(1_768_471_200_000_000);

fn system(id: u128, slug: &str, purpose: &str) -> System {
    let row = SystemRow {
        id: Id::from_u128(id),
        name: slug.to_uppercase(),
        slug: slug.into(),
        status: SystemStatus::Draft,
        mvp_criticality: Criticality::Critical,
        brainstorm_id: None,
        created_by: Id::nil(),
        created_at: AT,
        updated_at: AT,
        version: 1,
    };
    System { row, texts: Texts { purpose: Some(purpose.into()), ..Texts::default() } }
}

/// `a` requires `b` and may use `c`.
fn design() -> Design {
    let systems = vec![system(1, "a", "## hits"), system(2, "b", "moves"), system(3, "c", "sings")];
    let node = |system: &System| SystemName::from(&system.row);
    let id = Id::from_u128;
    let edges = [(id(1), id(2), DependencyType::Requires), (id(1), id(3), DependencyType::Optional)];
    let graph = Graph::new(systems.iter().map(node).collect(), edges);
    Design::new(&graph, &[vec![1, 2], vec![0]], systems)
}

fn content(kind: ExportType, design: Option<Design>) -> Content {
    let project = ProjectRow {
        id: Id::nil(),
        name: "Game".into(),
        description: Some("# not a title".into()),
        genre: Some("rpg".into()),
        platform: None,
        status: ProjectStatus::Production,
        created_by: Id::nil(),
        created_at: AT,
        updated_at: AT,
        version: 1,
    };
    Content {
        kind,
        project,
        plans: vec![],
        design,
        context: vec![],
        prompts: vec![],
        dependency_graph: None,
        changelog: None,
        changelog_truncated: false,
    }
}

fn plan(phases: Vec<Vec<String>>) -> Plan {
    let row = PlanRow {
        id: Id::nil(),
        version_label: "v1".into(),
        title: "First".into(),
        description: Some("All of it".into()),
        status: PlanStatus::Draft,
        created_by: Id::nil(),
        created_at: AT,
        finalized_by: None,
        finalized_at: None,
        sha256: None,
        snapshot: Some("{}".into()),
    };
    Plan { row, phases }
}

fn markdown(content: Content) -> String {
    content.render(ExportFormat::Markdown).unwrap()
}

fn json(content: Content) -> Value {
    serde_json::from_str(&content.render(ExportFormat::Json).unwrap()).unwrap()
}

#[test]
fn a_design_document_has_systems_in_order_with_types() {
    let mut content = content(ExportType::Gdd, Some(design()));
    content.dependency_graph = Some("flowchart RL\n".into());
    let text = markdown(content);
    let head = "# Game design document: Game\n\n- Status: production\n- Genre: rpg\n\n## About\n\n\
        ~~~ verbatim\n# not a title\n~~~\n\n## Dependency Graph\n\n\
        ```mermaid\nflowchart RL\n```\n\n# System: B\n";
    assert!(text.starts_with(head), "{text}");
    let places = ["# System: B", "# System: C", "# System: A"].map(|title| text.find(title).unwrap());
    assert!(places.is_sorted());
    assert!(text.contains("\n## Dependencies\n\n- b\n- c (optional)\n"), "{text}");
    assert!(text.contains("\n## Depended On By\n\n- a (requires)\n"), "{text}");
}

#[test]
fn a_system_document_is_what_an_import_takes() {
    let (design, mut content) = (design(), content(ExportType::SystemDoc, Some(design())));
    let change = ChangeRow {
        kind: ChangeKind::Updated,
        summary: Some("## faster".into()),
        fields: vec![],
        changed_by: Id::nil(),
        changed_at: AT,
        id: Id::nil(),
        system_id: Id::from_u128(1),
        system_name: String::new(),
    };
    content.changelog = Some([(change.system_id, vec![change])].into());
    let read = parse(&markdown(content)).unwrap();
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let log = "- 2026-01-15T10:00:00.000000Z updated: ## faster";
    let described =
        |system: &System| design.links().described(system, (system.row.slug == "a").then(|| log.to_owned()));
    assert_eq!(read.systems, design.systems.iter().map(described).collect::<Vec<_>>());
}

#[test]
fn plans_show_their_phases() {
    let mut content = content(ExportType::Roadmap, None);
    content.plans = vec![plan(design().phases), plan(vec![])];
    let text = markdown(content);
    let first =
        "\n## v1: First\n\nDraft. 3 systems in 2 phases.\n\n1. b, c\n\n2. a\n\n## About v1\n\nAll of it\n";
    assert!(text.contains(first), "{text}");
    assert!(text.contains("Draft. 0 systems in 0 phases."), "{text}");
}

/// A genre, a platform or the title of a plan begins no part of a document.
#[test]
fn texts_of_one_line_stay_in_it() {
    let mut content = content(ExportType::Roadmap, None);
    content.project.genre = Some("rpg\n# System: Evil".into());
    content.project.platform = Some("\r\n## System ID\u{202e}".into());
    content.plans = vec![plan(vec![])];
    content.plans[0].row.title = "First\n\n# System: Evil".into();
    let text = markdown(content);
    assert!(text.contains("\n- Genre: rpg # System: Evil\n- Platform: ## System ID\\u{202e}\n"), "{text}");
    assert!(text.contains("\n## v1: First # System: Evil\n"), "{text}");
}

#[test]
fn a_prompt_has_the_system_and_what_it_builds_on() {
    let found = json(content(ExportType::PromptBundle, Some(design())));
    let prompts = found["prompts"].as_array().unwrap();
    assert_eq!([&prompts[0]["slug"], &prompts[2]["slug"]], ["b", "a"]);
    let prompt = prompts[2]["prompt"].as_str().unwrap();
    assert!(prompt.starts_with("Build the system `A` of the game `Game`.\n"), "{prompt}");
    assert!(prompt.contains("\n## What it builds on: B\n\nmoves\n"), "{prompt}");
    let text = markdown(content(ExportType::PromptBundle, Some(design())));
    assert!(text.contains("\n## Prompt for `a`\n\n~~~~ verbatim\nBuild the system"), "{text}");
}

#[test]
fn a_purpose_that_all_prompts_hold_is_not_repeated_without_end() {
    let mut systems = vec![system(0, "hub", &"x".repeat(MAX_TEXT))];
    systems.extend((1..400).map(|id| system(id, &format!("s{id}"), "small")));
    let link = |system: &System| Link {
        source: system.row.slug.clone(),
        target: "hub".into(),
        kind: DependencyType::Requires,
    };
    let design = Design { dependencies: systems.iter().skip(1).map(link).collect(), systems, phases: vec![] };
    let bytes = json(content(ExportType::PromptBundle, Some(design))).to_string().len();
    assert!((MAX_EXPORT..MAX_EXPORT + 3 * MAX_TEXT).contains(&bytes), "{bytes}");
}

#[test]
fn json_holds_every_field() {
    let mut content = content(ExportType::VersionPrd, Some(design()));
    content.plans = vec![plan(design().phases)];
    let found = json(content);
    assert_eq!((&found["type"], &found["project"]["genre"]), (&"version_prd".into(), &"rpg".into()));
    assert_eq!(found["plans"][0]["version_label"], "v1");
    assert_eq!(found["plans"][0].get("snapshot"), None);
    let system = &found["design"]["systems"][2];
    for (field, _) in Texts::FIELDS {
        assert!(system.get(field).is_some(), "{field}");
    }
    assert_eq!((&system["purpose"], &system["mvp_criticality"]), (&"## hits".into(), &"critical".into()));
    let expected = serde_json::json!({ "source": "a", "target": "b", "type": "requires" });
    assert_eq!(found["design"]["dependencies"][0], expected);
    assert_eq!(found["design"]["phases"], serde_json::json!([["b", "c"], ["a"]]));
}

#[test]
fn an_empty_project_has_exports_too() {
    let empty = || Design { systems: vec![], dependencies: vec![], phases: vec![] };
    for kind in ExportType::ALL {
        let text = markdown(content(*kind, Some(empty())));
        assert_eq!(text.is_empty(), *kind == ExportType::SystemDoc, "{kind}: {text}");
        assert_eq!(json(content(*kind, Some(empty())))["type"], kind.as_str());
    }
}

#[test]
fn a_snapshot_is_read_back_and_has_its_hash() {
    let (text, hash) = design().snapshot().unwrap();
    assert_eq!(Design::of_snapshot(&text).unwrap().snapshot().unwrap(), (text, hash.clone()));
    assert_eq!(hash.len(), 64);
    let other = Design { phases: vec![], ..design() };
    assert_ne!(other.snapshot().unwrap().1, hash);
}
