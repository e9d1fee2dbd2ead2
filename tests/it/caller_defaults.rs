//! A parameter that only some callers may omit is required in everything that the other callers are shown.

use serde_json::{Map, Value, json};
use toolcrib_access::{Caller, Principal, WorkspacePolicy};
use toolcrib_engine::{CallerTools, Outcome};
use toolcrib_model::{Id, Role};
use toolcrib_registry::{ActionMeta, CallerDefault, Format, prompt, required_of, signature};
use toolcrib_testkit::{TestDb, both_databases};

use crate::{
    formats::{bodies, caller, catalog, schema_in},
    inputs::{Chance, sound},
    world::world,
};

/// The actions of which a call may be refused because it needs one of two optional parameters.
const NEED_ONE_OF: [&str; 1] = ["platform_get_playbook_execution"];

/// A member without a mission, one in a mission, and an agent without a mission.
fn callers() -> [(Caller, Option<CallerDefault>); 3] {
    let plain = caller(Role::Owner, "chat");
    let in_mission = Caller { mission: Some(Id::nil()), ..plain.clone() };
    let principal = Principal::Agent { agent_id: Id::nil(), runs_as: Id::nil() };
    let agent = Caller { principal, ..plain.clone() };
    [(plain, None), (in_mission, Some(CallerDefault::Mission)), (agent, Some(CallerDefault::Agent))]
}

/// Whether the parameter is required in a schema, in a strict one by not accepting null.
fn required(schema: &Value, strict: bool, parameter: &str) -> bool {
    let names = schema["required"].as_array().into_iter().flatten();
    let nullable = schema["properties"][parameter]["type"].is_array();
    names.into_iter().any(|name| name == parameter) && !(strict && nullable)
}

#[test]
fn lists_require_what_the_caller_has_no_default_for() {
    let (catalog, policy) = (catalog(), WorkspacePolicy::default());
    let mut seen = 0;
    for (caller, has) in callers() {
        let tools = CallerTools::new(&catalog, &caller, &policy);
        for (format, strict) in Format::ALL.iter().flat_map(|format| [(format, "off"), (format, "auto")]) {
            let asked = json!({"format": format, "strategy": "all", "strict": strict});
            let list = toolcrib_http::tool_list(&tools, asked.clone()).unwrap();
            for body in bodies(*format, &list) {
                let meta = catalog.registry().get(body["name"].as_str().unwrap()).unwrap();
                let Some(default) = meta.spec.caller_default else { continue };
                let shown = required(&schema_in(body), body["strict"] == true, default.as_str());
                assert_eq!(shown, has != Some(default), "{asked} {has:?} {}", meta.spec.name);
                let told = body.to_string().contains(default.sentence());
                assert_eq!(told, has == Some(default), "{asked} {has:?} {}", meta.spec.name);
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 5 * 2 * Format::ALL.len() * 3, "five actions");
}

#[test]
fn signatures_prompts_and_search_require_it_too() {
    let (catalog, policy) = (catalog(), WorkspacePolicy::default());
    for (caller, has) in callers() {
        let tools = CallerTools::new(&catalog, &caller, &policy);
        let allowed = tools.allowed();
        let metas: Vec<&ActionMeta> = allowed.iter().map(AsRef::as_ref).collect();
        let prompt = prompt(&metas, &[], true);
        let list = toolcrib_http::tool_list(&tools, json!({"strategy": "dispatcher_only"})).unwrap();
        for meta in metas {
            let Some(default) = meta.spec.caller_default else { continue };
            let optional = format!("{}?", default.as_str());
            let line = signature(meta);
            assert_eq!(line.contains(&optional), has == Some(default), "{line}");
            assert!(list["tools"][0].to_string().contains(&line), "{line}");
            let heading = format!("{}(", meta.spec.name);
            let told = prompt.lines().find(|line| line.contains(&heading)).unwrap();
            assert_eq!(told.contains(&optional), has == Some(default), "{told}");
            let found = tools.search(&meta.spec.short_name().replace('_', " "), None, 3);
            let (found, _) = found.iter().find(|(found, _)| found.spec.name == meta.spec.name).unwrap();
            let needs = required_of(found.input.value()).any(|name| name == default.as_str());
            assert_eq!(needs, has != Some(default), "{}", meta.spec.name);
        }
    }
}

/// The arguments that a schema requires, and no other.
fn least(schema: &Value, chance: &mut Chance) -> Map<String, Value> {
    let Value::Object(mut made) = sound(schema, chance) else { panic!("{schema}") };
    let names = schema["required"].as_array().cloned().unwrap_or_default();
    made.retain(|name, _| names.iter().any(|required| required == name));
    // The schema does not say that a time must be valid and later than now.
    if made.contains_key("when") {
        made.insert("kind".to_owned(), json!("one_shot"));
        made.insert("when".to_owned(), json!("2100-01-01T00:00:00Z"));
    }
    made
}

/// The declarations are complete and true: to a member, a call with what is required lacks nothing, and one
/// without a declared parameter is refused with its name.
#[both_databases]
async fn a_call_with_what_is_required_lacks_nothing(db: TestDb) {
    let app = world(db).await;
    let (catalog, policy) = (app.engine.catalog().clone(), WorkspacePolicy::default());
    let caller = caller(Role::Owner, "chat");
    let owner = app.owner();
    for (seed, meta) in CallerTools::new(&catalog, &caller, &policy).allowed().into_iter().enumerate() {
        let name = &*meta.spec.name;
        app.clock.advance(60);
        let mut given = least(meta.input.value(), &mut Chance::new(seed as u64));
        if let Outcome::Refused(problem) = owner.call(name, json!(given)).await.outcome {
            let missing = problem.errors.iter().find(|error| error.code == "required");
            assert!(missing.is_none() || NEED_ONE_OF.contains(&name), "{name}: {missing:?}");
        }
        let Some(default) = meta.spec.caller_default else { continue };
        given.remove(default.as_str());
        let problem = owner.problem(name, json!(given)).await;
        let error = &problem.errors[0];
        let pointer = format!("/{}", default.as_str());
        assert_eq!((&error.code[..], &error.pointer), ("required", &pointer), "{name}");
    }
}
