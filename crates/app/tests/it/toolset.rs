//! `toolset check|matrix|schema|import|apply|export`.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};
use toolcrib_testkit::{BadToolset, bad_toolsets};

use crate::{
    api::Api,
    binary::{Server, done, folder, refused, run},
};

fn example(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/toolsets").join(name).display().to_string()
}

fn file(name: &str, text: &str) -> (tempfile::TempDir, String) {
    let folder = folder();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path.display().to_string())
}

#[test]
fn the_examples_have_no_defects() {
    let text = done(&["toolset", "check", &example("srs-writer.toml"), &example("orion.toml")]);
    assert!(text.contains("srs-writer.toml: no defects in 33 tools of `srs-writer`\n"), "{text}");
    assert!(text.contains("orion.toml: no defects in 15 tools of `orion`\n"), "{text}");
    assert!(text.contains("objects closed: other properties are refused\n"), "{text}");
    let text = done(&["toolset", "check", &example("brave.toml"), &example("github.toml")]);
    assert!(text.contains("brave.toml: no defects in 1 tool of `brave`\n"), "{text}");
    assert!(text.contains("github.toml: no defects in 12 tools of `github`\n"), "{text}");
    let json = done(&["toolset", "check", "--json", &example("orion.toml")]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["tools"].as_array().unwrap().len(), 15);
    assert_eq!(json[0]["tools"][0]["name"], "orion__get_emails");
}

