//! Exports of an empty, a small and a large project.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolcrib_testkit::{Person, TestDb, both_databases, postgres};

use crate::{
    limits::largest,
    place::{Place, edge, fields, text},
};

const TYPES: [&str; 5] = ["gdd", "version_prd", "system_doc", "roadmap", "prompt_bundle"];

/// Makes an export, and returns its content.
pub async fn export(owner: &Person<'_>, arguments: Value) -> String {
    let made = owner.done("game_generate_export", arguments.clone()).await;
    let list = json!({ "project": arguments["project"], "export": made["id"] });
    let content = text(&owner.done("game_list_exports", list).await["content"]);
    assert_eq!(made["bytes"], content.len());
    content
}

pub async fn json_of(owner: &Person<'_>, mut arguments: Value) -> Value {
    arguments["format"] = "json".into();
    serde_json::from_str(&export(owner, arguments).await).unwrap()
}

#[both_databases]
async fn an_empty_project_has_exports_of_what_needs_no_plan_or_system(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    for kind in TYPES {
        let arguments = json!({ "project": quest, "type": kind });
        match kind {
            "version_prd" | "system_doc" => {
                let problem = owner.problem("game_generate_export", arguments).await;
                let needs = if kind == "version_prd" { "/plan" } else { "/systems" };
                assert_eq!((problem.status, &*problem.errors[0].pointer), (422, needs), "{kind}");
            }
            _ => {
                assert!(export(&owner, arguments.clone()).await.starts_with("# "), "{kind}");
                assert_eq!(json_of(&owner, arguments).await["project"]["id"], *quest, "{kind}");
            }
        }
    }
    let odd = json!({ "project": quest, "type": "gdd", "plan": "v1" });
    assert_eq!(owner.problem("game_generate_export", odd).await.status, 422);
}

#[both_databases]
async fn arguments_that_a_type_does_not_take_are_refused_all_at_once(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let refused = json!({
        "project": quest, "type": "roadmap", "plan": "v1", "systems": ["a"],
        "include_changelog": true, "include_dependency_graph": true,
    });
    let problem = owner.problem("game_generate_export", refused).await;
    let pointers: Vec<&str> = problem.errors.iter().map(|error| &*error.pointer).collect();
    let all = ["/plan", "/systems", "/include_changelog", "/include_dependency_graph"];
    assert_eq!((problem.status, &pointers[..]), (422, &all[..]));
    let text = "is for types with systems, not for `roadmap`";
    assert!(problem.errors[2..].iter().all(|error| error.message == text), "{problem:?}");
    let without = json!({ "project": quest, "type": "roadmap", "include_changelog": false });
    export(&owner, without).await;
}

/// Makes a project with three systems that have texts, a draft and a finalized plan.
async fn small(place: &Place) -> String {
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    for (slug, purpose) in [("a", "First\n\n## Not a section"), ("b", "```\nopen"), ("c", "Last")] {
        let arguments = json!({
            "project": quest, "name": slug.to_uppercase(), "slug": slug, "purpose": purpose,
            "core_mechanics": "Mechanics", "open_questions": "How?", "status": "review",
        });
        owner.done("game_create_game_system", arguments).await;
    }
    place.require(&quest, &[("a", "b")]).await;
    let mut enhances = edge(&quest, "c", "a");
    enhances["type"] = "enhances".into();
    owner.done("game_add_dependency", enhances).await;
    for (label, systems) in [("v1", json!(["a", "b"])), ("v2", json!(["c"]))] {
        let plan = json!({ "project": quest, "version_label": label, "title": label, "systems": systems });
        owner.done("game_create_version_plan", plan).await;
    }
    owner.confirmed("game_finalize_version_plan", json!({ "project": quest, "plan": "v1" })).await;
    quest
}

