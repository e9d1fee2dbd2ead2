//! Tests of each provider's format, and that no keyword is dropped without a record.

use serde_json::{Value, json};

use super::*;
use crate::tests::test_actions;

fn one(format: Format, meta: &ActionMeta) -> Value {
    render(format, &[Tool::of(meta)])
}

/// Returns the schemas of every sample in every format.
fn text_of_all(format: Format) -> String {
    let metas = test_actions::all();
    render(format, &metas.iter().map(Tool::of).collect::<Vec<_>>()).to_string()
}

#[test]
fn words_and_formats_agree() {
    for format in Format::ALL {
        assert_eq!(format.as_str().parse(), Ok(*format));
        assert_eq!(serde_json::to_value(format).unwrap(), json!(format.as_str()));
    }
    assert!("nope".parse::<Format>().is_err());
}

#[test]
fn shapes() {
    let meta = test_actions::delete_agent();
    let tool = one(Format::Openai, &meta);
    assert_eq!(tool[0]["type"], "function");
    assert_eq!(tool[0]["function"]["name"], "platform_delete_agent");
    assert_eq!(tool[0]["function"]["parameters"]["required"], json!(["agent"]));
    let tool = one(Format::OpenaiResponses, &meta);
    assert_eq!((&tool[0]["name"], &tool[0]["strict"]), (&json!("platform_delete_agent"), &json!(false)));
    assert_eq!(one(Format::Anthropic, &meta)[0]["input_schema"]["type"], "object");
    let tool = one(Format::Gemini, &meta);
    assert_eq!(tool[0]["functionDeclarations"][0]["parameters"]["required"], json!(["agent"]));
    let tool = one(Format::Mcp, &meta);
    assert_eq!(tool[0]["title"], "Delete agent");
    assert_eq!(tool[0]["annotations"]["destructiveHint"], true);
    assert_eq!(tool[0]["annotations"]["readOnlyHint"], false);
    assert!(tool[0].get("outputSchema").is_none());
}

#[test]
fn our_own_keywords_stay_at_home() {
    for format in Format::ALL {
        assert!(!text_of_all(*format).contains("\"x-"), "{format}");
    }
}

#[test]
fn a_parameter_may_be_named_like_a_keyword() {
    let input = json!({
        "type": "object",
        "properties": {
            "x-ray": {"type": "string"}, "format": {"type": "string"},
            "default": {"type": "string", "x-raw": true}
        },
        "required": ["x-ray"]
    });
    let carried = rewrite::carry(&input, &mut Vec::new());
    let names: Vec<&String> = carried["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["x-ray", "format", "default"]);
    let carried = gemini::carry(&input, &mut Vec::new());
    assert_eq!(carried["properties"].as_object().unwrap().len(), 3);
}

#[test]
fn a_combination_at_the_root_is_told_in_words() {
    let input = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
    for format in [Format::Openai, Format::OpenaiResponses, Format::Anthropic, Format::Gemini] {
        let lost = dropped_keywords(format, &input);
        assert!(
            lost.iter().any(|loss| loss.keyword == "anyOf" && loss.went == "into the description"),
            "{format}"
        );
    }
    let carried = rewrite::carry(&input, &mut Vec::new());
    assert_eq!(carried["description"], "At least one of: a / b.");
    assert!(carried.get("anyOf").is_none());
    assert!(dropped_keywords(Format::Mcp, &input).is_empty());
}

#[test]
fn strict_openai_requires_everything_and_closes_everything() {
    let schema = strict_openai(test_actions::create_task().input.value()).unwrap();
    assert_eq!(schema["required"], json!(["title", "description", "priority", "tags", "limit"]));
    assert_eq!(schema["properties"]["title"]["type"], "string");
    assert_eq!(schema["properties"]["title"]["description"], "Max 200 characters.");
    assert_eq!(schema["properties"]["limit"]["type"], json!(["integer", "null"]));
    assert_eq!(schema["properties"]["priority"]["enum"], json!(["urgent", "high", "medium", "low", null]));
    assert_eq!(schema["additionalProperties"], false);
    let text = schema.to_string();
    assert!(!text.contains("maxLength") && !text.contains("\"default\""));
}

#[test]
fn what_strict_would_change_is_not_made_strict() {
    assert!(strict_openai(test_actions::execute_playbook().input.value()).is_none(), "a free object");
    assert!(strict_anthropic(test_actions::execute_playbook().input.value()).is_none(), "a free object");
    let agent = test_actions::create_agent();
    assert!(strict_openai(agent.input.value()).is_none(), "null has a meaning there");
    assert!(strict_anthropic(agent.input.value()).is_some(), "it may be left out there");
    let metas = test_actions::all();
    let mut tools: Vec<Tool<'_>> = metas.iter().map(Tool::of).collect();
    for tool in &mut tools {
        tool.strict = true;
    }
    let rendered = render(Format::Openai, &tools);
    let of = |name: &str| {
        rendered.as_array().unwrap().iter().find(|t| t["function"]["name"] == name).unwrap().clone()
    };
    assert!(of("platform_execute_playbook")["function"].get("strict").is_none());
    assert_eq!(of("platform_create_task")["function"]["strict"], true);
}

#[test]
fn strict_anthropic_tells_bounds_in_words() {
    let schema = strict_anthropic(test_actions::create_task().input.value()).unwrap();
    assert_eq!(schema["required"], json!(["title", "description"]));
    assert_eq!(schema["properties"]["limit"]["description"], "Min 1. Max 100.");
    assert!(schema["properties"]["limit"].get("maximum").is_none());
}

#[test]
fn gemini_gets_its_subset() {
    let input = json!({"type": "object", "additionalProperties": false, "properties": {
        "when": {"type": ["string", "null"]}, "id": {"type": "string", "format": "uuid"},
        "every": {"type": "integer", "enum": [15, 30]}, "mode": {"const": "fast"},
        "ref": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "which"},
        "above": {"type": "number", "exclusiveMinimum": 0}}});
    let mut lost = Vec::new();
    let carried = gemini::carry(&input, &mut lost);
    let p = &carried["properties"];
    assert_eq!(p["when"], json!({"type": "string", "nullable": true}));
    assert_eq!(p["id"], json!({"type": "string", "description": "A uuid."}));
    assert_eq!(p["every"], json!({"type": "integer", "description": "One of 15, 30."}));
    assert_eq!(p["mode"], json!({"enum": ["fast"], "type": "string"}));
    assert_eq!(p["ref"], json!({"description": "which", "nullable": true, "type": "string"}));
    assert_eq!(p["above"], json!({"type": "number", "description": "More than 0."}));
    for keyword in ["type", "format", "enum", "const", "anyOf", "exclusiveMinimum", "additionalProperties"] {
        assert!(lost.iter().any(|loss| loss.keyword == keyword), "{keyword}");
    }
    assert!(lost.iter().any(|loss| loss.pointer == "/properties/id" && loss.keyword == "format"));
    let without = one(Format::Gemini, &test_actions::get_sla_compliance());
    assert!(without[0]["functionDeclarations"][0].get("parameters").is_none());
}

