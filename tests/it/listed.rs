//! Every list, search, prompt, document and hint names exactly the actions that the caller may run.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib_engine::{CallerTools, Catalog, Outcome};
use toolcrib_model::Role;
use toolcrib_registry::{ActionKind, ActionMeta, DISPATCHER, Format, prompt};
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::world::{World, world};

/// Every action whose name is anywhere in a JSON value.
fn named<'a>(value: &'a Value, known: &'a BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let text = value.to_string();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter_map(|word| known.get(word).copied()).collect()
}

/// The actions that a list's tools can call: the tools themselves, and those in the dispatcher's enum.
fn callable<'a>(list: &'a Value, known: &'a BTreeSet<&'a str>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for fields in within(&list["tools"]).into_iter().filter_map(Value::as_object) {
        let name = fields.get("name").and_then(Value::as_str).and_then(|name| known.get(name));
        found.extend(name.copied());
        let words = fields.get("enum").and_then(Value::as_array).into_iter().flatten();
        found.extend(words.filter_map(Value::as_str).filter_map(|word| known.get(word)).copied());
    }
    found
}

/// A value and all values in it.
fn within(value: &Value) -> Vec<&Value> {
    let mut found = vec![value];
    let mut at = 0;
    while let Some(value) = found.get(at).copied() {
        match value {
            Value::Array(items) => found.extend(items),
            Value::Object(fields) => found.extend(fields.values()),
            _ => {}
        }
        at += 1;
    }
    found
}

/// The actions that a person may run, found by trying: the unknown argument stops the allowed ones, and the
/// others are denied.
async fn runs<'c>(catalog: &'c Catalog, app: &World, person: &Person<'_>) -> BTreeSet<&'c str> {
    let mut allowed = BTreeSet::new();
    for meta in catalog.registry().tools() {
        app.clock.advance(1);
        let name = &*meta.spec.name;
        match person.refused(name, json!({"acceptance_probe": true})).await.as_str() {
            "invalid_arguments" => drop(allowed.insert(name)),
            "permission_denied" => {}
            other => panic!("{name}: {other}"),
        }
    }
    allowed
}

#[both_databases]
async fn every_surface_shows_exactly_what_runs(db: TestDb) {
    let app = world(db).await;
    let catalog = app.engine.catalog().clone();
    let known: BTreeSet<&str> = catalog.registry().tools().map(|meta| &*meta.spec.name).collect();
    for role in Role::ALL {
        let person = app.as_role(role);
        let runs = runs(&catalog, &app, &person).await;
        let (caller, policy) = app.engine.admit(&person.authenticated).await.unwrap();
        let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
        lists(&tools, role, &runs, &known);
        finds(&tools, role, &runs, &known);
        documented(&tools, role, &runs);
        // The dispatcher agrees, and its hints name no other action.
        for name in &known {
            app.clock.advance(1);
            let near = json!({"action": format!("{name}s"), "params": {}});
            for (tool, arguments) in [("platform_execute", near), (&*format!("{name}_now"), json!({}))] {
                let answer = person.call(tool, arguments).await;
                let Outcome::Refused(problem) = &answer.outcome else {
                    // A similar name of a read that the caller may call runs.
                    assert!(runs.contains(name), "{role}: {tool} {name}");
                    continue;
                };
                let hint = json!([problem.hint, problem.detail, problem.errors]);
                let strangers: Vec<_> = named(&hint, &known).difference(&runs).copied().collect();
                assert!(strangers.is_empty(), "{role}: a hint about `{name}` names {strangers:?}");
            }
        }
    }
}

/// The rows of `docs/golden/matrix.md`: an action or operation, and whether each role may call it.
fn matrix() -> impl Iterator<Item = (&'static str, Vec<bool>)> {
    let rows =
        include_str!("../../docs/golden/matrix.md").lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (name, cells) = row.split_once('`').unwrap();
        (
            name,
            cells.split('|').map(str::trim).filter(|cell| !cell.is_empty()).map(|cell| cell == "x").collect(),
        )
    })
}

#[both_databases]
async fn a_role_may_call_what_the_matrix_says(db: TestDb) {
    let app = world(db).await;
    let mut rows = 0;
    for (name, cells) in matrix() {
        assert_eq!(cells.len(), Role::ALL.len(), "{name}");
        for (role, may) in Role::ALL.into_iter().zip(cells) {
            app.clock.advance(1);
            let code = app.as_role(role).refused(name, json!({"acceptance_probe": true})).await;
            let wanted = if may { "invalid_arguments" } else { "permission_denied" };
            assert_eq!(code, wanted, "{role}: {name}");
        }
        rows += 1;
    }
    assert!(rows > 150, "{rows} rows are read");
}

/// Other spellings that a repair might turn into the name.
fn spellings(name: &str) -> [String; 6] {
    let words = name.replace('.', "_");
    [
        name.to_owned(),
        words.clone(),
        format!("platform_{words}"),
        name.to_uppercase(),
        format!("functions.{name}"),
        format!("{name} "),
    ]
}

