//! Objects in a query or a form become parameters of their own, and are sent as their style says.

use serde_json::{Value, json};
use toolcrib_import::OpenApiImport;
use toolcrib_toolset::{DeclaredTool, build_request};
use url::Url;

use crate::support::{has_note, import, parameters, reason, tool, with, with_parameter};

fn filter(style: &Value) -> Value {
    let mut parameter = json!({ "name": "filter", "in": "query", "schema": {
        "type": "object", "required": ["state"],
        "properties": {
            "state": { "type": "string", "enum": ["open", "closed"] },
            "tags": { "type": "array", "items": { "type": "string" } },
            "after": { "type": "string", "description": "A date." },
            "of_service": { "type": "string", "readOnly": true },
            "deep": { "type": "object", "properties": { "a": { "type": "string" } } },
            "token": { "type": "string" }
        }
    } });
    parameter.as_object_mut().unwrap().extend(style.as_object().unwrap().clone());
    parameter
}

/// The URL and the body of a call.
fn sent(tool: &DeclaredTool, arguments: &Value) -> (String, String) {
    let base = Url::parse("https://api.helpdesk.example/v2/").unwrap();
    let request = build_request(tool.http.as_ref().unwrap(), &base, arguments).unwrap();
    let body = request.body.map(|body| String::from_utf8(body.bytes).unwrap());
    (request.url.to_string(), body.unwrap_or_default())
}

fn names(imported: &OpenApiImport) -> Vec<&String> {
    parameters(imported)["properties"].as_object().unwrap().keys().collect()
}

#[test]
fn an_exploded_object_is_sent_as_its_properties() {
    for style in [json!({}), json!({ "style": "form" }), json!({ "explode": true, "required": true })] {
        let imported = import(&with_parameter(filter(&style)));
        assert_eq!(names(&imported), ["id", "state", "tags", "after"], "{style}");
        let needed = if style.get("required").is_some() { json!(["id", "state"]) } else { json!(["id"]) };
        assert_eq!(parameters(&imported)["required"], needed, "{style}");
        let after = json!({ "type": "string", "description": "A date." });
        assert_eq!(parameters(&imported)["properties"]["after"], after);
        let arguments = json!({ "id": "7", "state": "open", "tags": ["a", "b"] });
        let (url, _) = sent(tool(&imported, "get"), &arguments);
        assert_eq!(url, "https://api.helpdesk.example/v2/things/7?state=open&tags=a&tags=b");
        assert!(has_note(&imported, "the property `deep` of `filter` was dropped"));
        assert!(has_note(&imported, "the property `token` of `filter` was dropped: it has the name or form"));
    }
}

#[test]
fn a_deep_object_is_sent_with_its_name() {
    let imported = import(&with_parameter(filter(&json!({ "style": "deepObject", "explode": true }))));
    assert_eq!(names(&imported), ["id", "filter_state", "filter_tags", "filter_after"]);
    let arguments =
        json!({ "id": "7", "filter_state": "open", "filter_tags": ["a"], "filter_after": "1 & 2" });
    let (url, _) = sent(tool(&imported, "get"), &arguments);
    let query = "filter%5Bafter%5D=1+%26+2&filter%5Bstate%5D=open&filter%5Btags%5D=a";
    assert_eq!(url, format!("https://api.helpdesk.example/v2/things/7?{query}"));
}

/// The schema of a nullable model, as some frameworks write it.
#[test]
fn an_object_or_null_is_spread() {
    let page = json!({ "type": "object", "properties": { "limit": { "type": "integer" } } });
    let whole = json!({ "name": "page", "in": "query", "schema": { "anyOf": [page, { "type": "null" }] } });
    let imported = import(&with_parameter(whole));
    assert_eq!(names(&imported), ["id", "limit"]);
    let text = json!({ "type": "string" });
    let whole = json!({ "name": "page", "in": "query", "schema": { "oneOf": [page, text] } });
    assert_eq!(names(&import(&with_parameter(whole))), ["id", "page"]);
}

#[test]
fn a_property_with_the_name_of_another_parameter_is_dropped() {
    let page = |name: &str| {
        json!({ "name": name, "in": "query", "schema": { "type": "object",
        "properties": { "limit": { "type": "integer" }, "sort": { "type": "string" } } } })
    };
    let limit = json!({ "name": "limit", "in": "query", "schema": { "type": "string" } });
    let operation = json!({ "operationId": "list", "parameters": [page("a"), page("b"), limit] });
    let imported = import(&with("/paths", json!({ "/things": { "get": operation } })));
    assert_eq!(names(&imported), ["sort", "limit"]);
    assert_eq!(parameters(&imported)["properties"]["limit"], json!({ "type": "string" }));
    assert!(has_note(
        &imported,
        "the property `limit` of `a` was dropped: it has the name of another parameter"
    ));
    assert!(has_note(
        &imported,
        "the property `sort` of `b` was dropped: it has the name of another parameter"
    ));
}

#[test]
fn a_property_may_have_the_name_of_its_object() {
    let sort =
        json!({ "type": "object", "required": ["sort"], "properties": { "sort": { "type": "string" } } });
    let whole = json!({ "name": "sort", "in": "query", "required": true, "schema": sort });
    assert_eq!(names(&import(&with_parameter(whole))), ["id", "sort"]);
    // A required property that another parameter hides would leave no call that the service takes.
    let whole = json!({ "name": "order", "in": "query", "required": true, "schema": sort });
    let other = json!({ "name": "sort", "in": "query", "schema": { "type": "string" } });
    let operation = json!({ "operationId": "get", "parameters": [whole, other] });
    let document = with("/paths", json!({ "/things": { "get": operation } }));
    assert!(reason(&document).contains("needs the parameter `order`, which needs the property `sort`"));
}

#[test]
fn objects_of_other_styles_and_maps_are_not_spread() {
    for style in [json!({ "explode": false }), json!({ "style": "pipeDelimited" })] {
        let imported = import(&with_parameter(filter(&style)));
        assert_eq!(names(&imported), ["id"], "{style}");
        assert!(has_note(&imported, "the parameter `filter` was dropped"), "{style}");
    }
    let needed = json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "object" } } });
    let whole = json!({ "name": "q", "in": "query", "required": true, "schema": needed });
    assert!(reason(&with_parameter(whole)).contains("needs the property `a`, which is no string"));
}

#[test]
fn a_form_spreads_what_its_encoding_says() {
    let address = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    let form = json!({ "type": "object", "properties": {
        "name": { "type": "string" }, "address": address, "other": address, "whole": address
    } });
    let encoding = json!({ "address": { "style": "deepObject" }, "other": { "style": "form" } });
    let content = json!({ "application/x-www-form-urlencoded": { "schema": form, "encoding": encoding } });
    let operation = json!({ "operationId": "add", "requestBody": { "content": content } });
    let imported = import(&with("/paths", json!({ "/things": { "post": operation } })));
    assert_eq!(names(&imported), ["name", "address_city", "city"]);
    let arguments = json!({ "name": "Ada", "address_city": "Köln", "city": "Bonn" });
    let (_, body) = sent(tool(&imported, "add"), &arguments);
    assert_eq!(body, "name=Ada&address%5Bcity%5D=K%C3%B6ln&city=Bonn");
    assert!(has_note(&imported, "the property `whole` was dropped"));
}
