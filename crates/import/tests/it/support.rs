//! An OpenAPI document for the tests of imports.

use serde_json::{Value, json};
use toolcrib_import::{ImportOptions, OpenApiImport, import_openapi};
use toolcrib_toolset::{CheckContext, DeclaredTool, ToolsetSource, check};

use crate::{json_pointers::set, tool_formats};

/// A document of OpenAPI 3.0 with one operation for each method.
pub fn tickets() -> Value {
    json!({
        "openapi": "3.0.3",
        "info": { "title": "Tickets", "version": "1" },
        "servers": [{ "url": "https://api.helpdesk.example/v2" }],
        "paths": {
            "/tickets/{id}": {
                "parameters": [
                    { "name": "id", "in": "path", "required": true,
                      "schema": { "type": "integer", "minimum": 1 } }
                ],
                "get": {
                    "operationId": "getTicket", "summary": "One ticket.", "tags": ["tickets"],
                    "description": "Its last messages too.",
                    "parameters": [
                        { "name": "labels", "in": "query",
                          "schema": { "type": "array", "items": { "type": "string" } } },
                        { "name": "X-Mode", "in": "header", "schema": { "enum": ["fast", "slow"] } }
                    ]
                },
                "head": { "operationId": "hasTicket" },
                "put": { "operationId": "replaceTicket",
                         "requestBody": { "$ref": "#/components/requestBodies/T" } },
                "patch": { "requestBody": { "$ref": "#/components/requestBodies/T" } },
                "delete": { "operationId": "deleteTicket" },
                "options": { "operationId": "options" }
            },
            "/tickets": {
                "post": {
                    "operationId": "createTicket",
                    "requestBody": { "required": true, "content": {
                        "application/json": { "schema": { "$ref": "#/components/schemas/Ticket" } }
                    } }
                }
            }
        },
        "components": {
            "requestBodies": { "T": { "content": {
                "application/json": { "schema": { "$ref": "#/components/schemas/Ticket" } }
            } } },
            "schemas": {
                "Ticket": {
                    "type": "object", "required": ["title"],
                    "properties": {
                        "title": { "type": "string", "maxLength": 200, "description": "In one line." },
                        "open": { "type": "boolean", "default": true },
                        "created": { "type": "string", "readOnly": true }
                    }
                }
            },
            "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-Api-Key" } }
        }
    })
}

pub fn options() -> ImportOptions {
    ImportOptions {
        slug: "desk".into(),
        source: ToolsetSource::Operator,
        server: None,
        include: Vec::new(),
        exclude: Vec::new(),
    }
}

/// Imports a document. Fails if the result has a defect, or if a tool is not valid in every format.
pub fn import(document: &Value) -> OpenApiImport {
    import_with(document, &options())
}

pub fn import_with(document: &Value, options: &ImportOptions) -> OpenApiImport {
    let imported = import_openapi(document, options).unwrap();
    assert_sound(&imported, options.source);
    imported
}

pub fn assert_sound(imported: &OpenApiImport, source: ToolsetSource) {
    let tools = imported.toolset.tools.as_ref().unwrap();
    if tools.is_empty() {
        return;
    }
    let document = serde_json::to_value(&imported.toolset).unwrap();
    let checked = check(&document, &CheckContext::new(source)).unwrap_or_else(|found| panic!("{found:#?}"));
    for tool in &checked.tools {
        assert!(tool.draft && !tool.access.admits("chat", Some("triage")), "{}", tool.full_name);
        assert_eq!(tool_formats::defects(&checked.slug, tool), [""; 0]);
    }
}

/// The document with the change of one place.
pub fn with(pointer: &str, value: Value) -> Value {
    let mut document = tickets();
    set(&mut document, pointer, value);
    document
}

/// The document with one operation, `POST /things`, whose body has this schema.
pub fn with_body(schema: Value) -> Value {
    let operation = json!({ "operationId": "add", "requestBody": {
        "content": { "application/json": { "schema": schema } }
    } });
    with("/paths", json!({ "/things": { "post": operation } }))
}

/// The document with one operation, `GET /things/{id}`, that has this parameter.
pub fn with_parameter(parameter: Value) -> Value {
    with("/paths", json!({ "/things/{id}": { "get": { "operationId": "get", "parameters": [parameter] } } }))
}

pub fn tool<'a>(imported: &'a OpenApiImport, name: &str) -> &'a DeclaredTool {
    let mut tools = imported.toolset.tools.iter().flatten();
    let named = |tool: &&DeclaredTool| tool.name.as_deref() == Some(name);
    tools.find(named).unwrap_or_else(|| panic!("no `{name}`: {:?}", imported.left_out))
}

/// The schema of the only tool's parameters.
pub fn parameters(imported: &OpenApiImport) -> &Value {
    let tools = imported.toolset.tools.as_ref().unwrap();
    assert_eq!(tools.len(), 1, "{:?}", imported.left_out);
    tools[0].parameters.as_ref().unwrap()
}

/// The reason why the only operation was left out.
pub fn reason(document: &Value) -> String {
    let imported = import(document);
    assert_eq!(imported.left_out.len(), 1, "{imported:?}");
    imported.left_out[0].reason.clone()
}

pub fn has_note(imported: &OpenApiImport, words: &str) -> bool {
    imported.notes.iter().any(|note| note.message.contains(words))
}
