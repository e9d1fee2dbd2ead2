//! Every provider accepts the tool lists, for every role, strategy and format. No keyword is lost without a
//! note in the description. The action accepts whatever a strict schema accepts.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toolcrib_access::{Caller, Principal, Scopes, WorkspacePolicy};
use toolcrib_actions::Infrastructure;
use toolcrib_engine::{CallerTools, Catalog};
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{
    DISPATCHER, Format, carried, dropped_keywords, strict_anthropic, strict_dropped_keywords, strict_openai,
};

use crate::inputs::{Chance, sound};

/// The product's own catalogue.
pub fn catalog() -> Catalog {
    toolcrib_actions::catalog(&Infrastructure::default()).map_err(|defects| format!("{defects:?}")).unwrap()
}

/// A member with this role.
pub fn caller(role: Role, caller_type: &str) -> Caller {
    Caller {
        workspace: Id::nil(),
        principal: Principal::User { user_id: Id::nil() },
        role: Some(role),
        system_admin: false,
        caller_type: CallerType::new(caller_type),
        caller_name: None,
        scopes: Scopes::All,
        session: None,
        mission: None,
        credential: None,
        provenance: toolcrib_access::Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

const STRATEGIES: [&str; 5] = ["full", "filtered", "dispatcher_only", "all", "none"];

/// Every payload that a member may request, with its format and request.
fn payloads(catalog: &Catalog, role: Role) -> Vec<(Format, Value, Value)> {
    let (caller, policy) = (caller(role, "chat"), WorkspacePolicy::default());
    let tools = CallerTools::new(catalog, &caller, &policy);
    let mut all = Vec::new();
    for format in Format::ALL {
        for strategy in STRATEGIES {
            for (strict, defer) in [("off", false), ("auto", false), ("off", true), ("auto", true)] {
                let mut asked =
                    json!({"format": format, "strategy": strategy, "strict": strict, "defer": defer});
                if strategy == "filtered" {
                    asked["query"] = json!("schedule a report and tell me what it costs");
                }
                let list = toolcrib_http::tool_list(&tools, asked.clone()).unwrap();
                assert_eq!(list, toolcrib_http::tool_list(&tools, asked.clone()).unwrap(), "{asked}");
                all.push((*format, asked, list));
            }
        }
    }
    all
}

/// The objects of a payload that have a tool's name and description. Entries that are no tools of ours are
/// left out.
pub fn bodies(format: Format, list: &Value) -> Vec<&Value> {
    let entries = list["tools"].as_array().unwrap().iter();
    let flat: Vec<&Value> = match format {
        Format::Gemini => {
            entries.flat_map(|entry| entry["functionDeclarations"].as_array().unwrap()).collect()
        }
        Format::Openai => entries.map(|entry| &entry["function"]).collect(),
        _ => entries.collect(),
    };
    flat.into_iter().filter(|body| body.get("description").is_some()).collect()
}

/// The schema of a tool's parameters. Gemini's tools without parameters have none.
pub fn schema_in(body: &Value) -> Value {
    let schema = ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| body.get(*key));
    schema.cloned().unwrap_or_else(|| json!({"type": "object", "properties": {}}))
}

/// The tools of a payload: name, schema and whether it is strict.
fn tools_of(format: Format, list: &Value) -> Vec<(String, Value, bool)> {
    let one =
        |body: &Value| (body["name"].as_str().unwrap().to_owned(), schema_in(body), body["strict"] == true);
    bodies(format, list).into_iter().map(one).collect()
}

/// Collects every object in a schema that is itself a schema, with its path.
fn places<'s>(schema: &'s Value, at: &str, out: &mut Vec<(String, &'s Map<String, Value>)>) {
    let Some(object) = schema.as_object() else { return };
    out.push((at.to_owned(), object));
    for (name, inner) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        places(inner, &format!("{at}/properties/{name}"), out);
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get(key) {
            places(inner, &format!("{at}/{key}"), out);
        }
    }
    for key in ["anyOf", "oneOf"] {
        for (i, inner) in object.get(key).and_then(Value::as_array).into_iter().flatten().enumerate() {
            places(inner, &format!("{at}/{key}/{i}"), out);
        }
    }
}

pub fn all_places(schema: &Value) -> Vec<(String, &Map<String, Value>)> {
    let mut out = Vec::new();
    places(schema, "", &mut out);
    out
}

