//! Operations of an OpenAPI document become drafts, or are left out with a reason.

use serde_json::{Value, json};
use toolcrib_import::{ImportError, ImportOptions, import_openapi};
use toolcrib_registry::Level;
use toolcrib_toolset::{HttpMethod, ToolsetSource};

use crate::support::{
    has_note, import, import_with, options, parameters, reason, tickets, tool, with, with_body,
    with_parameter,
};

#[test]
fn each_method_proposes_a_level() {
    let imported = import(&tickets());
    let found: Vec<(&str, Level)> = imported
        .toolset
        .tools
        .iter()
        .flatten()
        .map(|tool| (tool.name.as_deref().unwrap(), tool.permission_level.unwrap()))
        .collect();
    let expected = [
        ("getTicket", Level::Read),
        ("hasTicket", Level::Read),
        ("replaceTicket", Level::Write),
        ("patch_tickets_id", Level::Write),
        ("deleteTicket", Level::Destructive),
        ("createTicket", Level::Write),
    ];
    assert_eq!(found, expected);
    assert!(has_note(&imported, "1 destructive tool without a `warning`"));
    assert_eq!(imported.left_out.len(), 1);
    assert_eq!(
        (&*imported.left_out[0].name, imported.left_out[0].reason.contains("`OPTIONS`")),
        ("options", true)
    );
}

#[test]
fn an_operation_becomes_a_request() {
    let imported = import(&tickets());
    let get = tool(&imported, "getTicket");
    assert_eq!(get.description.as_deref(), Some("One ticket.\nIts last messages too."));
    assert_eq!(get.tags.as_deref(), Some(["tickets".to_owned()].as_slice()));
    assert_eq!(get.draft, Some(true));
    let http = serde_json::to_value(&get.http).unwrap();
    let expected = json!({
        "upstream": "desk", "method": "GET", "path": "tickets/{id}",
        "query": { "labels": "{labels}" }, "headers": { "X-Mode": "{X-Mode}" }
    });
    assert_eq!(http, expected);
    let expected = json!({
        "type": "object", "required": ["id"],
        "properties": {
            "id": { "type": "integer", "minimum": 1 },
            "labels": { "type": "array", "items": { "type": "string" } },
            "X-Mode": { "type": "string", "enum": ["fast", "slow"] }
        }
    });
    assert_eq!(get.parameters, Some(expected));
}

#[test]
fn a_body_is_flat_and_has_no_field_that_the_service_sets() {
    let imported = import(&tickets());
    let create = tool(&imported, "createTicket");
    let http = create.http.as_ref().unwrap();
    assert_eq!((http.method, http.form), (Some(HttpMethod::Post), None));
    assert_eq!(http.body, Some(json!({ "title": "{title}", "open": "{open}" })));
    let expected = json!({
        "type": "object", "required": ["title"],
        "properties": {
            "title": { "type": "string", "maxLength": 200, "description": "In one line." },
            "open": { "type": "boolean", "description": "Default: true." }
        }
    });
    assert_eq!(create.parameters, Some(expected));
    assert_eq!(
        tool(&imported, "replaceTicket").parameters.as_ref().unwrap()["required"],
        json!(["id", "title"])
    );
}

#[test]
fn the_upstream_has_the_address_and_advice_on_its_credential() {
    let imported = import(&tickets());
    assert_eq!(imported.base_url.as_deref(), Some("https://api.helpdesk.example/v2/"));
    let upstreams = imported.toolset.upstreams.as_ref().unwrap();
    assert_eq!(upstreams[0].base_url, imported.base_url);
    assert!(has_note(
        &imported,
        "`key`: give the upstream `auth = { kind = \"header\", name = \"X-Api-Key\" }`"
    ));
    let workspace = ImportOptions { source: ToolsetSource::Workspace, ..options() };
    let imported = import_with(&tickets(), &workspace);
    assert!(imported.toolset.upstreams.is_none());
    assert!(has_note(&imported, "`desk` needs the base URL `https://api.helpdesk.example/v2/`"));
    let other = ImportOptions { server: Some("https://other.example".into()), ..options() };
    assert_eq!(import_with(&tickets(), &other).base_url.as_deref(), Some("https://other.example/"));
    let relative = with("/servers", json!([{ "url": "/v2" }]));
    assert!(has_note(&import_with(&relative, &workspace), "no server has an absolute URL"));
    assert!(matches!(import_openapi(&relative, &options()), Err(ImportError::Server(_))));
}