#[both_databases]
async fn an_operation_exists_for_its_own_route_alone(db: TestDb) {
    let app = world(db).await;
    let owner = app.as_role(Role::Owner);
    let registry = app.engine.catalog().registry();
    let operations = registry.all().filter(|meta| meta.spec.kind == ActionKind::Operation);
    let mut seen = 0;
    for meta in operations {
        seen += 1;
        for name in spellings(&meta.spec.name) {
            app.clock.advance(1);
            let through = json!({"action": name, "params": {}});
            let beside = json!({"action": name});
            for person in [owner.offering(ActionKind::Tool), owner.as_model("call_1")] {
                for (tool, arguments) in
                    [(&*name, json!({})), (DISPATCHER, through.clone()), (DISPATCHER, beside.clone())]
                {
                    let code = person.refused(&dotted(tool), arguments).await;
                    assert_eq!(code, "unknown_action", "`{tool}` for `{name}`");
                }
            }
        }
        let code = owner.refused(&meta.spec.name, json!({"acceptance_probe": true})).await;
        assert_ne!(code, "unknown_action", "`{}` by its own route", meta.spec.name);
    }
    assert!(seen > 40, "{seen} operations");
    // The other way round, the route of an operation calls no tool, nor the dispatcher.
    for name in registry.tools().map(|meta| &*meta.spec.name).chain([DISPATCHER]) {
        let code = owner.offering(ActionKind::Operation).refused(name, json!({})).await;
        assert_eq!(code, "unknown_action", "`{name}`");
    }
}

/// The name with its prefix, which the test's callers would add to any name without a dot.
fn dotted(name: &str) -> String {
    if name.contains('.') || name.starts_with("platform_") {
        name.to_owned()
    } else {
        format!("platform_{name}")
    }
}

/// Checks every strategy in every format.
fn lists(tools: &CallerTools<'_>, role: Role, runs: &BTreeSet<&str>, known: &BTreeSet<&str>) {
    for format in Format::ALL {
        for (strategy, whole) in
            [("full", true), ("all", true), ("dispatcher_only", true), ("filtered", false), ("none", false)]
        {
            for defer in [false, true] {
                let asked = json!({
                    "format": format, "strategy": strategy, "defer": defer,
                    "query": "delete an agent and install a plugin"
                });
                let list = toolcrib_http::tool_list(tools, asked).unwrap();
                let shown = callable(&list, known);
                assert!(shown.is_subset(runs), "{role} {format} {strategy}: {:?}", shown.difference(runs));
                assert!(
                    !whole || shown == *runs,
                    "{role} {format} {strategy}: {:?}",
                    runs.difference(&shown)
                );
            }
        }
    }
    let allowed = tools.allowed();
    let (direct, behind): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        allowed.iter().map(AsRef::as_ref).partition(|meta| tools.promoted(meta));
    let text = prompt(&direct, &behind, true);
    for name in known {
        let short = format!("{}(", name.trim_start_matches("platform_"));
        let stands = text
            .lines()
            .any(|line| line.trim_start_matches("- ").trim_start_matches("platform_").starts_with(&short));
        assert_eq!(stands, runs.contains(name), "{role}: `{name}` in the prompt");
    }
}

/// Checks the search with the words of every action.
fn finds(tools: &CallerTools<'_>, role: Role, runs: &BTreeSet<&str>, known: &BTreeSet<&str>) {
    for name in known {
        let meta = tools.catalog.registry().get(name).unwrap();
        for query in [name.replace('_', " "), meta.spec.description.to_string()] {
            let found: BTreeSet<&str> =
                tools.search(&query, None, 50).into_iter().map(|(meta, _)| &*meta.spec.name).collect();
            assert!(found.is_subset(runs), "{role} `{query}`");
            assert!(!runs.contains(name) || found.contains(name), "{role}: `{query}` does not find `{name}`");
        }
        let (near, _) = tools.near(&format!("{name}x"));
        let near: BTreeSet<&str> = near.into_iter().map(|meta| &*meta.spec.name).collect();
        assert!(near.is_subset(runs), "{role} {name}: {near:?}");
    }
}

/// Checks the caller's own OpenAPI document: it has an operation for each action, and every reference
/// resolves.
fn documented(tools: &CallerTools<'_>, role: Role, runs: &BTreeSet<&str>) {
    let document = toolcrib_http::openapi_view(tools);
    let paths = document["paths"].as_object().unwrap();
    let shown: BTreeSet<&str> =
        paths.keys().map(|path| path.strip_prefix("/v1/actions/").unwrap_or(path)).collect();
    assert_eq!(&shown, runs, "{role}: OpenAPI");
    for at in within(&document).into_iter().filter_map(|value| value.get("$ref")?.as_str()) {
        assert!(document.pointer(at.trim_start_matches('#')).is_some(), "{at}");
    }
}
