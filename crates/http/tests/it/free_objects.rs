//! Objects with any keys in Gemini's lists, which have no such object, and the calls that follow.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{
    TestDb, both_databases,
    provider::{FORMATS, call},
};

use crate::harness::{App, Client};

/// A toolset whose tools take free values at several depths. The application runs them.
fn toolset() -> Value {
    let free = json!({"type": "object", "additionalProperties": true, "maxProperties": 9, "x-free": true});
    let list = json!({"type": "array", "maxItems": 5, "items": {"x-free": true}});
    let deep = json!({"type": "object", "properties": {"in": free}});
    let either = json!({"anyOf": [{"type": "string", "maxLength": 99}, free]});
    let tool = |name: &str, promoted: bool| {
        json!({
            "name": name, "description": "Set values.", "permission_level": "read", "promoted": promoted,
            "parameters": {"required": ["values"], "properties": {
                "values": free, "list": list, "deep": deep, "either": either, "any": {"x-free": true}}},
            "client": {}
        })
    };
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Desk",
        "defaults": {"accessible_by": "everyone"}, "tools": [tool("set", true), tool("put", false)]
    })
}

async fn app(db: TestDb) -> App {
    let app = App::new(db).await;
    app.owner().send("PUT", "/v1/toolsets/desk", toolset()).await.ok(200);
    app
}

/// Fails for an object without properties, or a value without a type.
fn check_schema(schema: &Value, at: &str) {
    let object = schema.as_object().unwrap();
    let properties = object.get("properties").and_then(Value::as_object);
    if schema["type"] == "object" {
        assert!(properties.is_some_and(|all| !all.is_empty()), "{at}: {schema}");
    }
    assert!(object.contains_key("type") || object.contains_key("anyOf"), "{at}: {schema}");
    for (name, inner) in properties.into_iter().flatten() {
        check_schema(inner, &format!("{at}/{name}"));
    }
    let options = object.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    for inner in options.chain(object.get("items")) {
        check_schema(inner, &format!("{at}/*"));
    }
}

#[both_databases]
async fn free_objects_are_texts_for_gemini(db: TestDb) {
    let app = app(db).await;
    no_gemini_list_has_an_object_without_properties(&app).await;
    a_call_has_the_object_that_its_text_is(&app).await;
    an_action_runs_with_params_as_text(&app).await;
}

async fn no_gemini_list_has_an_object_without_properties(app: &App) {
    let mut seen = 0;
    for strategy in ["full", "filtered", "dispatcher_only", "all"] {
        let query = if strategy == "filtered" { "&query=set+values" } else { "" };
        let path = format!("/v1/tools?format=gemini&strategy={strategy}{query}");
        let list = app.owner().get(&path).await.ok(200);
        for tool in list["tools"][0]["functionDeclarations"].as_array().unwrap() {
            if let Some(parameters) = tool.get("parameters") {
                check_schema(parameters, &format!("{strategy} {}", tool["name"]));
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen}");
}

/// The arguments that the application gets of a model's call, and whether they were repaired.
async fn arguments(client: &Client<'_>, format: &str, name: &str, given: &Value) -> (Value, bool) {
    let body = json!({"format": format, "tool_calls": [call(format, "c", name, given)]});
    let answer = client.post("/v1/tools/calls", body).await.ok(200);
    let run = &answer["to_run"][0];
    assert!(run.is_object(), "{answer}");
    (run["arguments"].clone(), run["repaired"].as_array().is_some_and(|all| !all.is_empty()))
}

async fn a_call_has_the_object_that_its_text_is(app: &App) {
    let member = app.as_role(Role::Member);
    let object = json!({"a": [1, null], "b": {"c": "d"}});
    let text = object.to_string();
    let texts =
        json!({"values": text, "list": [text, "plain"], "deep": {"in": text}, "either": text, "any": text});
    let values = json!({"values": object, "list": [object, "plain"], "deep": {"in": object}, "either": object,
        "any": object});
    let (read, repaired) = arguments(&member, "gemini", "desk__set", &texts).await;
    assert_eq!((read, repaired), (values.clone(), false));
    let dispatched = json!({"action": "desk__put", "params": values.to_string()});
    let (read, repaired) = arguments(&member, "gemini", "tools_execute", &dispatched).await;
    assert_eq!((read, repaired), (values.clone(), false));
    // A model may send the objects all the same, and other formats have only these.
    for format in FORMATS {
        let (read, repaired) = arguments(&member, format, "desk__set", &values).await;
        assert_eq!((read, repaired), (values.clone(), false), "{format}");
        let dispatched = json!({"action": "desk__put", "params": values});
        let (read, repaired) = arguments(&member, format, "tools_execute", &dispatched).await;
        assert_eq!((read, repaired), (values.clone(), false), "{format}");
    }
    // In other formats a text is a text where one is possible.
    let either = json!({"values": object, "either": text});
    assert_eq!(arguments(&member, "openai", "desk__set", &either).await.0, either);
}

async fn an_action_runs_with_params_as_text(app: &App) {
    let call = |arguments: Value| {
        let call = call("gemini", "c", "platform_execute", &arguments);
        json!({"format": "gemini", "tool_calls": [call]})
    };
    let arguments =
        json!({"action": "platform_store_memory", "params": "{\"content\": \"Invoices are due.\"}"});
    let answer = app.owner().post("/v1/tools/calls", call(arguments)).await.ok(200);
    assert_eq!(answer["results"][0]["status"], "completed", "{answer}");
    assert_eq!(answer["results"][0]["data"]["content"], "Invoices are due.", "{answer}");
    assert!(answer["results"][0].get("repaired").is_none_or(|repaired| repaired == &json!([])), "{answer}");
}