#[test]
fn every_defect_is_printed_and_the_exit_code_is_1() {
    let text = fs::read_to_string(example("orion.toml")).unwrap();
    let text = text.replacen("description", "desription", 1).replacen("permission_level = \"read\"\n", "", 1);
    let (_folder, path) = file("orion.toml", &text);
    let output = run(&["toolset", "check", &path]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    for line in [
        ": 3 defects\n",
        "  /tools/0/description: `description` is required\n",
        "  /tools/0/desription: unknown; did you mean `description`\n",
        "  /tools/0/permission_level: `permission_level` is required\n",
    ] {
        assert!(printed.contains(line), "{printed}");
    }
    let output = run(&["toolset", "check", "--json", &path]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json[0]["defects"][0]["pointer"], "/tools/0/description");
    assert_eq!(run(&["toolset", "matrix", &path]).status.code(), Some(1));
}

#[test]
fn each_kind_of_defect_is_printed_with_its_pointer() {
    // Which upstreams a workspace has is known to the service alone.
    let is_known = |bad: &BadToolset| bad.pointer != "/tools/0/http/upstream";
    for bad in bad_toolsets().into_iter().filter(is_known) {
        let (_folder, path) = file("desk.json", &bad.document().to_string());
        let output = run(&["toolset", "check", "--workspace", &path]);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{bad:?}: {printed}");
        let is_named = printed.lines().any(|line| {
            let at = line.trim_start().split_once(": ");
            at.is_some_and(|(pointer, message)| pointer == bad.pointer && message.contains(bad.words))
        });
        assert!(is_named, "{bad:?}: {printed}");
    }
}

const TICKETS: &str = "
openapi: 3.1.0
info: { title: Support desk, version: '2' }
servers: [{ url: https://api.helpdesk.example/v2 }]
paths:
  /tickets/{id}:
    get:
      operationId: get_ticket
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { 200: { description: on } }
  /files:
    post: { operationId: add_file, requestBody: { content: { multipart/form-data: {} } } }
";

#[test]
fn an_openapi_document_is_imported_as_a_document_that_the_check_accepts() {
    let (_folder, yaml) = file("desk.yaml", TICKETS);
    let import = ["toolset", "import", "openapi", &yaml, "--slug", "desk"];
    let output = run(&import);
    let (toml, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("desk.yaml: 1 tool as drafts, 1 operation left out\n"), "{told}");
    assert!(told.contains("  left out: add_file: has a body of `multipart/form-data`"), "{told}");
    let (_other, path) = file("desk.toml", &toml);
    assert!(done(&["toolset", "check", &path]).contains("no defects in 1 tool of `desk`"));
    let json = done(&[import.as_slice(), &["--workspace", "--json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["document"]["tools"][0]["http"]["path"], "tickets/{id}");
    assert_eq!(json["left_out"][0]["name"], "add_file");
    assert!(json["document"].get("upstreams").is_none());
    let (_json, path) =
        file("desk.txt", &json!({ "openapi": "3.0.0", "servers": [{ "url": "/" }] }).to_string());
    assert!(
        refused(&["toolset", "import", "openapi", &path, "--slug", "desk"], 2).contains("the server is not")
    );
}

#[test]
fn an_import_without_a_tool_or_a_document_has_its_exit_code() {
    let (_folder, yaml) = file("desk.yaml", TICKETS);
    let import = |path: &str, more: &[&str]| {
        run(&[["toolset", "import", "openapi", path, "--slug", "desk"].as_slice(), more].concat())
    };
    assert_eq!(import(&yaml, &["--include", "add_*"]).status.code(), Some(1));
    assert_eq!(import(&yaml, &["--exclude", "/files", "--server", "/v2"]).status.code(), Some(2));
    for (text, words) in [
        ("a: 1\na: 2\n", "x.yaml: line 2 column 1: duplicate mapping key"),
        ("swagger: '2.0'", "convert it to OpenAPI 3.0"),
        ("{\"openapi\": ", "EOF while parsing"),
    ] {
        let (_folder, path) = file("x.yaml", text);
        let output = import(&path, &[]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains(words), "{told}");
    }
}

#[test]
fn a_syntax_error_has_line_and_column_and_exit_code_2() {
    let (_folder, path) = file("x.toml", "slug = 'a'\nslug = 'b'\n");
    assert!(refused(&["toolset", "check", &path], 2).contains("x.toml: line 2, column 1: not valid TOML"));
    let (_folder, path) = file("x.json", "{\"slug\": 1, \"slug\": 2}");
    assert!(refused(&["toolset", "matrix", &path], 2).contains("the key `slug` appears twice"));
    assert!(refused(&["toolset", "check", "/no/such/file"], 2).contains("/no/such/file: "));
}

#[test]
fn a_workspaces_document_declares_no_caller_types() {
    let path = example("srs-writer.toml");
    let output = run(&["toolset", "check", "--workspace", &path]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("/caller_types: only possible in an operator's file"), "{printed}");
}

#[test]
fn two_files_can_not_have_one_slug() {
    let path = example("orion.toml");
    let output = run(&["toolset", "check", &path, &path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().contains("is the slug of an operator's toolset"));
}

#[test]
fn the_matrix_is_a_table() {
    let text = done(&["toolset", "matrix", &example("srs-writer.toml")]);
    assert!(text.starts_with("| tool | level | asks | `orchestrator:TOOL_EXECUTION` |"), "{text}");
    assert!(text.ends_with("| 33 tools | | | 8 | 14 | 10 | 12 | 14 | 4 | 3 | 1 | 2 | 0 |\n"), "{text}");
    let json: Value =
        serde_json::from_str(&done(&["toolset", "matrix", "--json", &example("orion.toml")])).unwrap();
    assert_eq!(json["callers"], serde_json::json!(["other"]));
    assert_eq!(json["rows"][0]["lowest_roles"], serde_json::json!(["viewer"]));
}

#[test]
fn a_document_of_a_workspace_names_upstreams_that_no_file_declares() {
    let text = fs::read_to_string(example("brave.toml")).unwrap();
    let (start, rest) = text.split_once("[[upstreams]]").unwrap();
    let (_, tools) = rest.split_once("[[tools]]").unwrap();
    let text = format!("{start}[[tools]]{tools}").replace("\"brave\"", "\"search\"");
    let (_folder, path) = file("search.toml", &text);
    for command in ["check", "matrix"] {
        let output = run(&["toolset", command, &path]);
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{printed}");
        let repair = "`search` is no upstream; declare it in `upstreams`; a workspace's document is checked \
                      with `--workspace`";
        assert!(printed.contains(repair), "{printed}");
    }
    assert!(done(&["toolset", "matrix", "--workspace", &path]).contains("`search__web_search`"));
}

#[test]
fn the_schema_is_printed() {
    let schema: Value = serde_json::from_str(&done(&["toolset", "schema"])).unwrap();
    assert_eq!(schema["properties"]["tools"]["maxItems"], 500);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_files_are_served() {
    let (_key, key) = file("key", "geheim-4711\n");
    let (_folder, path) = with_upstream(&format!("auth = {{ kind = 'bearer', file = '{key}' }}"));
    let files = format!("{},{},{path}", example("orion.toml"), example("srs-writer.toml"));
    let data = folder();
    let named = ["--public-url", "https://crib.example", "--upstream-hosts", "crib.example"];
    let server = Server::start(data.path(), &[["--demo", "--toolset", &files].as_slice(), &named].concat());
    let owner = Api::new(&reqwest::Client::new(), &server, data.path(), "owner");
    they_are_served_with_their_caller_types(&owner).await;
    the_operators_secret_is_read_and_never_shown(&owner, &server).await;
}

async fn they_are_served_with_their_caller_types(owner: &Api) {
    let listed = owner.get("/v1/toolsets").await;
    let mut slugs: Vec<&str> =
        listed["items"].as_array().unwrap().iter().map(|item| item["slug"].as_str().unwrap()).collect();
    slugs.sort_unstable();
    assert_eq!(slugs, ["desk", "orion", "srs-writer"], "{listed}");
    let mut items = listed["items"].as_array().unwrap().iter();
    assert!(items.any(|item| item["slug"] == "orion" && item["enabled"] == false), "{listed}");
    let path = "/v1/toolsets/orion";
    let on = owner.ok("PATCH", path, Some(&json!({"enabled": true})), 200).await;
    assert_eq!((&on["tools"]["on"], &on["version"]), (&json!(15), &json!(1)));
    let mine = json!({"document": {
        "schema": "toolcrib.toolset/1", "slug": "mine", "title": "Mine",
        "tools": [{
            "name": "read", "description": "Read.", "permission_level": "read", "client": {},
            "accessible_by": {"types": ["specialist:content"], "names": []}
        }]
    }, "as": {"role": "viewer", "caller_type": "specialist:content"}});
    let checked = owner.post("/v1/toolsets/check", &mine, 200).await;
    assert_eq!(checked["access"][0]["allowed"], true, "{checked}");
}

#[test]
fn a_defect_in_a_file_of_the_operator_stops_the_start() {
    let data = folder();
    let (_folder, path) = file("desk.toml", "schema = 'toolcrib.toolset/1'\nslug = 'Desk'\ntitle = 'Desk'\n");
    let args =
        ["serve", "--bind", "127.0.0.1:0", "--data-dir", data.path().to_str().unwrap(), "--toolset", &path];
    let text = refused(&args, 2);
    assert!(text.contains("desk.toml has defects") && text.contains("/slug: "), "{text}");
}

#[test]
fn no_toolset_has_the_slug_of_a_pack() {
    let (data, text) = (folder(), fs::read_to_string(example("orion.toml")).unwrap());
    let (_folder, path) = file("game.toml", &text.replacen("slug = \"orion\"", "slug = \"game\"", 1));
    let checked = run(&["toolset", "check", "--workspace", &path]);
    let printed = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.code() == Some(1) && printed.contains("is the slug of a pack"), "{printed}");
    let data = data.path().to_str().unwrap();
    let text = refused(&["serve", "--bind", "127.0.0.1:0", "--data-dir", data, "--toolset", &path], 2);
    assert!(text.contains("is the slug of a pack"), "{text}");
}

/// A toolset with one upstream, whose fields are `fields`.
fn with_upstream(fields: &str) -> (tempfile::TempDir, String) {
    let text = format!(
        "schema = 'toolcrib.toolset/1'\nslug = 'desk'\ntitle = 'Desk'\n\
         [[upstreams]]\nname = 'forge'\nkind = 'http'\nbase_url = 'https://forge.example/'\n{fields}\n\
         [[tools]]\nname = 'look'\ndescription = 'Look.'\npermission_level = 'read'\n\
         accessible_by = 'everyone'\nhttp = {{ upstream = 'forge', method = 'GET', path = 'tickets' }}\n"
    );
    file("desk.toml", &text)
}

#[test]
fn a_secret_of_the_operator_that_is_missing_or_unfit_stops_the_start() {
    let (_key, unfit) = file("key", "two words\n");
    let auth = |rest: &str| format!("auth = {{ kind = 'bearer', {rest} }}");
    for (fields, words) in [
        (auth("file = '/no/such/key'"), "the upstream `forge` of `desk`: `/no/such/key` can't be read"),
        (auth("env = 'TEST_FORGE_KEY_THAT_NOBODY_SETS'"), "`TEST_FORGE_KEY_THAT_NOBODY_SETS` is not set"),
        (auth(&format!("file = '{unfit}'")), "must be visible ASCII without spaces"),
        (format!("ca_file = '{unfit}'"), "must hold certificates in PEM"),
    ] {
        let (data, (_folder, path)) = (folder(), with_upstream(&fields));
        let data = data.path().to_str().unwrap();
        let text = refused(&["serve", "--bind", "127.0.0.1:0", "--data-dir", data, "--toolset", &path], 2);
        assert!(text.contains(words) && !text.contains("two words"), "{text}");
    }
}

async fn the_operators_secret_is_read_and_never_shown(owner: &Api, server: &Server) {
    let listed = owner.get("/v1/upstreams").await;
    let item = &listed["items"][0];
    assert_eq!((&item["name"], &item["has_secret"]), (&json!("desk.forge"), &json!(true)), "{listed}");
    assert!(!listed.to_string().contains("geheim") && !server.text().contains("geheim"));
    // The service does not call itself, not even where the operator lists its host.
    let own = json!({"name": "own", "kind": "http", "base_url": "https://crib.example/"});
    let refused = owner.post("/v1/upstreams", &own, 422).await;
    assert!(refused.to_string().contains("must not be the address of this service"), "{refused}");
}

#[test]
fn a_document_is_applied_to_a_workspace_and_exported() {
    let data = folder();
    let data = data.path().to_str().unwrap();
    done(&["migrate", "--data-dir", data]);
    let made = done(&["workspace", "create", "--data-dir", data, "Desk"]);
    let made: Value = serde_json::from_str(&made).unwrap();
    let workspace = made["id"].as_str().unwrap();
    let on = |command: &'static str, what: &str| {
        [["toolset", command].as_slice(), &[what, "--workspace", workspace, "--data-dir", data]]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let words = |args: &[String]| done(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let text = words(&on("apply", &example("orion.toml")));
    assert!(text.starts_with("`orion` stored, version 1\n  added: orion__get_emails\n"), "{text}");
    let exported = words(&on("export", "orion"));
    let (_folder, path) = file("orion.toml", &exported);
    assert_eq!(words(&on("apply", &path)), "`orion` unchanged, version 1\n", "{exported}");
    let (_folder, path) = file("orion.toml", &exported.replace("description = ", "desription = "));
    let broken = on("apply", &path);
    let output = run(&broken.iter().map(String::as_str).collect::<Vec<_>>());
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("nothing was stored") && printed.contains("did you mean `description`"),
        "{printed}"
    );
    assert_eq!(words(&on("export", "orion")), exported);
    let log = done(&["audit", "tail", "--workspace", workspace, "--data-dir", data]);
    assert_eq!(log.matches("toolsets.put").count(), 1, "{log}");
    let missing = on("export", "desk");
    assert!(
        refused(&missing.iter().map(String::as_str).collect::<Vec<_>>(), 2).contains("no toolset `desk`")
    );
}
