//! The rules beyond the document's schema, one row each.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolcrib_toolset::{CheckContext, KnownUpstream, NoteKind, ToolsetSource, UpstreamKind, check};

use crate::{
    json_pointers::set,
    support::{base, checked, defects, each_is_the_one_defect, notes, operator, with},
};

#[test]
fn slugs_and_names() {
    each_is_the_one_defect(&[
        ("/slug", json!("platform"), "/slug", "reserved"),
        ("/slug", json!("tools"), "/slug", "reserved"),
        ("/slug", json!("packs"), "/slug", "reserved"),
        ("/slug", json!("toolcrib"), "/slug", "reserved"),
        ("/slug", json!("events"), "/slug", "reserved"),
        ("/slug", json!("tasks"), "/slug", "reserved"),
        ("/slug", json!("members"), "/slug", "choose another slug"),
        ("/tools/1/name", json!("Close_Ticket"), "/tools/1/name", "taken by `/tools/0`"),
        ("/tools/1/name", json!("x".repeat(59)), "/tools/1/name", "has 65 characters; at most 64"),
    ]);
    assert_eq!(defects(&with("/tools/1/name", json!("x".repeat(58)))), []);
}

#[test]
fn the_slug_of_an_operators_toolset_is_taken() {
    let mut context = operator();
    context.operator_slugs.insert("desk".into());
    let found = check(&base(), &context).unwrap_err();
    assert_eq!(found.len(), 1);
    assert!(found[0].pointer == "/slug" && found[0].message.contains("operator's toolset"), "{found:?}");
}

#[test]
fn the_slug_of_a_pack_is_taken() {
    let mut context = operator();
    context.pack_slugs.insert("desk");
    let found = check(&base(), &context).unwrap_err();
    assert_eq!(found.len(), 1);
    assert!(found[0].pointer == "/slug" && found[0].message.contains("the slug of a pack"), "{found:?}");
}

#[test]
fn what_only_an_operators_file_may_have() {
    let mut document = base();
    set(&mut document, "/caller_types", json!(["desk"]));
    set(&mut document, "/enabled", json!(true));
    assert_eq!(defects(&document), []);
    let found = check(&document, &CheckContext::new(ToolsetSource::Workspace)).unwrap_err();
    let pointers: Vec<&str> = found.iter().map(|defect| defect.pointer.as_str()).collect();
    assert_eq!(pointers, ["/caller_types", "/enabled", "/upstreams"]);
    assert!(found.iter().all(|defect| defect.message.starts_with("only possible in an operator's file")));
}

#[test]
fn access() {
    let types = "/tools/1/accessible_by/types/0";
    each_is_the_one_defect(&[
        ("/tools/1/accessible_by", json!({ "types": ["mision"] }), types, "did you mean `mission`"),
        ("/tools/1/accessible_by", json!({ "types": ["ghost_writer"] }), types, "the caller types are api"),
        ("/tools/1/accessible_by", json!({ "names": [" "] }), "/tools/1/accessible_by/names/0", "empty"),
        (
            "/defaults/accessible_by/types/0",
            json!("x"),
            "/defaults/accessible_by/types/0",
            "not a configured",
        ),
        ("/caller_types", json!(["a", "a"]), "/caller_types/1", "listed twice"),
        ("/caller_types", json!(["a b"]), "/caller_types/0", "spaces"),
    ]);
    let mut document = with("/tools/1/accessible_by", json!({ "types": ["desk"] }));
    set(&mut document, "/caller_types", json!(["desk"]));
    assert_eq!(defects(&document), []);
    let found = defects(&with("/defaults", Value::Null));
    let pointers: Vec<&str> = found.iter().map(|defect| defect.pointer.as_str()).collect();
    assert_eq!(pointers, ["/tools/0/accessible_by", "/tools/2/accessible_by"]);
}