#[test]
fn every_payload_keeps_its_providers_limits() {
    let catalog = catalog();
    for role in Role::ALL {
        for (format, asked, list) in payloads(&catalog, role) {
            let tools = tools_of(format, &list);
            let names: BTreeSet<&String> = tools.iter().map(|(name, ..)| name).collect();
            assert_eq!(names.len(), tools.len(), "{role} {asked}: a name twice");
            assert!(tools.len() <= 128, "{role} {asked}");
            for (name, schema, strict) in &tools {
                let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
                assert!(plain && (1..=64).contains(&name.len()), "{name}");
                check_schema(format, name, schema, *strict);
            }
            budgets(format, &asked, &tools);
        }
    }
}

/// Providers refused longer descriptions of tools. The dispatcher's signatures are in the description of its
/// parameter instead, at any length.
#[test]
fn descriptions_of_tools_have_at_most_1024_characters() {
    let catalog = catalog();
    let (owner, policy) = (caller(Role::Owner, "chat"), WorkspacePolicy::default());
    let tools = CallerTools::new(&catalog, &owner, &policy);
    for format in Format::ALL {
        for (strategy, detail) in STRATEGIES.iter().flat_map(|s| [(s, "names"), (s, "signatures")]) {
            let asked = json!({"format": format, "strategy": strategy, "detail": detail,
                "query": "what does the agent cost"});
            let list = toolcrib_http::tool_list(&tools, asked.clone()).unwrap();
            for body in bodies(*format, &list) {
                let length = body["description"].as_str().unwrap().chars().count();
                assert!((1..=1_024).contains(&length), "{asked} {}: {length}", body["name"]);
                if body["name"] == DISPATCHER && *strategy != "filtered" {
                    let action = &schema_in(body)["properties"]["action"];
                    let lines = action["description"].as_str().map_or(0, |text| text.lines().skip(1).count());
                    let behind = action["enum"].as_array().unwrap().len();
                    assert_eq!(lines, if detail == "names" { 0 } else { behind }, "{asked}");
                }
            }
        }
    }
}

fn check_schema(format: Format, name: &str, schema: &Value, strict: bool) {
    assert_eq!(schema["type"], "object", "{format} {name}");
    let root = schema.as_object().unwrap();
    for keyword in ["anyOf", "oneOf", "allOf", "not", "enum"] {
        assert!(
            format == Format::Mcp || !root.contains_key(keyword),
            "{format} {name} has `{keyword}` at its root"
        );
    }
    for (at, object) in all_places(schema) {
        assert!(!object.contains_key("$ref"), "{format} {name} {at}");
        assert!(object.keys().all(|key| !key.starts_with("x-")), "{format} {name} {at}");
        if format == Format::Gemini {
            assert!(!object.contains_key("additionalProperties"), "{name} {at}");
            assert!(object.get("type").is_none_or(Value::is_string), "{name} {at}: a list of types");
            let properties = object.get("properties").and_then(Value::as_object);
            let is_empty =
                properties.is_none_or(Map::is_empty) && object.get("type") == Some(&json!("object"));
            assert!(
                !is_empty || schema["properties"] == json!({}),
                "{name} {at}: an object without properties"
            );
            let words = object.get("enum").and_then(Value::as_array);
            assert!(words.is_none_or(|words| words.iter().all(Value::is_string)), "{name} {at}");
        }
        if strict && object.contains_key("properties") {
            assert_eq!(object.get("additionalProperties"), Some(&json!(false)), "{name} {at}");
            if matches!(format, Format::Openai | Format::OpenaiResponses) {
                let keys: BTreeSet<&str> =
                    object["properties"].as_object().unwrap().keys().map(String::as_str).collect();
                let required: BTreeSet<&str> = object["required"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|name| name.as_str().unwrap())
                    .collect();
                assert_eq!(keys, required, "{name} {at}: strict requires every property");
            }
        }
    }
}

