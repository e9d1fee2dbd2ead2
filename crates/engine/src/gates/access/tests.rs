use toolcrib_access::{ApprovalMode, Principal, Scopes};
use toolcrib_model::{CallerType, Id, Role, WorkRunner};
use toolcrib_registry::{AccessibleBy, Category, Level, Permission, PermissionResource, ToolState, Verb};

use super::*;
use crate::catalog::{CallerTools, Catalog};

const ID: Id = Id::from_u128(1);

fn caller(principal: Principal) -> Caller {
    Caller {
        workspace: ID,
        principal,
        role: Some(Role::Viewer),
        system_admin: false,
        caller_type: CallerType::new("chatbot"),
        caller_name: None,
        scopes: Scopes::All,
        session: None,
        mission: None,
        credential: None,
        provenance: toolcrib_access::Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

fn user() -> Caller {
    caller(Principal::User { user_id: ID })
}

fn tool() -> Spec {
    let spec = Spec::read("platform_do_thing", Category::Agents, Permission::AGENTS_READ);
    Spec { accessible_by: Some(AccessibleBy::Everyone), ..spec.clone() }
}

fn program() -> Spec {
    let spec = Spec::program("things.do", Level::Write, Permission::SETTINGS_MANAGE);
    Spec { accessible_by: Some(AccessibleBy::Everyone), ..spec.clone() }
}

/// Returns what a denied caller sees: reason, code, detail and hint.
fn told(
    caller: &Caller,
    spec: &Spec,
    policy: &WorkspacePolicy,
) -> (&'static str, &'static str, String, String) {
    let decision = decide(caller, spec, policy);
    let catalog = Catalog::new(Vec::new()).expect("nothing has no defect");
    let error = denial::denial(&CallerTools::new(&catalog, caller, policy), spec, &decision);
    let again = recheck(caller, spec, policy).expect_err("it is denied");
    assert_eq!((again.code, &again.detail), (error.code, &error.detail), "the writer says the same");
    let rule = decision.reason.expect("it is denied");
    (rule.as_str(), error.code.as_str(), error.detail, error.hint.unwrap_or_default())
}

fn says(told: (&str, &str, String, String), expected: [&str; 4]) {
    assert_eq!([told.0, told.1, &told.2, &told.3], expected);
}

const ADMIN: &str = "ask a workspace admin";

#[test]
fn a_role_that_is_too_low_reads_which_one_it_takes() {
    let usual = WorkspacePolicy::default();
    let manage = Spec { permission: Permission::AGENTS_MANAGE, ..tool() };
    let detail = "`platform_do_thing` needs the permission `agents:manage`, which roles from `editor` \
        up have; your role is `viewer`";
    says(told(&user(), &manage, &usual), ["role", "permission_denied", detail, ADMIN]);
    let nobody = Caller { role: None, ..user() };
    assert!(told(&nobody, &manage, &usual).2.ends_with("your role is `none`"));
    let admin_only = Spec { admin_only: true, ..tool() };
    let detail = "`platform_do_thing` needs the role admin or owner";
    says(told(&user(), &admin_only, &usual), ["admin_only", "permission_denied", detail, ADMIN]);
}

#[test]
fn an_agent_reads_that_its_role_is_capped() {
    let agent = caller(Principal::Agent { agent_id: ID, runs_as: ID });
    let hint = "an agent has at most the role `editor`, unless an owner switches `agents_inherit_admin` \
        on; a person may do it";
    for (spec, rule) in [
        (Spec { permission: Permission::AGENTS_DELETE, ..tool() }, "role"),
        (Spec { admin_only: true, ..tool() }, "admin_only"),
    ] {
        let told = told(&agent, &spec, &WorkspacePolicy::default());
        assert_eq!((told.0, &*told.3), (rule, hint));
    }
}

#[test]
fn a_tool_that_is_off_reads_what_switches_it_on() {
    let permission = Permission { resource: PermissionResource::Toolset("desk".into()), verb: Verb::Read };
    let declared = Spec::read("desk__look", Category::Toolset, permission);
    for (state, detail, hint) in [
        (ToolState::ToolsetOff, "its toolset is not enabled", "`PATCH /v1/toolsets/desk` with `enabled`"),
        (ToolState::Disabled, "this workspace disabled it", "out of `disabled_tools`"),
        (ToolState::Draft, "is a draft", "to store it without `draft`"),
    ] {
        let told = told(&user(), &Spec { state, ..declared.clone() }, &WorkspacePolicy::default());
        assert!(told.2.contains(detail) && told.3.contains(hint), "{told:?}");
    }
}

#[test]
fn a_read_only_workspace_says_so() {
    let policy = WorkspacePolicy { approval_mode: ApprovalMode::ReadOnly, ..WorkspacePolicy::default() };
    let write = Spec { level: Level::Write, ..tool() };
    let detail = "`platform_do_thing` changes data, and this workspace is read-only";
    let hint = "ask the owner of the workspace to end read-only mode";
    says(told(&user(), &write, &policy), ["approval_mode", "permission_denied", detail, hint]);
}

#[test]
fn callers_that_an_action_is_not_for_read_who_they_are() {
    let usual = WorkspacePolicy::default();
    let mission = Spec { accessible_by: Some(AccessibleBy::only(&["mission"], &[])), ..tool() };
    let detail = "`platform_do_thing` is not available to callers of the type `chatbot`";
    says(told(&user(), &mission, &usual), ["accessible_by", "permission_denied", detail, ADMIN]);
    let named = Caller { caller_name: Some("scout".into()), ..user() };
    assert_eq!(told(&named, &mission, &usual).2, format!("{detail} named `scout`"));
}

#[test]
fn credentials_that_may_not_read_what_they_are() {
    let usual = WorkspacePolicy::default();
    let by_person = "a person with their own token, or a service key, can do this";
    let by_admin = "an admin or owner with their own token, or a service key that acts for one, can do this";
    let by_owner = "an owner with their own token, or a service key that acts for one, can do this";
    let by_key = "use a service key with the scope `records:write`";
    let special = Spec { special_scope: Some("records:write"), ..program() };
    let of_all = Spec { permission: Permission::WORKSPACE_READ, ..program() };
    let of_owners = Spec { permission: Permission::WORKSPACE_DELETE, ..program() };
    let of_system = Spec { system_scope: Some("workspaces:create"), ..program() };
    let agents_key = Principal::Agent { agent_id: ID, runs_as: ID };
    for (principal, spec, kind, hint) in [
        (Principal::User { user_id: ID }, &special, "a user", by_key),
        (agents_key, &of_all, "an agent", by_person),
        (agents_key, &program(), "an agent", by_admin),
        (agents_key, &of_owners, "an agent", by_owner),
        (agents_key, &of_system, "an agent", "ask the operator of this service"),
        (Principal::Operator { key_id: ID }, &program(), "an operator", by_admin),
    ] {
        let detail = format!("`things.do` is not available to the credential of {kind}");
        says(told(&caller(principal), spec, &usual), ["principal_kind", "permission_denied", &detail, hint]);
    }
    let internal = WorkspacePolicy { runner: WorkRunner::Internal, ..usual };
    let agent = caller(Principal::Agent { agent_id: ID, runs_as: ID });
    let hint = told(&agent, &program().standing_work(), &internal).3;
    assert_eq!(hint, "only a person with their own token can do this");
}

#[test]
fn scopes_that_are_missing_are_named() {
    let usual = WorkspacePolicy::default();
    let service = Principal::Service { key_id: ID, on_behalf_of: None };
    let key = Caller { scopes: Scopes::Only([].into()), ..caller(service) };
    let hint = "use a credential with that scope";
    let detail = "`platform_do_thing` needs the scope `agents:read`, which this credential does not have";
    says(told(&key, &tool(), &usual), ["scopes", "permission_denied", detail, hint]);
    let special = Spec { special_scope: Some("records:write"), ..program() };
    let detail = "`things.do` needs a key with the scope `records:write`";
    says(told(&key, &special, &usual), ["scopes", "insufficient_scope", detail, hint]);
}

#[test]
fn what_is_the_operators_needs_a_system_admin() {
    let system = Spec { system_scope: Some("workspaces:create"), ..program() };
    let service = Principal::Service { key_id: ID, on_behalf_of: None };
    let scopes = Scopes::from(Some(vec!["workspaces:create".to_owned()]));
    let key = Caller { scopes, role: Some(Role::Owner), ..caller(service) };
    let detail = "`things.do` needs a system admin";
    let hint = "ask the operator of this service";
    let usual = WorkspacePolicy::default();
    says(told(&key, &system, &usual), ["role", "permission_denied", detail, hint]);
    says(told(&user(), &system, &usual), ["scopes", "permission_denied", detail, hint]);
    let operator = Principal::Operator { key_id: ID };
    let operator = Caller { scopes: Scopes::Only([].into()), ..caller(operator) };
    let detail = "`things.do` needs the scope `workspaces:create`, which this credential does not have";
    let hint = "use a credential with that scope";
    says(told(&operator, &system, &usual), ["scopes", "permission_denied", detail, hint]);
}