#[test]
fn a_name_that_occurs_twice_has_its_place() {
    let mut document = tickets();
    let operation = &mut document["paths"]["/tickets/{id}"]["put"];
    operation["parameters"] = json!([
        { "name": "id", "in": "query", "schema": { "type": "integer" } },
        { "name": "title", "in": "header", "schema": { "type": "string" } }
    ]);
    let imported = import(&document);
    let tool = tool(&imported, "replaceTicket");
    let names: Vec<&String> =
        tool.parameters.as_ref().unwrap()["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["id_path", "id_query", "title_header", "title_body", "open"]);
    let http = tool.http.as_ref().unwrap();
    assert_eq!(http.path.as_deref(), Some("tickets/{id_path}"));
    assert_eq!(http.query.as_ref().unwrap()["id"], "{id_query}");
    assert_eq!(http.body.as_ref().unwrap()["title"], "{title_body}");
}

#[test]
fn names_are_made_to_fit_and_keep_their_key() {
    let document =
        with_parameter(json!({ "name": "filter[name]", "in": "query", "schema": { "type": "string" } }));
    let imported = import(&document);
    assert_eq!(
        tool(&imported, "get").http.as_ref().unwrap().query.as_ref().unwrap()["filter[name]"],
        "{filter_name}"
    );
    assert!(has_note(&imported, "the parameter `id` of the path is not described"));
}

#[test]
fn a_tool_whose_name_does_not_fit_is_left_out() {
    let long = with("/paths/~1tickets/post/operationId", json!("x".repeat(59)));
    assert!(import(&long).left_out[1].reason.contains("has 65 characters; at most 64"));
}

#[test]
fn what_can_not_be_mapped_is_left_out_with_its_reason() {
    let file = json!({ "post": { "requestBody": { "content": { "multipart/form-data": {} } } } });
    let required = |parameter: Value| {
        let mut parameter = parameter;
        parameter["required"] = json!(true);
        with_parameter(parameter)
    };
    let object = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    for (document, words) in [
        (with("/paths", json!({ "/f": file })), "`multipart/form-data`; only JSON and forms"),
        (with("/paths", json!({ "/f": { "$ref": "other.yaml#/f" } })), "which is another document"),
        (with("/paths", json!({ "/f": { "get": 1 } })), "is no object"),
        (with("/paths", json!({ "/f/{a": { "get": {} } })), "without its counterpart"),
        (with("/paths", json!({ "/a/../b": { "get": {} } })), "leave the base URL"),
        (with("/paths", json!({ "/f": { "get": { "requestBody": { "required": true } } } })), "its method"),
        (
            with("/paths", json!({ "/f": { "get": { "servers": [{ "url": "https://o.example" }] } } })),
            "of its own",
        ),
        (required(json!({ "name": "c", "in": "cookie" })), "in a cookie"),
        (required(json!({ "name": "Host", "in": "header" })), "reserved header"),
        (required(json!({ "name": "token", "in": "query" })), "secret may only stand in a body"),
        (
            required(json!({ "name": "f", "in": "query", "explode": false, "schema": object })),
            "no string, number, boolean",
        ),
        (with_parameter(json!({ "name": "id", "in": "path", "style": "label" })), "the style `label`"),
        (with_parameter(json!({ "name": "id", "in": "path", "style": "matrix" })), "the style `matrix`"),
        (with_body(json!({ "$ref": "#/components/none" })), "which does not exist"),
        (with_body(json!(false)), "admits nothing"),
    ] {
        let found = reason(&document);
        assert!(found.contains(words), "{words}: {found}");
    }
}

#[test]
fn what_is_optional_is_dropped_with_a_note() {
    for (parameter, words) in [
        (json!({ "name": "c", "in": "cookie" }), "`c` was dropped: it stands in a cookie"),
        (json!({ "name": "X-Forwarded-For", "in": "header" }), "is a reserved header"),
        (json!({ "name": "api_key", "in": "query" }), "a secret may only stand in a body"),
        (json!({ "name": "Authorization", "in": "header", "required": true }), "is set by us"),
        (json!({ "name": "x-api-key", "in": "header", "required": true }), "is set by us"),
        (json!({ "name": "f", "in": "query", "schema": { "type": "object" } }), "and stands in the URL"),
        (json!({ "name": "other", "in": "path" }), "the path has no `other`"),
    ] {
        let imported = import(&with_parameter(parameter));
        assert!(has_note(&imported, words), "{words}: {:?}", imported.notes);
        let names: Vec<&String> = parameters(&imported)["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["id"]);
    }
}

#[test]
fn an_idempotency_key_is_sent_by_us() {
    let mut document = tickets();
    let key = json!({ "name": "Idempotency-Key", "in": "header", "required": true });
    document["paths"]["/tickets"]["post"]["parameters"] = json!([key]);
    let imported = import(&document);
    let tool = tool(&imported, "createTicket");
    assert_eq!(tool.http.as_ref().unwrap().idempotency_header.as_deref(), Some("Idempotency-Key"));
    assert!(tool.parameters.as_ref().unwrap()["properties"].get("Idempotency-Key").is_none());
}

#[test]
fn forms_and_whole_bodies_are_mapped() {
    let form = |schema: Value| {
        let content = json!({ "application/x-www-form-urlencoded": { "schema": schema } });
        with(
            "/paths",
            json!({ "/f": { "post": { "operationId": "add", "requestBody": { "content": content } } } }),
        )
    };
    let fields = json!({ "type": "object", "properties": {
        "a": { "type": "string" }, "b": { "type": "array", "items": { "type": "string" } }
    } });
    let imported = import(&form(fields.clone()));
    let http = tool(&imported, "add").http.as_ref().unwrap();
    assert_eq!((http.form, &http.body), (Some(true), &Some(json!({ "a": "{a}", "b": "{b}" }))));
    let mut needs = fields;
    needs["properties"]["c"] = json!({ "type": "object" });
    let imported = import(&form(needs.clone()));
    assert!(has_note(&imported, "`c` was dropped: it is no string, number, boolean or list of these"));
    needs["required"] = json!(["c"]);
    assert!(reason(&form(needs)).contains("a header or a form"));
    assert!(reason(&form(json!({ "type": "string" }))).contains("form that is no object"));
    let imported = import(&with_body(json!({ "type": "array", "items": { "type": "integer" } })));
    assert_eq!(tool(&imported, "add").http.as_ref().unwrap().body, Some(json!("{body}")));
    assert_eq!(parameters(&imported)["properties"]["body"]["items"]["type"], "integer");
}

#[test]
fn operations_are_selected_by_name_and_path() {
    let select = |include: &[&str], exclude: &[&str]| {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let options = ImportOptions { include: words(include), exclude: words(exclude), ..options() };
        let imported = import_with(&tickets(), &options);
        assert!(imported.left_out.is_empty(), "what is not selected is not left out");
        let names = imported.toolset.tools.iter().flatten().map(|tool| tool.name.clone().unwrap());
        (names.collect::<Vec<_>>().join(" "), has_note(&imported, "`none` matches no operation"))
    };
    assert_eq!(select(&["getTicket", "/tickets", "none"], &[]), ("getTicket createTicket".into(), true));
    let exclude = ["options", "/tickets/*"];
    assert_eq!(select(&[], &exclude), ("createTicket".into(), false));
}

#[test]
fn what_is_no_document_of_openapi_3_is_refused() {
    for (document, words) in [
        (json!(1), "is no OpenAPI document"),
        (json!({ "swagger": "2.0" }), "convert it to OpenAPI 3.0"),
        (json!({ "openapi": "4.0.0" }), "`4.0.0`; 3.0 and 3.1"),
        (json!({ "openapi": 3.0 }), "is OpenAPI `3.0`"),
        (json!({ "openapi": "3.0.0", "x": "x".repeat(8 << 20) }), "more than 8388608 bytes"),
    ] {
        let error = import_openapi(&document, &options()).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    for slug in ["", "Desk", "platform", "tasks"] {
        let options = ImportOptions { slug: slug.into(), ..options() };
        assert!(matches!(import_openapi(&tickets(), &options), Err(ImportError::Slug(_))), "{slug}");
    }
    let options = ImportOptions { server: Some("/v2".into()), ..options() };
    assert!(matches!(import_openapi(&tickets(), &options), Err(ImportError::Server(_))));
}

#[test]
fn texts_are_cleaned_and_cut() {
    let mut document = tickets();
    let get = &mut document["paths"]["/tickets/{id}"]["get"];
    get["summary"] = json!(format!("One\u{200b} ticket. {}", "word ".repeat(400)));
    get["parameters"][0]["description"] = json!("long ".repeat(200));
    get["tags"] = json!(["a\nb\u{202e}", ""]);
    document["info"]["title"] = json!("Desk\u{202e} \n".repeat(40));
    let imported = import(&document);
    let tool = tool(&imported, "getTicket");
    let description = tool.description.as_ref().unwrap();
    assert!(description.starts_with("One ticket. word") && description.ends_with("word…"));
    assert!(description.chars().count() <= 1_000);
    assert_eq!(tool.tags.as_deref(), Some(["a b".to_owned()].as_slice()));
    assert!(imported.toolset.title.as_ref().unwrap().chars().count() <= 80);
}

#[test]
fn a_document_has_at_most_500_tools() {
    let paths: serde_json::Map<String, Value> =
        (0..510).map(|at| (format!("/t{at}"), json!({ "get": {} }))).collect();
    let imported = import(&with("/paths", json!(paths)));
    assert_eq!((imported.toolset.tools.unwrap().len(), imported.left_out.len()), (500, 10));
    assert!(imported.left_out[0].reason.contains("at most 500 tools"));
}