/// Checks the provider's limits on strict schemas in one request.
fn budgets(format: Format, asked: &Value, tools: &[(String, Value, bool)]) {
    let strict: Vec<&Value> =
        tools.iter().filter(|(.., strict)| *strict).map(|(_, schema, _)| schema).collect();
    if asked["strict"] == "off" {
        assert!(strict.is_empty(), "{asked}");
    }
    let objects: Vec<(String, &Map<String, Value>)> =
        strict.iter().flat_map(|schema| all_places(schema)).collect();
    let count = |of: &dyn Fn(&Map<String, Value>) -> usize| {
        objects.iter().map(|(_, object)| of(object)).sum::<usize>()
    };
    let length = |value: Option<&Value>| value.and_then(Value::as_array).map_or(0, Vec::len);
    let properties =
        |object: &Map<String, Value>| object.get("properties").and_then(Value::as_object).map_or(0, Map::len);
    match format {
        Format::Anthropic => {
            let optional = count(&|object| properties(object) - length(object.get("required")));
            let unions = count(&|object| {
                usize::from(object.contains_key("anyOf") || object.get("type").is_some_and(Value::is_array))
            });
            assert!(
                strict.len() <= 20 && optional <= 24 && unions <= 16,
                "{asked}: {} {optional} {unions}",
                strict.len()
            );
        }
        Format::Openai | Format::OpenaiResponses => {
            assert!(count(&properties) <= 5_000, "{asked}");
            assert!(count(&|object| length(object.get("enum"))) <= 1_000, "{asked}");
            for (at, object) in &objects {
                let words = object.get("enum").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let letters: usize = words.iter().filter_map(Value::as_str).map(str::len).sum();
                assert!(words.len() <= 250 || letters <= 15_000, "{asked} {at}");
            }
        }
        Format::Gemini | Format::Mcp => assert!(strict.is_empty(), "{asked}"),
    }
}

#[test]
fn strict_lists_say_what_is_strict_and_why_the_rest_is_not() {
    let catalog = catalog();
    for (format, asked, list) in payloads(&catalog, Role::Owner) {
        let Some(told) = list.get("strict_explained") else {
            assert_eq!(asked["strict"], "off", "{asked}");
            continue;
        };
        assert_eq!(asked["strict"], "auto");
        let tools = tools_of(format, &list);
        let not = told["not_strict"].as_array().unwrap();
        assert_eq!(list["strict"].as_array().unwrap().len() + not.len(), tools.len(), "{asked}");
        for one in not {
            assert!(!one["reason"].as_str().unwrap().is_empty());
            assert!(
                tools.iter().any(|(name, _, strict)| one["name"] == name.as_str() && !strict),
                "{asked} {one}"
            );
        }
        for spent in told["budget"].as_array().unwrap() {
            assert!(spent["used"].as_u64() <= spent["most"].as_u64(), "{asked} {spent}");
        }
    }
}

#[test]
fn every_dropped_keyword_is_in_the_description() {
    for meta in catalog().registry().tools() {
        let input = meta.input.value();
        for format in Format::ALL {
            let lost = dropped_keywords(*format, input);
            let shown = carried(*format, input);
            let shown = all_places(&shown);
            for (at, object) in all_places(input) {
                let there = shown.iter().find(|(place, _)| *place == at).map(|(_, object)| *object);
                for (keyword, value) in object.iter().filter(|(keyword, _)| !keyword.starts_with("x-")) {
                    let kept = there.and_then(|there| there.get(keyword));
                    let same =
                        ["properties", "items", "anyOf", "oneOf", "description"].contains(&keyword.as_str());
                    let told = lost.iter().any(|loss| {
                        loss.keyword == *keyword
                            && (loss.pointer == at || at.starts_with(&format!("{}/anyOf", loss.pointer)))
                            || loss.keyword == "anyOf" && at.starts_with(&loss.pointer)
                    });
                    let carried = kept.is_some_and(|kept| same || kept == value);
                    assert!(carried || told, "{format} {}{at}: `{keyword}` went nowhere", meta.spec.name);
                }
            }
        }
    }
}

