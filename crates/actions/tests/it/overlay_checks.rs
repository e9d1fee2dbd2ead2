//! The access decision about declared tools, compared with rules that are written from the design alone
//! (`rules`): over every role, credential, caller type, name, scope, approval mode and state of a tool.
//!
//! A sample of the decisions, or more than ten million with `SOAK=1`. Prints the counts.

mod rules;

use std::{collections::BTreeSet, sync::Arc};

use rules::{CallerCase, Kind, State, ToolCase};
use serde_json::{Value, json};
use toolcrib_access::{Caller, Principal, Provenance, Rule, Scopes, WorkspacePolicy};
use toolcrib_engine::{CallerTools, Catalog};
use toolcrib_model::{CallerType, Id, Role, Surface};
use toolcrib_testkit::{TestDb, both_databases, soak};

use crate::harness::{App, with_cipher};

/// Of how many callers one is compared.
fn stride() -> usize {
    soak(97, 1)
}

/// An app whose workspace has every tool, in two toolsets.
async fn app(db: TestDb, tools: &[ToolCase]) -> App {
    let app = App::ruled(db, with_cipher()).await;
    let owner = app.owner();
    let upstream = json!({"name": "service", "kind": "http", "base_url": "https://api.example/v1/"});
    owner.done("upstreams.create", upstream).await;
    for slug in ["desk", "off"] {
        let of_slug = || tools.iter().filter(|tool| tool.slug == slug);
        let declared: Vec<Value> = of_slug().map(ToolCase::declaration).collect();
        let document = json!({
            "schema": "toolcrib.toolset/1", "slug": slug, "title": slug, "tools": declared,
        });
        owner.done("toolsets.put", json!({"slug": slug, "document": document})).await;
        let disabled = of_slug().filter(|tool| tool.state == State::Disabled);
        let disabled: Vec<&str> = disabled.map(|tool| tool.name.as_str()).collect();
        let switch = json!({"slug": slug, "enabled": slug != "off", "disabled_tools": disabled});
        owner.done("toolsets.update", switch).await;
    }
    app
}

async fn catalog(app: &App) -> Arc<Catalog> {
    app.engine.admit_with_catalog(&app.owner().authenticated, Surface::Rest).await.unwrap().catalog
}