/// A schema with free values at every depth.
fn free_values() -> Value {
    let free = json!({"type": "object", "additionalProperties": true, "maxProperties": 9, "x-free": true});
    let any = json!({
        "type": ["string", "number", "boolean", "object", "array", "null"], "items": {"x-free": true},
        "additionalProperties": true, "maxProperties": 9, "x-free": true, "description": "anything"
    });
    json!({"type": "object", "properties": {
        "free": free, "empty": {"type": "object", "properties": {}}, "any": any, "unsaid": {"x-free": true},
        "either": {"anyOf": [{"type": "string", "maxLength": 9}, free, {"type": "null"}]},
        "list": {"type": "array", "items": free}, "of_any": {"type": "array", "items": {"x-free": true}},
        "of_lists": {"type": "array", "items": {"type": "array"}},
        "several": {"type": ["integer", "object"], "minimum": 1, "maxProperties": 2},
        "deep": {"type": "object", "properties": {"in": {"type": "object", "properties": {"free": free}}}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "nothing": {"type": "null"}
    }})
}

#[test]
fn gemini_has_no_object_without_properties() {
    let mut carried = gemini::carry(&free_values(), &mut Vec::new());
    let p = carried["properties"].clone();
    assert_eq!(p["free"]["type"], "string");
    assert_eq!(p["free"]["description"], "Max 9 keys. A JSON object as text.");
    assert_eq!(p["list"]["items"]["type"], "string");
    assert_eq!(p["several"]["anyOf"], json!([{"type": "string"}, {"type": "integer", "minimum": 1}]));
    assert_eq!(p["nothing"], json!({"type": "string", "nullable": true}));
    let kinds = |value: &Value| -> Vec<Value> {
        value["anyOf"].as_array().unwrap().iter().map(|option| option["type"].clone()).collect()
    };
    assert_eq!(kinds(&p["any"]), ["string", "number", "boolean", "array"]);
    assert_eq!(p["any"]["nullable"], true);
    assert_eq!(kinds(&p["unsaid"]), ["string", "number", "boolean"]);
    assert_eq!(
        p["unsaid"]["description"], "An object or a list is given as JSON text.",
        "whatever the parameter is for"
    );
    rewrite::walk(&mut carried, "", &mut |object, at| {
        let properties = object.get("properties").and_then(Value::as_object);
        let is_object = object.get("type").is_some_and(|kind| kind == "object");
        assert!(!is_object || properties.is_some_and(|all| !all.is_empty()), "{at}");
        assert!(object.get("type").is_some_and(Value::is_string) || object.contains_key("anyOf"), "{at}");
        let is_list = object.get("type").is_some_and(|kind| kind == "array");
        assert!(!is_list || object.contains_key("items"), "{at}");
    });
    let dispatcher =
        dispatcher_tool(Dispatcher::Platform, &[&test_actions::create_task()], Some(Detail::Names));
    let params = gemini::carry(&dispatcher.1, &mut Vec::new())["properties"]["params"].clone();
    assert_eq!(params["type"], "string");
}

#[test]
fn texts_of_json_are_read_where_gemini_has_no_schema() {
    let text = |value: Value| Value::from(value.to_string());
    let (object, list) = (json!({"a": [1, null]}), json!([{"a": 1}]));
    for (name, given, read) in [
        ("free", text(object.clone()), object.clone()),
        ("empty", json!(" {} "), json!({})),
        ("any", text(object.clone()), object.clone()),
        ("unsaid", text(list.clone()), list.clone()),
        ("either", text(object.clone()), object.clone()),
        ("list", json!([text(object.clone())]), json!([object])),
        ("of_any", json!([text(list.clone()), "a", 1]), json!([list, "a", 1])),
        ("of_lists", json!([text(list.clone())]), json!([list])),
        ("several", text(json!({"a": 1})), json!({"a": 1})),
        ("deep", json!({"in": {"free": text(object.clone())}}), json!({"in": {"free": object}})),
        ("map", text(json!({"a": 1})), json!({"a": 1})),
        // What is no JSON, or JSON of another type, is what it is.
        ("free", json!("{a: 1}"), json!("{a: 1}")),
        ("free", text(list.clone()), text(list.clone())),
        ("either", text(list.clone()), text(list.clone())),
        ("any", json!("5"), json!("5")),
        ("any", json!("\"a\""), json!("\"a\"")),
        ("free", object.clone(), object.clone()),
    ] {
        let mut arguments = json!({name: given});
        read_json_texts(&free_values(), &mut arguments);
        assert_eq!(arguments, json!({name: read}), "{name} {given}");
    }
}

#[test]
fn strict_goes_to_what_can_do_harm_first() {
    let metas = test_actions::all();
    let mut tools: Vec<Tool<'_>> = metas.iter().map(Tool::of).collect();
    let told = allocate_strict(Format::Anthropic, &mut tools);
    assert!(told.strict.contains(&"platform_delete_agent".to_owned()));
    assert_eq!(told.strict.len() + told.not_strict.len(), tools.len(), "each is one or the other");
    let playbook = told.not_strict.iter().find(|one| one.name == "platform_execute_playbook").unwrap();
    assert_eq!(playbook.reason, "takes an object with keys of the model's own");
    let gemini = allocate_strict(Format::Gemini, &mut tools);
    assert_eq!((gemini.strict.len(), gemini.budget.len(), gemini.not_strict.len()), (0, 0, tools.len()));

    let task = test_actions::create_task();
    let read = test_actions::list_tasks();
    // A write has 3 optional parameters and a read 2, so eight writes use all 24.
    let mut tools: Vec<Tool<'_>> =
        std::iter::repeat_n(&read, 3).chain(std::iter::repeat_n(&task, 9)).map(Tool::of).collect();
    let told = allocate_strict(Format::Anthropic, &mut tools);
    assert_eq!(told.strict, vec!["platform_create_task"; 8]);
    assert_eq!(told.budget[1], StrictUsage { what: "optional parameters", used: 24, most: 24 });
    assert_eq!(told.not_strict[3].reason, "would make 27 optional parameters, of 24 at most");
    let agent = test_actions::delete_agent();
    let mut tools: Vec<Tool<'_>> = std::iter::repeat_n(&agent, 25).map(Tool::of).collect();
    assert_eq!(allocate_strict(Format::Anthropic, &mut tools).strict.len(), 20);
    assert_eq!(allocate_strict(Format::Openai, &mut tools).strict.len(), 25);
}

#[test]
fn the_dispatcher_is_never_strict_and_never_empty() {
    let metas = test_actions::all();
    let metas: Vec<&ActionMeta> = metas.iter().collect();
    let mut tools = vec![Tool::dispatcher(Dispatcher::Platform, &metas, Some(Detail::Names)).unwrap()];
    for format in Format::ALL {
        assert!(allocate_strict(*format, &mut tools).strict.is_empty());
    }
    assert!(Tool::dispatcher(Dispatcher::Platform, &[], Some(Detail::Names)).is_none());
    let mcp = render(Format::Mcp, &tools);
    assert!(mcp[0]["annotations"].get("readOnlyHint").is_none());
}

#[test]
fn deferred_tools_bring_the_provider_s_search() {
    let meta = test_actions::list_tasks();
    let tools = [Tool { defer: true, ..Tool::of(&meta) }];
    assert_eq!(render(Format::OpenaiResponses, &tools)[0]["defer_loading"], true);
    assert_eq!(render(Format::OpenaiResponses, &tools)[1]["type"], "tool_search");
    assert_eq!(render(Format::Anthropic, &tools)[1]["defer_loading"], true);
    assert!(render(Format::Openai, &tools)[0].get("defer_loading").is_none());
}

#[test]
fn choices() {
    assert_eq!(tool_choice(Format::Openai, false), Some(json!("auto")));
    assert_eq!(tool_choice(Format::Anthropic, true), Some(json!({"type": "none"})));
    assert_eq!(tool_choice(Format::Gemini, false), Some(json!({"functionCallingConfig": {"mode": "AUTO"}})));
    assert_eq!(tool_choice(Format::Mcp, false), None);
}