/// What a model writes under a strict schema runs, once nulls of optional parameters are removed. The action
/// objects only to bounds that strict schemas can't express, and that the description names instead.
#[test]
fn the_action_accepts_what_a_strict_schema_accepts() {
    let catalog = catalog();
    let (mut openai, mut anthropic) = (0, 0);
    for (seed, meta) in catalog.registry().tools().enumerate() {
        let input = meta.input.value();
        for (format, strict) in
            [(Format::Openai, strict_openai(input)), (Format::Anthropic, strict_anthropic(input))]
        {
            let Some(strict) = strict else { continue };
            *(if format == Format::Openai { &mut openai } else { &mut anthropic }) += 1;
            let told: BTreeSet<String> = strict_dropped_keywords(format, input)
                .unwrap()
                .into_iter()
                .map(|loss| loss.keyword)
                .collect();
            let mut chance = Chance::new(seed as u64);
            for _ in 0..60 {
                let made = sound(&strict, &mut chance);
                // A byte order mark is a space in a schema's pattern, but not in the generator's.
                if made.to_string().contains('\u{feff}') {
                    continue;
                }
                let mut given = made.clone();
                for error in meta.input.check(&mut given) {
                    assert!(told.contains(&error.code), "{format} {}: {error:?} for {made}", meta.spec.name);
                }
            }
        }
    }
    println!(
        "strict schemas: {openai} for OpenAI, {anthropic} for Anthropic, of {}",
        catalog.registry().tools().count()
    );
    assert!(openai >= 80 && anthropic >= 80, "{openai} {anthropic}");
}

#[test]
fn every_promoted_action_is_offered_for_a_phrase_of_its_intent() {
    let phrases = [
        ("platform_list_agents", "which agents do I have"),
        ("platform_get_agent", "show me the configuration of the agent Nova"),
        ("platform_create_agent", "create a new agent for support"),
        ("platform_update_agent", "change the model of the agent Nova"),
        ("platform_browse_marketplace_agents", "browse agent templates in the marketplace"),
        ("platform_browse_marketplace_skills", "which skills does the marketplace offer"),
        ("platform_browse_marketplace_plugins", "which plugins could we get from the marketplace"),
        ("platform_install_skill", "install the translation skill"),
        ("platform_install_plugin", "install the web search plugin"),
        ("platform_search_memory", "do you remember what we said about pricing"),
        ("platform_store_memory", "remember that the customer prefers mornings"),
        ("platform_get_activity_feed", "what happened here while I was away"),
        ("platform_get_system_health", "is the platform healthy"),
        ("platform_field_query", "what did the other agents of the mission find out"),
        ("platform_field_inject", "share this finding with the other agents of the mission"),
        ("platform_find_tools", "which tool can do that: exporting chats"),
    ];
    let catalog = catalog();
    let promoted: BTreeSet<&str> =
        catalog.registry().tools().filter(|meta| meta.spec.promoted).map(|meta| &*meta.spec.name).collect();
    assert_eq!(promoted, phrases.iter().map(|(name, _)| *name).collect());
    let (owner, policy) = (caller(Role::Owner, "chat"), WorkspacePolicy::default());
    let tools = CallerTools::new(&catalog, &owner, &policy);
    for (name, phrase) in phrases {
        let list =
            toolcrib_http::tool_list(&tools, json!({"strategy": "filtered", "query": phrase})).unwrap();
        let shown = tools_of(Format::Openai, &list);
        assert!(shown.iter().any(|(shown, ..)| shown == name), "`{name}` is not offered for `{phrase}`");
    }
}

#[test]
fn every_fallback_is_to_the_small_closed_set() {
    let catalog = catalog();
    for role in Role::ALL {
        let (caller, policy) = (caller(role, "chat"), WorkspacePolicy::default());
        let tools = CallerTools::new(&catalog, &caller, &policy);
        let always: Vec<&str> = tools
            .allowed()
            .iter()
            .filter(|meta| meta.spec.always_offered)
            .map(|meta| &*meta.spec.name)
            .collect();
        let rubbish = "zq".repeat(9_000);
        for query in [
            "",
            "   ",
            "hello",
            "thanks a lot",
            "yes",
            "qzxv wvut",
            "私の予定を教えて",
            rubbish.as_str(),
            "\u{202e}\u{0}",
        ] {
            let mut asked = json!({"strategy": "filtered"});
            if !query.is_empty() {
                asked["query"] = json!(query);
            }
            let list = toolcrib_http::tool_list(&tools, asked).unwrap();
            let shown: Vec<String> =
                tools_of(Format::Openai, &list).into_iter().map(|(name, ..)| name).collect();
            assert!(
                always.iter().all(|name| shown.iter().any(|one| one == name)),
                "{role} `{query:.20}`: {shown:?}"
            );
            assert!(shown.len() <= always.len() + 6, "{role} `{query:.20}`: {shown:?}");
        }
    }
}