#[test]
fn confirmation() {
    let level = "/tools/0/permission_level";
    each_is_the_one_defect(&[
        ("/tools/2/warning", Value::Null, "/tools/2/warning", "required for a destructive tool"),
        ("/tools/2/confirmation", json!("none"), "/tools/2/confirmation", "`typed`, or `simple`"),
        ("/tools/2/confirmation", json!("simple"), "/tools/2/simple_because", "why `simple` is enough"),
        ("/tools/0/warning", Value::Null, "/tools/0/warning", "what the person should know"),
        ("/tools/0/always_show/0", json!("nota"), "/tools/0/always_show/0", "did you mean `note`"),
        ("/tools/0/escalations/0/parameter", json!("x"), "/tools/0/escalations/0/parameter", "no parameter"),
        ("/tools/0/escalations/0/parameter", json!("note"), "/tools/0/escalations/0/when", "not a boolean"),
        (
            "/tools/0/escalations/0/when",
            json!({ "equals": "x" }),
            "/tools/0/escalations/0/when",
            "not a string",
        ),
        (
            "/tools/0/escalations/0/level",
            json!("none"),
            "/tools/0/escalations/0/level",
            "`simple` or `typed`",
        ),
        (
            "/tools/0/escalations/0",
            json!({ "parameter": "mode", "when": { "equals": "fats" }, "level": "typed" }),
            "/tools/0/escalations/0/when/equals",
            "`fats` is no value of `mode`",
        ),
    ]);
    let found = defects(&with(level, json!("read")));
    let pointers: Vec<&str> = found.iter().map(|defect| defect.pointer.as_str()).collect();
    assert_eq!(pointers, ["/tools/0/confirmation", "/tools/0/escalations"]);
    let mut document = with("/tools/2/confirmation", json!("simple"));
    set(&mut document, "/tools/2/simple_because", json!("Drafts are written again in a minute."));
    assert_eq!(defects(&document), []);
}

#[test]
fn executors() {
    each_is_the_one_defect(&[
        ("/tools/2/client", Value::Null, "/tools/2", "one of `http`, `mcp` and `client`"),
        ("/tools/1/client", json!({}), "/tools/1", "has the executors `mcp` and `client`"),
        ("/tools/0/http/upstream", json!("helpdes"), "/tools/0/http/upstream", "did you mean `helpdesk`"),
        ("/tools/0/http/upstream", json!("forge"), "/tools/0/http/upstream", "of the kind `mcp`"),
        ("/tools/1/mcp/upstream", json!("helpdesk"), "/tools/1/mcp/upstream", "the tool needs `mcp`"),
    ]);
}

#[test]
fn delete_is_not_a_read() {
    let mut document = base();
    for (pointer, value) in [
        ("/tools/0/permission_level", json!("read")),
        ("/tools/0/confirmation", Value::Null),
        ("/tools/0/escalations", Value::Null),
        ("/tools/0/http/method", json!("DELETE")),
    ] {
        set(&mut document, pointer, value);
    }
    let found = defects(&document);
    assert_eq!((found.len(), &*found[0].pointer), (1, "/tools/0/http/method"), "{found:?}");
}

#[test]
fn sentences() {
    each_is_the_one_defect(&[
        ("/tools/0/confirm_text", json!("Close {ids}"), "/tools/0/confirm_text", "did you mean `{id}`"),
        ("/tools/0/confirm_text", json!("Close {/id}"), "/tools/0/confirm_text", "part of a response"),
        ("/tools/0/confirm_text", json!("Close {id"), "/tools/0/confirm_text", "without its counterpart"),
        ("/tools/0/result_text", json!("{zzzzzz}"), "/tools/0/result_text", "the parameters are id, note"),
        ("/tools/0/result_text", json!("{/a~2}"), "/tools/0/result_text", "not a JSON pointer"),
        ("/tools/0/result_text", json!("{}"), "/tools/0/result_text", "without the name"),
    ]);
}

#[test]
fn paths() {
    let path = "/tools/0/http/path";
    let mut rows = Vec::new();
    for (text, words) in [
        ("/tickets/{id}", "remove the leading `/`"),
        ("https://x.example/{id}", "scheme"),
        ("a//{id}", "`//`"),
        ("../{id}", "`..`"),
        ("a/../{id}", "`..`"),
        ("%2e%2e/{id}", "percent-encoded"),
        ("a\\{id}", "`\\`"),
        ("a?b={id}", "use `query`"),
        ("a b/{id}", "visible ASCII"),
        ("{id}/{labels}", "make it required"),
        ("{id}/{code}", "the body only"),
        ("{id}/{mode}", "make it required"),
        ("{idd}", "did you mean `{id}`"),
    ] {
        rows.push((path, json!(text), path, words));
        let target = "/tools/0/http/target/path";
        rows.push((target, json!(text), target, words));
    }
    each_is_the_one_defect(&rows);
}