#[both_databases]
async fn the_json_of_an_export_holds_the_rows(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), small(&place).await);
    let options = json!({
        "project": quest, "type": "gdd", "include_changelog": true, "include_dependency_graph": true,
    });
    let markdown = export(&owner, options.clone()).await;
    assert!(markdown.contains(" dependency added (b)"), "{markdown}");
    let gdd = json_of(&owner, options).await;
    let systems = gdd["design"]["systems"].as_array().unwrap();
    assert_eq!(fields(&gdd["design"]["systems"], "slug"), ["b", "c", "a"]);
    for system in systems {
        let named = json!({ "project": quest, "system": system["slug"] });
        let mut row = owner.done("game_get_game_system", named).await;
        let row = row.as_object_mut().unwrap();
        let (changes, _) = (row.remove("changes").unwrap(), row.remove("depends_on"));
        row.remove("depended_on_by");
        assert_eq!(system, &json!(row));
        assert_eq!(gdd["changelog"][text(&system["id"])], changes);
    }
    let links = json!([
        { "source": "a", "target": "b", "type": "requires" },
        { "source": "c", "target": "a", "type": "enhances" },
    ]);
    assert_eq!(gdd["design"]["dependencies"], links);
    assert!(text(&gdd["dependency_graph"]).contains("-->"));
    let mut project = owner.done("game_get_project", json!({ "project": quest })).await;
    project.as_object_mut().unwrap().remove("counts");
    assert_eq!(gdd["project"], project);
    let roadmap = json_of(&owner, json!({ "project": quest, "type": "roadmap" })).await;
    assert_eq!(fields(&roadmap["plans"], "version_label"), ["v2", "v1"]);
    for plan in roadmap["plans"].as_array().unwrap() {
        let named = json!({ "project": quest, "plan": plan["version_label"] });
        let mut row = owner.done("game_get_version_plan", named).await;
        for field in ["systems", "missing", "warnings"] {
            row.as_object_mut().unwrap().remove(field);
        }
        assert_eq!(plan, &row);
    }
    let prompts =
        json_of(&owner, json!({ "project": quest, "type": "prompt_bundle", "systems": ["a"] })).await;
    assert_eq!(fields(&prompts["prompts"], "slug"), ["a"]);
}

/// Of a snapshot, a roadmap reads nothing but the phases.
#[both_databases]
async fn a_roadmap_reads_the_phases_of_finalized_plans(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), small(&place).await);
    let snapshot = json!({ "systems": 0, "phases": [["x"], ["y", "z"]] });
    let update = format!("UPDATE game_plans SET snapshot = '{snapshot}' WHERE status = 'finalized'");
    place.db.raw_sql(&update).await;
    let roadmap = json_of(&owner, json!({ "project": quest, "type": "roadmap" })).await;
    assert_eq!(roadmap["plans"][1]["phases"], snapshot["phases"]);
}

#[both_databases]
async fn a_prompt_has_its_context_where_the_bundle_is_narrowed(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), small(&place).await);
    let all = json_of(&owner, json!({ "project": quest, "type": "prompt_bundle" })).await;
    assert_eq!(fields(&all["prompts"], "slug"), ["b", "c", "a"]);
    let of_a = "B\n\n~~~ verbatim\n```\nopen\n";
    for (slug, whole, builds_on) in [("a", 2, of_a), ("c", 1, "A\n\n~~~ verbatim\nFirst\n")] {
        let narrow = json!({ "project": quest, "type": "prompt_bundle", "systems": [slug] });
        let narrow = json_of(&owner, narrow).await;
        let [found] = &narrow["prompts"].as_array().unwrap()[..] else { panic!("{narrow}") };
        for prompt in [found, &all["prompts"][whole]].map(|prompt| text(&prompt["prompt"])) {
            assert!(prompt.contains(&format!("\n## What it builds on: {builds_on}")), "{prompt}");
        }
    }
}