fn caller(case: &CallerCase) -> Caller {
    let id = Id::from_u128(7);
    let principal = match case.kind {
        Kind::User | Kind::SystemAdmin => Principal::User { user_id: id },
        Kind::Agent => Principal::Agent { agent_id: id, runs_as: id },
        Kind::Key => Principal::Service { key_id: id, on_behalf_of: None },
        Kind::KeyForMember => Principal::Service { key_id: id, on_behalf_of: Some(id) },
        Kind::Operator => Principal::Operator { key_id: id },
    };
    let words = case.scopes.map(|words| words.iter().map(|&word| word.to_owned()).collect());
    Caller {
        workspace: id,
        principal,
        role: case.role,
        system_admin: case.kind == Kind::SystemAdmin,
        caller_type: CallerType::new(case.caller_type),
        caller_name: case.name.map(Arc::from),
        scopes: Scopes::from(words),
        session: None,
        mission: None,
        credential: None,
        provenance: Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

fn policy(case: &CallerCase) -> WorkspacePolicy {
    WorkspacePolicy {
        approval_mode: case.mode.parse().unwrap_or_default(),
        deleted: case.mode == "deleted",
        ..WorkspacePolicy::default()
    }
}

/// The declared tools that a caller gets by the design, by name.
fn expected(tools: &[ToolCase], case: &CallerCase, surface: Surface) -> BTreeSet<String> {
    let exists = |tool: &&ToolCase| surface != Surface::Mcp || tool.is_http;
    let allowed = tools.iter().filter(exists).filter(|tool| tool.is_for(case));
    allowed.map(ToolCase::full_name).collect()
}

/// The declared tools among these.
fn declared<'n>(names: impl Iterator<Item = &'n str>) -> BTreeSet<String> {
    names.filter(|name| name.contains("__")).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_decision_about_a_declared_tool_is_that_of_the_rules_soak() {
    let tools = ToolCase::all();
    let app = app(toolcrib_testkit::sqlite().await, &tools).await;
    let catalog = catalog(&app).await;
    let metas: Vec<_> =
        tools.iter().map(|tool| catalog.registry().get(&tool.full_name()).unwrap().clone()).collect();
    let (mut decisions, mut allowed, mut off) = (0_u64, 0_u64, Vec::new());
    for case in CallerCase::all().iter().step_by(stride()) {
        let (caller, policy) = (caller(case), policy(case));
        let view = CallerTools::new(&catalog, &caller, &policy);
        for (tool, meta) in tools.iter().zip(&metas) {
            let decision = view.decide(meta);
            let is_first = tool.state == State::On || decision.reason == Some(Rule::Enabled);
            if decision.allowed != tool.is_for(case) || !is_first {
                off.push(format!("{} for {case:?}: {decision:?}", tool.full_name()));
            }
            decisions += 1;
            allowed += u64::from(decision.allowed);
        }
    }
    println!(
        "{decisions} decisions about {} declared tools, {allowed} allowed, {} off",
        tools.len(),
        off.len()
    );
    assert!(
        off.is_empty(),
        "{} decisions are off, such as:\n{}",
        off.len(),
        off[..off.len().min(10)].join("\n")
    );
    assert!(allowed > 1_000 && (stride() > 1 || decisions >= 10_000_000));
}

#[tokio::test]
async fn lists_and_searches_show_what_the_rules_allow_soak() {
    let tools = ToolCase::all();
    let app = app(toolcrib_testkit::sqlite().await, &tools).await;
    let rest = catalog(&app).await;
    let (mut lists, mut searches) = (0, 0);
    // A prime, so that every value of each column occurs.
    for (n, case) in CallerCase::all().iter().step_by(stride().max(7)).enumerate() {
        let (caller, policy) = (caller(case), policy(case));
        for surface in [Surface::Rest, Surface::Mcp] {
            let catalog = rest.for_surface(surface);
            let (view, expected) =
                (CallerTools::new(&catalog, &caller, &policy), expected(&tools, case, surface));
            let listed = declared(view.allowed().iter().map(|meta| &*meta.spec.name));
            assert_eq!(listed, expected, "{case:?} over {surface:?}");
            lists += 1;
            let tool = &tools[n * 11 % tools.len()];
            let hits = view.search(&format!("does {}", tool.word), None, 1_000);
            let found = declared(hits.iter().map(|(meta, _)| &*meta.spec.name));
            assert!(found.is_subset(&expected), "{case:?} finds {:?}", found.difference(&expected));
            let name = tool.full_name();
            assert_eq!(found.contains(&name), expected.contains(&name), "{case:?} searches {name}");
            assert_eq!(view.find(&name).is_ok(), expected.contains(&name), "{case:?} asks for {name}");
            searches += 1;
        }
    }
    println!("{lists} lists and {searches} searches of {} declared tools", tools.len());
}

/// A member's call without an agent's name, as the API sees it.
fn member(role: Role) -> CallerCase {
    let (name, scopes) = (None, None);
    CallerCase { role: Some(role), kind: Kind::User, caller_type: "api", name, scopes, mode: "standard" }
}

#[both_databases]
async fn members_are_told_and_refused_what_the_rules_say(db: TestDb) {
    let tools = ToolCase::all();
    let app = app(db, &tools).await;
    let owner = app.owner();
    for role in Role::ALL {
        let (person, case) = (app.as_role(role), member(role));
        for tool in tools.iter().step_by(5) {
            let (name, is_allowed) = (tool.full_name(), tool.is_for(&case));
            let code = person.refused(&name, json!({"acceptance_probe": true})).await;
            let expected = if is_allowed { "invalid_arguments" } else { "permission_denied" };
            assert_eq!(code, expected, "{role} {name}");
            let asked = json!({"action": name, "user": app.a.user(role)});
            let explained = owner.done("access.explain", asked).await;
            assert_eq!(explained["allowed"], json!(is_allowed), "{role} {name}: {explained}");
            // The next call has its own part of every limit.
            app.clock.advance(1);
        }
    }
}

#[both_databases]
async fn reports_about_callers_say_what_the_rules_say(db: TestDb) {
    let tools = ToolCase::all();
    let app = app(db, &tools).await;
    for (role, caller_type) in Role::ALL.into_iter().zip(rules::TYPES.into_iter().cycle()) {
        for name in rules::NAMES {
            let asked = json!({"role": role, "caller_type": caller_type, "caller_name": name});
            let report = app.owner().done("access.report", asked).await;
            let items = report["items"].as_array().unwrap().iter();
            let allowed = items.filter(|item| item["reason"].is_null());
            let reported = declared(allowed.map(|item| item["action"].as_str().unwrap()));
            let case = CallerCase { caller_type, name, ..member(role) };
            assert_eq!(reported, expected(&tools, &case, Surface::Rest), "{case:?}");
        }
    }
}