#[test]
fn query_headers_and_body() {
    each_is_the_one_defect(&[
        ("/tools/0/http/query/x", json!("{code}"), "/tools/0/http/query/x", "the body only"),
        ("/tools/0/http/query/x", json!("a {labels}"), "/tools/0/http/query/x", "must be a string"),
        ("/tools/0/http/query/{id}", json!("a"), "/tools/0/http/query/{id}", "keys are fixed"),
        ("/tools/0/http/headers/X-A", json!("{code}"), "/tools/0/http/headers/X-A", "the body only"),
        ("/tools/0/http/headers/X-A", json!("{labels}"), "/tools/0/http/headers/X-A", "must be a string"),
        ("/tools/0/http/headers/X-A", json!("ä"), "/tools/0/http/headers/X-A", "visible ASCII"),
        ("/tools/0/http/headers/X A", json!("a"), "/tools/0/http/headers/X A", "name of a header"),
        ("/tools/0/http/headers/x-api-key", json!("a"), "/tools/0/http/headers/x-api-key", "credential"),
        ("/tools/0/http/body/x", json!("{idd}"), "/tools/0/http/body/x", "did you mean"),
        ("/tools/0/http/body/x", json!({ "y": ["{nota}"] }), "/tools/0/http/body/x/y/0", "mean `{note}`"),
        ("/tools/0/http/body/x", json!("a {labels}"), "/tools/0/http/body/x", "joined into a text"),
        ("/tools/0/http/body/{id}", json!(1), "/tools/0/http/body/{id}", "keys are fixed"),
        ("/tools/0/http/method", json!("GET"), "/tools/0/http/body", "not possible with this method"),
        ("/tools/1/mcp/body", json!(1), "/tools/1/mcp/body", "unknown"),
        ("/tools/1/mcp/keys", json!({ "titel": "x" }), "/tools/1/mcp/keys/titel", "`titel` is no parameter"),
        (
            "/tools/0/http/content_type",
            json!("text/plain"),
            "/tools/0/http/content_type",
            "a media type of JSON",
        ),
        (
            "/tools/0/http/content_type",
            json!("a b/c+json"),
            "/tools/0/http/content_type",
            "a media type of JSON",
        ),
        ("/tools/0/http/idempotency_header", json!("Cookie"), "/tools/0/http/idempotency_header", "reserved"),
        ("/tools/0/http/idempotency_header", json!("x-mode"), "/tools/0/http/idempotency_header", "set in"),
        ("/tools/0/http/response/select", json!("ticket"), "/tools/0/http/response/select", "JSON pointer"),
        ("/tools/0/http/response/fields/a", json!("b"), "/tools/0/http/response/fields/a", "JSON pointer"),
        (
            "/tools/0/http/response",
            json!({ "default": [] }),
            "/tools/0/http/response/default",
            "set `select`",
        ),
        (
            "/tools/0/http/response",
            json!({ "select": "/a", "default": "x".repeat(1_023) }),
            "/tools/0/http/response/default",
            "at most 1024 bytes",
        ),
        ("/tools/0/http/target/version", json!("v"), "/tools/0/http/target/version", "JSON pointer"),
        ("/tools/0/http/target/label", json!("{idd}"), "/tools/0/http/target/label", "did you mean"),
    ]);
    assert_eq!(defects(&with("/tools/0/http/body/x", json!("{labels}"))), []);
}

#[test]
fn forms_are_flat() {
    let mut document = with("/tools/0/http/form", json!(true));
    assert_eq!(defects(&document), []);
    set(&mut document, "/tools/0/http/body/x", json!({ "y": 1 }));
    assert!(defects(&document)[0].message.contains("a form is"));
    let mut document = with("/tools/0/http/form", json!(true));
    set(&mut document, "/tools/0/http/body", Value::Null);
    assert_eq!(defects(&document)[0].pointer, "/tools/0/http/form");
}

#[test]
fn reserved_headers() {
    let names = "Host authorization Cookie Content-Type content-length Transfer-Encoding Connection \
                 Forwarded X-Forwarded-For Proxy-Authorization Mcp-Session-Id User-Agent Accept traceparent";
    for name in names.split_whitespace() {
        let pointer = format!("/tools/0/http/headers/{name}");
        each_is_the_one_defect(&[(&pointer, json!("a"), &pointer, "reserved")]);
    }
}