#[both_databases]
async fn a_system_doc_is_what_an_import_takes(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), small(&place).await);
    let other = place.project("Copy").await;
    let doc =
        export(&owner, json!({ "project": quest, "type": "system_doc", "systems": ["a", "b", "c"] })).await;
    let imported =
        owner.done("game_import_system_from_markdown", json!({ "project": other, "markdown": doc })).await;
    assert_eq!(
        (fields(&imported["systems"], "slug"), &imported["dependencies"]),
        (vec!["b".into(), "c".into(), "a".into()], &json!(2))
    );
    let gdd = async |project: &str| {
        json_of(&owner, json!({ "project": project, "type": "gdd" })).await["design"].clone()
    };
    let (old, new) = (gdd(&quest).await, gdd(&other).await);
    assert_eq!((&old["dependencies"], &old["phases"]), (&new["dependencies"], &new["phases"]));
    for (old, new) in old["systems"].as_array().unwrap().iter().zip(new["systems"].as_array().unwrap()) {
        for field in
            ["name", "slug", "status", "mvp_criticality", "purpose", "core_mechanics", "open_questions"]
        {
            assert_eq!(old[field], new[field], "{field}");
        }
    }
}

/// Imports 50 systems with this many bytes of purpose each. Each requires the one before it.
async fn import_fifty(owner: &Person<'_>, project: &str, from: usize, bytes: usize) {
    let mut markdown = String::new();
    for at in from..from + 50 {
        let purpose = "x".repeat(bytes);
        write!(markdown, "# System: S{at:04}\n\n## System ID\n\ns{at:04}\n\n## Purpose\n\n{purpose}\n\n")
            .unwrap();
        if at > 0 {
            write!(markdown, "## Dependencies\n\n- s{:04}\n\n", at - 1).unwrap();
        }
    }
    let arguments = json!({ "project": project, "markdown": markdown });
    owner.done("game_import_system_from_markdown", arguments).await;
}

#[both_databases]
async fn an_export_has_at_most_four_mebibytes(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    for batch in 0..15 {
        import_fifty(&owner, &quest, batch * 50, 4_500).await;
    }
    let large = export(&owner, json!({ "project": quest, "type": "gdd" })).await;
    assert!((3_300_000..=4 << 20).contains(&large.len()) && large.contains("s0749"), "{}", large.len());
    let whole = json_of(&owner, json!({ "project": quest, "type": "gdd" })).await;
    let expected: Vec<String> = (0..750).map(|at| format!("s{at:04}")).collect();
    assert_eq!(fields(&whole["design"]["systems"], "slug"), expected);
    for batch in 15..20 {
        import_fifty(&owner, &quest, batch * 50, 4_500).await;
    }
    for kind in ["gdd", "prompt_bundle"] {
        let problem = owner.problem("game_generate_export", json!({ "project": quest, "type": kind })).await;
        assert_eq!((problem.status, &*problem.errors[0].code), (422, "size"), "{kind}");
        assert!(problem.hint.unwrap().contains("systems"), "{kind}");
    }
}

/// On SQLite a write has two seconds, which a debug build on a busy machine exceeds.
#[tokio::test(flavor = "multi_thread")]
async fn the_largest_project_is_exported_whole() {
    let place = Place::new(postgres().await).await;
    let (owner, quest) = (place.owner(), largest(&place).await);
    let gdd = json_of(&owner, json!({ "project": quest, "type": "gdd" })).await;
    let sizes = ["systems", "dependencies"].map(|list| gdd["design"][list].as_array().unwrap().len());
    assert_eq!(sizes, [2_000, 10_000]);
    let bundle = json_of(&owner, json!({ "project": quest, "type": "prompt_bundle" })).await;
    assert_eq!(bundle["prompts"].as_array().unwrap().len(), 2_000);
    for kind in ["gdd", "prompt_bundle"] {
        let text = export(&owner, json!({ "project": quest, "type": kind })).await;
        assert_eq!(text.matches("\n## System ID\n").count(), 2_000, "{kind}");
    }
}
