//! The facts of a caller and of a policy, each changed in turn, without a database.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_access::{ApprovalMode, Caller, EnabledPacks, Principal, Provenance, Scopes, WorkspacePolicy};
use toolcrib_actions::Infrastructure;
use toolcrib_engine::{
    Action, ActionError, CallerTools, Catalog, ReadAction, ReadCx,
    lists::{CachedList, ListCache, ListOptions, ToolList},
};
use toolcrib_http::tool_list;
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{AccessibleBy, Category, Format, Permission, Spec};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// A read for callers of one type or one name.
struct ForSome;

impl ReadAction for ForSome {
    type Input = Nothing;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::read("platform_get_for_some", Category::Agents, Permission::AGENTS_READ)
            .describe("Answers whom it names. Use it to ask.")
            .accessible_by(AccessibleBy::only(&["channel"], &["chosen"]))
    }

    async fn run(&self, _: &mut ReadCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
        Ok(Nothing {})
    }

    fn describe(_: &Nothing, _: &Nothing) -> String {
        "Answered".into()
    }
}

fn caller() -> Caller {
    Caller {
        workspace: Id::nil(),
        principal: Principal::User { user_id: Id::nil() },
        role: Some(Role::Editor),
        system_admin: false,
        caller_type: CallerType::new("chat"),
        caller_name: None,
        scopes: Scopes::All,
        session: None,
        mission: None,
        credential: None,
        provenance: Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

/// Callers and policies of which each differs from the first in one fact that a list depends on.
fn facts() -> Vec<(Caller, WorkspacePolicy)> {
    let agent = Principal::Agent { agent_id: Id::nil(), runs_as: Id::nil() };
    let scopes = Scopes::from(Some(vec!["*:read".to_owned()]));
    let promoted: Arc<[String]> = ["platform_list_tasks".to_owned()].into();
    let callers = [
        caller(),
        Caller { principal: agent, ..caller() },
        Caller { role: Some(Role::Viewer), ..caller() },
        Caller { role: None, ..caller() },
        Caller { system_admin: true, ..caller() },
        Caller { caller_type: CallerType::new("channel"), ..caller() },
        Caller { caller_name: Some("chosen".into()), ..caller() },
        Caller { scopes, ..caller() },
        Caller { mission: Some(Id::nil()), ..caller() },
    ];
    let policies = [
        WorkspacePolicy { approval_mode: ApprovalMode::ReadOnly, ..WorkspacePolicy::default() },
        WorkspacePolicy { deleted: true, ..WorkspacePolicy::default() },
        WorkspacePolicy { promoted: Some(promoted), ..WorkspacePolicy::default() },
        WorkspacePolicy { packs: EnabledPacks::of_stored("game:1"), ..WorkspacePolicy::default() },
    ];
    let callers = callers.into_iter().map(|caller| (caller, WorkspacePolicy::default()));
    callers.chain(policies.into_iter().map(|policy| (caller(), policy))).collect()
}

/// Two catalogues with the same actions and the pack `game`, of which one has one action more.
fn catalogs() -> [Catalog; 2] {
    let product = || toolcrib_actions::all(&Infrastructure::default());
    [product().into_iter().chain([Action::read(ForSome)]).collect(), product()]
        .map(|actions| Catalog::with_packs(actions, &[toolcrib_game::pack()], None))
        .map(|catalog| catalog.map_err(|defects| format!("{defects:?}")).unwrap())
}

#[test]
fn each_fact_is_in_the_key() {
    let catalogs = catalogs();
    for format in [Format::Openai, Format::Mcp] {
        let cache = ListCache::<Value>::default();
        let asked = ListOptions { format, ..ListOptions::default() }.into();
        let get = |tools: &CallerTools<'_>| {
            let make = |list: ToolList| Ok(CachedList { bytes: list.bytes(), list: list.tools });
            cache.get(tools, &asked, make).unwrap().list.clone()
        };
        let mut seen: Vec<Value> = Vec::new();
        for round in 0..2 {
            for (at, (caller, policy)) in facts().into_iter().enumerate() {
                let tools = CallerTools::new(&catalogs[0], &caller, &policy);
                let expected = tool_list(&tools, json!({ "format": format })).unwrap()["tools"].take();
                assert_eq!(get(&tools), expected, "{round}: {at} {caller:?} {policy:?}");
                if round == 0 {
                    let is_other = seen.first().is_none_or(|first| *first != expected);
                    assert!(is_other || expected == json!([]), "{at} has the list of the first caller");
                    seen.push(expected);
                }
                let others = CallerTools::new(&catalogs[1], &caller, &policy);
                let expected = tool_list(&others, json!({ "format": format })).unwrap()["tools"].take();
                assert_eq!(get(&others), expected, "another catalogue: {caller:?}");
            }
        }
    }
}