#[test]
fn upstreams() {
    let url = "/upstreams/0/base_url";
    let auth = "/upstreams/0/auth";
    each_is_the_one_defect(&[
        (url, json!("api.helpdesk.example"), url, "must be a URL"),
        (url, json!("ftp://x.example/"), url, "`https://`"),
        (url, json!("https://user:pw@x.example/"), url, "use `auth`"),
        (url, json!("https://x.example/?a=b"), url, "query"),
        (url, json!("https://x.example/v2"), url, "end with `/`"),
        (url, json!("https://x.example/a/../b/"), url, "normal form `https://x.example/b/`"),
        (url, json!("https://x.example\\b/"), url, "visible ASCII"),
        ("/upstreams/1/name", json!("Forge"), "/upstreams/1/name", "lower-case"),
        (auth, json!({ "kind": "header", "env": "A" }), "/upstreams/0/auth/name", "required"),
        (auth, json!({ "kind": "bearer", "name": "X", "env": "A" }), "/upstreams/0/auth/name", "remove it"),
        (
            auth,
            json!({ "kind": "header", "name": "Cookie", "env": "A" }),
            "/upstreams/0/auth/name",
            "reserved",
        ),
        (auth, json!({ "kind": "bearer" }), auth, "names no secret"),
        (auth, json!({ "kind": "bearer", "env": "A", "file": "/b" }), auth, "two secrets"),
        (auth, json!({ "kind": "none", "env": "A" }), "/upstreams/0/auth/env", "remove it"),
        (
            auth,
            json!({ "kind": "bearer", "owner": "user", "env": "A" }),
            "/upstreams/0/auth/env",
            "remove it",
        ),
        (auth, json!({ "kind": "bearer", "env": "a-b" }), "/upstreams/0/auth/env", "environment variable"),
    ]);
    assert_eq!(defects(&with(auth, json!({ "kind": "bearer", "owner": "user" }))), []);
    let mut document = base();
    let again = document["upstreams"][0].clone();
    set(&mut document, "/upstreams/-", again);
    assert!(defects(&document)[0].message.contains("declared twice"));
}

#[test]
fn a_workspaces_upstreams_come_from_the_context() {
    let mut document = base();
    for pointer in ["/upstreams", "/tools/0/http/headers"] {
        set(&mut document, pointer, Value::Null);
    }
    let mut context = CheckContext::new(ToolsetSource::Workspace);
    assert!(check(&document, &context).is_ok());
    context.upstreams = Some(BTreeMap::new());
    let found = check(&document, &context).unwrap_err();
    let pointers: Vec<&str> = found.iter().map(|defect| defect.pointer.as_str()).collect();
    assert_eq!(pointers, ["/tools/0/http/upstream", "/tools/1/mcp/upstream"]);
    assert_eq!(found[0].message, "`helpdesk` is no upstream; add it with `POST /v1/upstreams`");
    let known = |kind, base_url: &str| KnownUpstream { kind, base_url: base_url.into(), auth_header: None };
    context.upstreams = Some(BTreeMap::from([
        ("helpdesk".into(), known(UpstreamKind::Http, "https://api.helpdesk.example/v2/")),
        ("forge".into(), known(UpstreamKind::Mcp, "https://forge.example/mcp")),
    ]));
    assert!(check(&document, &context).is_ok());
    // No tool calls a service with language models.
    context.upstreams = Some(BTreeMap::from([
        ("helpdesk".into(), known(UpstreamKind::OpenAi, "https://models.example/v1/")),
        ("forge".into(), known(UpstreamKind::Anthropic, "https://models.example")),
    ]));
    let found = check(&document, &context).unwrap_err();
    let messages: Vec<&str> = found.iter().map(|defect| defect.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`helpdesk` is of the kind `openai`, and the tool needs `http`",
            "`forge` is of the kind `anthropic`, and the tool needs `mcp`"
        ]
    );
}

#[test]
fn at_most_sixteen_tools_are_promoted() {
    let mut document = base();
    for at in 0..14 {
        let mut tool = document["tools"][2].clone();
        tool["name"] = json!(format!("tool_{at}"));
        tool["promoted"] = json!(true);
        set(&mut document, "/tools/-", tool);
    }
    set(&mut document, "/tools/0/promoted", json!(true));
    set(&mut document, "/tools/1/promoted", json!(true));
    assert_eq!(defects(&document), []);
    set(&mut document, "/tools/2/promoted", json!(true));
    assert!(defects(&document)[0].message.contains("has 17 promoted tools; at most 16"));
}

