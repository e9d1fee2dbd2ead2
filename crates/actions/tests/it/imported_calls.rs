//! Imported tools send what their callers gave: null, any value, and each argument under the service's name.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolcrib_engine::{OperatorRules, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{
    TestDb, both_databases,
    outside::{McpAnswer, McpServer, ReceivedRequest, RestService},
};
use toolcrib_toolset::UpstreamTool;

use crate::harness::{App, completed, find_tools, with_cipher};

/// A service whose operation takes what a narrow tool would refuse or lose.
fn openapi(server: &str) -> Value {
    let nullable = json!({"type": "string", "nullable": true});
    let parameter = |name: &str, place: &str, schema: &Value| -> Value {
        json!({"name": name, "in": place, "required": true, "schema": schema})
    };
    let text = json!({"type": "string"});
    let word = json!({"enum": ["a", null]});
    json!({
        "openapi": "3.0.3", "info": {"title": "Desk", "version": "1"}, "servers": [{"url": server}],
        "paths": {"/tickets/{id}": {"patch": {
            "operationId": "change",
            "parameters": [
                parameter("id", "path", &nullable), parameter("page[size]", "query", &nullable),
                parameter("page_size", "query", &text), parameter("X-Mode", "header", &nullable)
            ],
            "requestBody": {"content": {"application/merge-patch+json": {"schema": {
                "type": "object", "required": ["note", "word", "any", "$top", "top"],
                "properties": {
                    "note": nullable, "word": word, "any": {}, "$top": text, "top": text, "left": nullable}
            }}}}
        }}}
    })
}

/// Makes the drafts of an import callable.
fn accepted(imported: &Value) -> Value {
    let mut document = imported["document"].clone();
    for tool in document["tools"].as_array_mut().unwrap() {
        tool.as_object_mut().unwrap().shift_remove("draft");
        tool["accessible_by"] = json!("everyone");
    }
    document
}

async fn ruled(db: TestDb, host: &str) -> App {
    App::ruled(db, OperatorRules { upstream_hosts: vec![host.to_owned()], ..with_cipher() }).await
}

#[both_databases]
async fn a_service_gets_null_and_its_own_names(db: TestDb) {
    let service = RestService::start().await;
    let app = ruled(db, &service.host).await;
    let owner = app.owner();
    let upstream = json!({"name": "desk", "kind": "http", "base_url": service.url, "auth": {"kind": "none"}});
    owner.done("upstreams.create", upstream).await;
    let imported =
        owner.done("toolsets.import", json!({"slug": "desk", "openapi": openapi(&service.url)})).await;
    owner.done("toolsets.put", json!({"slug": "desk", "document": accepted(&imported)})).await;
    let call = async |arguments: Value| {
        completed(&app.as_role(Role::Member).call("desk__change", arguments).await);
        service.received().pop().unwrap()
    };

    let nulls = json!({"id": "7", "page_size_2": null, "page_size": "9", "X-Mode": null, "note": null,
        "word": null, "any": null, "top_2": "a", "top": "b", "left": null});
    let ReceivedRequest { line, headers, body } = call(nulls).await;
    assert_eq!(line, "PATCH /v2/tickets/7?page_size=9");
    assert!(headers.get("x-mode").is_none());
    assert_eq!(headers["content-type"], "application/merge-patch+json");
    let expected = json!({"note": null, "word": null, "any": null, "$top": "a", "top": "b", "left": null});
    assert_eq!(body, expected);

    let values = json!({"id": "7", "page_size_2": "8", "page_size": "9", "X-Mode": "fast", "note": "n",
        "word": "a", "any": [[1], null, {"a": null}], "top_2": "a", "top": "b"});
    let ReceivedRequest { line, headers, body } = call(values).await;
    assert_eq!(line, "PATCH /v2/tickets/7?page%5Bsize%5D=8&page_size=9");
    assert_eq!(headers["x-mode"], "fast");
    let expected =
        json!({"note": "n", "word": "a", "any": [[1], null, {"a": null}], "$top": "a", "top": "b"});
    assert_eq!(body, expected);

    let without = app.as_role(Role::Member).call("desk__change", json!({"id": null, "top": "b"})).await;
    let Outcome::Refused(problem) = &without.outcome else { panic!("{without:?}") };
    let missing: BTreeSet<&str> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
    let expected = ["/id", "/page_size", "/page_size_2", "/X-Mode", "/note", "/word", "/any", "/top_2"];
    assert_eq!(missing, BTreeSet::from(expected));
    assert_eq!(service.received().len(), 2);
}

/// A tool whose parameters have names and values that a narrow tool would refuse or lose.
fn mcp_tool() -> Value {
    let text = json!({"type": "string"});
    json!({
        "name": "look.up", "description": "Look.",
        "inputSchema": {
            "type": "object", "required": ["ids[]", "ids", "note", "any"],
            "properties": {"ids[]": text, "ids": text, "note": {"type": ["string", "null"]}, "any": true}
        },
        "outputSchema": {
            "type": "object", "required": ["found", "more"],
            "properties": {"found": {}, "more": {"enum": ["a", null]}}
        }
    })
}

#[both_databases]
async fn a_tool_of_an_mcp_server_gets_null_and_its_own_names(db: TestDb) {
    let server = McpServer::start(&[mcp_tool()]).await;
    let app = ruled(db, &server.host).await;
    let owner = app.owner();
    let upstream = json!({"name": "forge", "kind": "mcp", "base_url": server.url, "auth": {"kind": "none"}});
    owner.done("upstreams.create", upstream).await;
    let tool = UpstreamTool {
        name: "look.up".into(),
        description: Some("Look.".into()),
        input_schema: mcp_tool()["inputSchema"].clone(),
        output_schema: Some(mcp_tool()["outputSchema"].clone()),
        destructive_hint: false,
    };
    find_tools(&app, app.a.workspace, &[tool], &[]).await;
    let imported = owner.done("toolsets.import", json!({"slug": "forge", "upstream": "forge"})).await;
    owner.done("toolsets.put", json!({"slug": "forge", "document": accepted(&imported)})).await;
    let structured = json!({"found": [null, [1]], "more": null});
    let result = json!({"content": [], "structuredContent": structured});
    server.answer(McpAnswer::Result(result));
    let arguments = json!({"ids_2": "a", "ids": "b", "note": null, "any": [null]});
    let answer = app.as_role(Role::Member).call("forge__look_up", arguments).await;
    assert_eq!(completed(&answer), structured);
    let sent = &server.of_method("tools/call")[0].body["params"]["arguments"];
    assert_eq!(*sent, json!({"ids[]": "a", "ids": "b", "note": null, "any": [null]}));
}
