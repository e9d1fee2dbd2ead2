//! The reference: a page for each operation, the guides, and the search.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_engine::{Action, ActionError, ReadAction, ReadCx};
use toolcrib_model::Role;
use toolcrib_registry::{Category, InputSchema, PackInfo, Permission, Spec, Verb};
use toolcrib_testkit::{TestDb, both_databases, sqlite};

use crate::{harness::App, sweep::routes};

/// Returns what stands between two marks, each time they occur.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0)).collect()
}

fn unescape(html: &str) -> String {
    html.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

async fn page(app: &App, path: &str) -> String {
    let reply = app.anonymous().get(path).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    assert_eq!(reply.header("content-type"), "text/html; charset=utf-8", "{path}");
    reply.text
}

fn page_of(operation: &Value) -> String {
    format!("/docs/operations/{}", operation["operationId"].as_str().unwrap())
}

/// A schema that may refer to the document's components.
pub fn checker(document: &Value, schema: &Value) -> InputSchema {
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    InputSchema::accepted(&schema)
}

/// The pages are made without the database.
#[tokio::test(flavor = "multi_thread")]
async fn the_reference_is_whole() {
    let app = App::new(sqlite().await).await;
    every_operation_has_a_page_with_its_parameters_and_statuses(&app).await;
    no_link_of_the_pages_is_dead(&app).await;
    examples_fit_their_schemas(&app).await;
    the_least_role_of_a_page_is_the_first_that_may_call(&app).await;
    a_page_says_who_may_call_and_what_waits(&app).await;
    the_search_finds_words_of_summaries_and_paths(&app).await;
    what_has_no_page_is_not_found(&app).await;
    pages_allow_their_style_and_their_form_only(&app).await;
}

async fn every_operation_has_a_page_with_its_parameters_and_statuses(app: &App) {
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let index = page(app, "/docs").await;
    let all = routes(&document);
    assert_eq!(between(&index, "<a href=\"/docs/operations/", "\"").len(), all.len());
    for (method, _, operation) in all {
        let path = page_of(&operation);
        assert!(index.contains(&format!("<a href=\"{path}\">")), "{path} is not in the index");
        let html = page(app, &path).await;
        assert!(html.contains(&format!("curl -X {method} ")), "{path}");
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let at = parameter["$ref"].as_str().and_then(|at| document.pointer(at.trim_start_matches('#')));
            let name = at.unwrap_or(parameter)["name"].as_str().unwrap();
            assert!(html.contains(&format!("<th scope=\"row\"><code>{name}</code>")), "{path}: {name}");
        }
        for status in operation["responses"].as_object().unwrap().keys() {
            assert_eq!(html.matches(&format!("id=\"status-{status}\"")).count(), 1, "{path}: {status}");
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        for (name, _) in body["properties"].as_object().into_iter().flatten() {
            assert!(html.contains(&format!("</span>{name}</code>")), "{path}: {name}");
        }
        assert!(html.contains("id=\"who\"") && html.contains("href=\"/docs/guides/"), "{path}");
        assert_eq!(html.matches("<h1>").count(), 1, "{path}");
    }
}

async fn no_link_of_the_pages_is_dead(app: &App) {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    let mut links: BTreeSet<(String, String)> = BTreeSet::new();
    let mut open = vec!["/docs".to_owned()];
    while let Some(path) = open.pop() {
        if pages.contains_key(&path) {
            continue;
        }
        let html = page(app, &path).await;
        for link in between(&html, "href=\"", "\"").into_iter().map(unescape) {
            let link = if link.starts_with('#') { format!("{path}{link}") } else { link };
            if link.starts_with("/docs") {
                open.push(link.split('#').next().unwrap().to_owned());
                links.insert((path.clone(), link));
            } else {
                assert!(link == "/openapi.json" || link.starts_with("https://"), "{path} links to {link}");
            }
        }
        let tags = between(&html, "<", ">");
        let ids: Vec<&str> = tags.iter().filter_map(|tag| between(tag, " id=\"", "\"").pop()).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{path}: {ids:?}");
        for tag in tags {
            let is_foreign = ["script", "img", "iframe"].iter().any(|name| tag.starts_with(name));
            let has_code = [" style=", " on"].iter().any(|attribute| tag.contains(attribute));
            assert!(!is_foreign && !has_code, "{path}: <{tag}>");
        }
        pages.insert(path, html);
    }
    for (from, link) in links {
        let Some((path, id)) = link.split_once('#') else { continue };
        assert!(pages[path].contains(&format!(" id=\"{id}\"")), "{from}: {link}");
    }
    assert!(pages.len() > 250, "{}", pages.len());
}

/// Schemas lack rules between fields. What is written for a body is more than fit: the operation takes it.
#[both_databases]
async fn written_examples_are_taken(db: TestDb) {
    let app = App::new(db).await;
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let mut sent = 0;
    for (method, path, operation) in routes(&document) {
        let example = &operation["requestBody"]["content"]["application/json"]["example"];
        if example.is_null() {
            continue;
        }
        let id = "0197a000-0000-7000-8000-000000000000";
        let name = if path.contains("toolsets") { "desk" } else { "chatbot" };
        let path = path.replace(id, name);
        let reply = app.owner().send(&method, &path, example.clone()).await;
        assert!(reply.status != 400 && reply.status != 422, "{method} {path}: {}", reply.text);
        sent += 1;
    }
    assert_eq!(sent, 11, "each that is written belongs to an operation");
}

async fn examples_fit_their_schemas(app: &App) {
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let (mut bodies, mut answers) = (0, 0);
    for (_, _, operation) in routes(&document) {
        let path = page_of(&operation);
        let html = page(app, &path).await;
        assert_eq!(html, page(app, &path).await, "{path}");
        let request = &operation["requestBody"]["content"]["application/json"]["schema"];
        if request.is_object() {
            let text = unescape(between(&html, "\n  -d '", "'</code>")[0]).replace(r"'\''", "'");
            let example: Value = serde_json::from_str(&text).unwrap();
            let errors = checker(&document, request).check(&mut example.clone());
            assert!(errors.is_empty(), "{path}: {example:#} {errors:?}");
            bodies += 1;
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let schema = &response["content"]["application/json"]["schema"];
            let section = html.split(&format!("id=\"status-{status}\"")).nth(1).unwrap();
            let section = section.split("<h3").next().unwrap();
            let Some(text) = between(section, "<pre class=\"wrap\"><code>", "</code>").pop().map(unescape)
            else {
                continue;
            };
            let example: Value = serde_json::from_str(&text).unwrap();
            let errors = checker(&document, schema).check(&mut example.clone());
            assert!(errors.is_empty(), "{path} {status}: {example:#} {errors:?}");
            answers += 1;
        }
    }
    assert!(bodies > 100 && answers > 150, "{bodies} {answers}");
}

async fn the_least_role_of_a_page_is_the_first_that_may_call(app: &App) {
    let mut least: BTreeMap<String, Role> = BTreeMap::new();
    for role in Role::ALL {
        let listed = app.as_role(role).get("/v1/actions?fields=summary").await.ok(200);
        assert_eq!(listed["next_cursor"], Value::Null);
        for action in listed["items"].as_array().unwrap() {
            least.entry(action["name"].as_str().unwrap().to_owned()).or_insert(role);
        }
    }
    assert!(least.len() > 80, "{}", least.len());
    for (action, role) in least {
        let html = page(app, &format!("/docs/operations/{action}")).await;
        let shown = between(&html, "Users with the role <code>", "</code>");
        assert_eq!(shown, [role.as_str()], "{action}");
    }
}

async fn a_page_says_who_may_call_and_what_waits(app: &App) {
    for (operation, says) in [
        (
            "platform_delete_agent",
            "a person who confirms it</a> by typing a phrase. Permanently deletes the agent",
        ),
        ("platform_create_agent", "A call runs at once, except in a workspace"),
        ("platform_create_mission", "With <code>auto_start: true</code> it also needs the permission"),
        (
            "workspaces_create",
            "System admins, and operator keys with the scope <code>workspaces:create</code>.",
        ),
        ("client_tokens_create", "Service keys with the scope <code>approvals:relay</code>."),
        ("assistant_start_run", "A call may take 10 seconds, and up to 60 more with <code>wait</code>."),
        ("me_get", "Every caller with a valid credential."),
        ("get_openapi", "Everybody, without the credential"),
        ("deliver_alerts", "A bearer token: The operator's setting <code>alertmanager_webhook_token</code>."),
    ] {
        let html = page(app, &format!("/docs/operations/{operation}")).await;
        assert!(html.contains(says), "{operation}: {html}");
    }
    // No operation for programs waits for a person.
    for operation in ["settings_update", "members_remove", "platform_list_agents"] {
        let html = page(app, &format!("/docs/operations/{operation}")).await;
        assert!(!html.contains("confirmations\">a person"), "{operation}");
    }
}

async fn the_search_finds_words_of_summaries_and_paths(app: &App) {
    let found = async |query: &str| page(app, &format!("/docs?q={query}")).await;
    for (query, operation) in [
        ("delete+AGENT", "platform_delete_agent"),
        ("%2Fv1%2Fcalls%2F%7Bid%7D%2Fclaim", "claim_call"),
        ("platform_create_agent", "platform_create_agent"),
        ("session+grants+revoke", "revoke_session_grants"),
    ] {
        let html = found(query).await;
        let first = between(&html, "<a href=\"/docs/operations/", "\"");
        assert!(first.iter().take(3).any(|id| *id == operation), "{query}: {first:?}");
    }
    let all = page(app, "/docs").await;
    for empty in ["", "+++", "%20"] {
        assert_eq!(found(empty).await, all, "{empty}");
    }
    assert!(found("whsec_+deliver").await.contains("/docs/guides/webhooks"));
    let hostile = found("%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E%60").await;
    assert!(hostile.contains("0 operations") && !hostile.contains("<script"), "{hostile}");
    assert!(hostile.contains("value=\"&quot;&gt;&lt;script&gt;"), "{hostile}");
    let long = format!("/docs?q={}", "x".repeat(201));
    app.anonymous().get(&long).await.problem(422, "invalid_arguments");
    app.anonymous().get("/docs?words=x").await.problem(422, "invalid_arguments");
    app.anonymous().get("/docs?q=a&q=b").await.problem(422, "invalid_arguments");
    app.anonymous().get("/docs?q=%00").await.problem(400, "malformed_request");
}

async fn what_has_no_page_is_not_found(app: &App) {
    for path in [
        "/docs/operations/unknown",
        "/docs/operations/%3Cscript%3E",
        "/docs/guides/unknown",
        "/docs/guides/..%2FREADME",
    ] {
        let problem = app.anonymous().get(path).await.problem(404, "not_found");
        assert_eq!(problem["hint"], "`/docs` lists them", "{path}");
    }
}

async fn pages_allow_their_style_and_their_form_only(app: &App) {
    for path in
        ["/docs", "/docs?q=agent", "/docs/operations/get_openapi", "/docs/guides/concepts", "/docs/errors"]
    {
        let reply = app.anonymous().get(path).await;
        let policy = reply.header("content-security-policy");
        let rest = policy.strip_prefix("default-src 'none'; style-src 'sha256-").unwrap();
        let (_, rest) = rest.split_once('\'').unwrap();
        assert_eq!(rest, "; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", "{path}");
    }
}

static SHOP: PackInfo = PackInfo {
    slug: "shop",
    title: "A <shop>",
    description: "It sells <things> & `\"more\"`.",
    sources: &[],
    events: &[],
};

/// An action whose texts are markup.
struct ListOrders;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Orders {
    /// A <script>alert(1)</script> and `<b>`.
    #[schemars(length(min = 1, max = 9), extend("x-ours" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<String>,
}

impl ReadAction for ListOrders {
    type Input = Orders;
    type Output = Orders;

    fn spec() -> Spec {
        let permission = Permission::of_pack("shop", Verb::Read);
        Spec::read("shop_list_orders", Category::Pack(&SHOP), permission)
            .describe("List <script>alert(1)</script> orders. Use \"it\" & `<i>`.")
    }

    async fn run(&self, _: &mut ReadCx<'_>, orders: &Orders) -> Result<Orders, ActionError> {
        Ok(orders.clone())
    }

    fn describe(_: &Orders, _: &Orders) -> String {
        "Listed the orders".into()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_has_its_pages_and_its_texts_are_escaped() {
    let app = App::also(sqlite().await, vec![Action::read(ListOrders)]).await;
    let index = page(&app, "/docs").await;
    let html = page(&app, "/docs/operations/shop_list_orders").await;
    for text in [&index, &html, &page(&app, "/docs?q=orders").await] {
        for forbidden in ["<script", "<shop>", "<things>", "<b>", "<i>"] {
            assert!(!text.contains(forbidden), "{forbidden}");
        }
        assert!(text.contains("List &lt;script&gt;alert(1)&lt;/script&gt; orders"));
    }
    assert!(index.contains("It sells &lt;things&gt; &amp; <code>&quot;more&quot;</code>."));
    assert!(html.contains("<code>&lt;i&gt;</code>") && html.contains("<code>&lt;b&gt;</code>"));
    assert!(
        html.contains("Part of the pack A &lt;shop&gt; (<code>shop</code>)")
            && html.contains("<code>shop:read</code>")
    );
}