#[test]
fn a_draft_may_lack_access_and_warning() {
    let mut document = base();
    for (pointer, value) in [
        ("/defaults", Value::Null),
        ("/tools/0/accessible_by", json!("everyone")),
        ("/tools/2/warning", Value::Null),
        ("/tools/2/draft", json!(true)),
    ] {
        set(&mut document, pointer, value);
    }
    assert!(notes(&document, NoteKind::Draft, "/tools/2/warning"));
    assert!(notes(&document, NoteKind::Draft, "/tools/2/accessible_by"));
    assert!(!checked(&document).tools[2].access.admits("chat", None));
}

#[test]
fn notes_are_no_defects() {
    let access = "/tools/1/accessible_by";
    assert!(notes(&base(), NoteKind::Access, "/tools/0/accessible_by"));
    assert!(notes(&with(access, json!({})), NoteKind::Access, access));
    let empty = with("/defaults/accessible_by", json!({ "types": [] }));
    let found = checked(&empty).notes;
    assert!(found.iter().any(|note| note.message.contains("nobody reaches")), "{found:?}");
    for (name, noted) in [("get_x", true), ("delete_x", true), ("create_x", false), ("x", false)] {
        let document = with("/tools/1/name", json!(name));
        assert_eq!(notes(&document, NoteKind::NameAndLevel, "/tools/1/permission_level"), noted, "{name}");
    }
    let read = with("/tools/1/permission_level", json!("read"));
    assert!(notes(&read, NoteKind::NameAndLevel, "/tools/1/permission_level"));
    let because = with("/tools/2/simple_because", json!("x"));
    assert!(notes(&because, NoteKind::Unused, "/tools/2/simple_because"));
    assert!(notes(&with("/tools/2/timeout_seconds", json!(9)), NoteKind::Unused, "/tools/2/timeout_seconds"));
    let unused = with("/tools/0/http/body", json!({ "note": "{note}" }));
    assert!(notes(&unused, NoteKind::Unused, "/tools/0/parameters/properties/code"));
}

#[test]
fn names_of_agents_are_noted_if_they_are_known() {
    let mut context = operator();
    context.agent_slugs = Some(BTreeSet::from(["triage".to_owned()]));
    let names = json!(["Triage", "other_agent"]);
    let document = with("/defaults/accessible_by/names", names);
    let notes = check(&document, &context).unwrap().notes;
    let messages: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
    assert!(messages.contains(&"admits the existing agent `triage`"), "{messages:?}");
    assert!(messages.contains(&"no agent is called `other-agent` yet"), "{messages:?}");
}

#[test]
fn a_media_type_is_that_of_a_body_of_json() {
    for content_type in
        ["application/merge-patch+json", "application/vnd.api+json; charset=utf-8", "text/json"]
    {
        assert_eq!(defects(&with("/tools/0/http/content_type", json!(content_type))), [], "{content_type}");
    }
    let mut document = with("/tools/0/http/content_type", json!("application/json"));
    set(&mut document, "/tools/0/http/form", json!(true));
    let found = defects(&document);
    assert!(found.len() == 1 && found[0].message.contains("a type of its own"), "{found:?}");
    let mut document = with("/tools/0/http/content_type", json!("application/json"));
    set(&mut document, "/tools/0/http/body", Value::Null);
    assert!(defects(&document).iter().any(|defect| defect.message.contains("needs a `body`")));
}

#[test]
fn parameters_of_an_mcp_tool_have_different_names_at_the_server() {
    let mut document = with("/tools/1/mcp/keys", json!({ "title": "title[]" }));
    assert_eq!(defects(&document), []);
    set(&mut document, "/tools/1/parameters/properties/other", json!({ "type": "integer" }));
    set(&mut document, "/tools/1/mcp/keys", json!({ "title": "other" }));
    let found = defects(&document);
    assert!(
        found.len() == 1 && found[0].message.contains("two parameters have the name `other`"),
        "{found:?}"
    );
}

#[test]
fn null_leaves_out_what_it_stands_for_but_in_a_path() {
    let nullable = json!({ "type": ["string", "null"], "maxLength": 9 });
    let mut document = with("/tools/0/parameters/properties/mode", nullable.clone());
    assert_eq!(defects(&document), []);
    let list = json!({ "anyOf": [nullable, { "type": "array", "maxItems": 2, "items": nullable }] });
    set(&mut document, "/tools/0/parameters/properties/labels", list);
    assert_eq!(defects(&document), []);
    set(&mut document, "/tools/0/parameters/properties/id", nullable);
    let found = defects(&document);
    assert!(found.iter().all(|defect| defect.message.contains("let it not be null")), "{found:?}");
    assert_eq!(found.len(), 2, "path, and the path of the target");
}
