//! Each rule by itself, against tables written from what the rules promise.

use toolcrib_access::{
    ApprovalMode, Caller, EnabledPacks, Principal, Rule, Scopes, WorkspacePolicy, decide, role_holds,
};
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{
    AccessibleBy, Category, Level, PackInfo, Permission, PermissionResource, Spec, ToolState, Verb,
};

const ID: Id = Id::from_u128(1);
const USER: Principal = Principal::User { user_id: ID };
const AGENT: Principal = Principal::Agent { agent_id: ID, runs_as: ID };
const SERVICE: Principal = Principal::Service { key_id: ID, on_behalf_of: None };
const OPERATOR: Principal = Principal::Operator { key_id: ID };

fn caller(principal: Principal, role: Option<Role>, scopes: Option<&[&str]>) -> Caller {
    let words = scopes.map(|words| words.iter().map(|word| (*word).to_owned()).collect());
    Caller {
        workspace: ID,
        principal,
        role,
        system_admin: false,
        caller_type: CallerType::new("mission"),
        caller_name: None,
        scopes: Scopes::from(words),
        session: None,
        mission: None,
        credential: None,
        provenance: toolcrib_access::Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

/// A user without a membership whose verified token says that they are a system admin.
fn system() -> Caller {
    Caller { system_admin: true, ..caller(USER, None, None) }
}

fn user(role: Role) -> Caller {
    caller(USER, Some(role), None)
}

fn tool(level: Level, permission: Permission) -> Spec {
    let spec = Spec::read("platform_do_thing", Category::Agents, permission);
    Spec { level, accessible_by: Some(AccessibleBy::Everyone), ..spec.clone() }
}

fn program(level: Level, permission: Permission) -> Spec {
    Spec { accessible_by: Some(AccessibleBy::Everyone), ..Spec::program("things.do", level, permission) }
}

fn passes(rule: Rule, caller: &Caller, spec: &Spec) -> bool {
    passes_in(ApprovalMode::Standard, rule, caller, spec)
}

fn passes_in(approval_mode: ApprovalMode, rule: Rule, caller: &Caller, spec: &Spec) -> bool {
    let policy = WorkspacePolicy { approval_mode, ..WorkspacePolicy::default() };
    let factors = decide(caller, spec, &policy).factors;
    factors.iter().find(|factor| factor.rule == rule).is_some_and(|factor| factor.passed)
}

/// The lowest role that holds each permission. The roles above it hold the permission too.
const LOWEST: [(Role, &str); 5] = [
    (
        Role::Viewer,
        "agents:read playbooks:read analytics:read data:read governance:read tasks:read marketplace:read \
         workspace:read memory:read integrations:read chat:read documents:read discovery:read schedules:read \
         reports:read field:read missions:read members:read confirmations:read notifications:read",
    ),
    (Role::Member, "playbooks:use tasks:use memory:use reports:use field:use missions:use assistant:use"),
    (
        Role::Editor,
        "agents:manage playbooks:manage governance:manage marketplace:manage documents:manage \
         schedules:manage missions:manage",
    ),
    (
        Role::Admin,
        "agents:delete playbooks:delete memory:delete documents:delete audit:read infrastructure:read \
         keys:read keys:manage members:manage integrations:manage settings:manage toolsets:read \
         toolsets:manage",
    ),
    (Role::Owner, "workspace:delete workspace:billing members:change_role members:impersonate"),
];

#[test]
fn each_permission_has_its_lowest_role() {
    let mut listed = 0;
    for (lowest, permissions) in LOWEST {
        for word in permissions.split_whitespace() {
            let permission = Permission::ALL.iter().find(|permission| permission.to_string() == word);
            let permission = permission.unwrap_or_else(|| panic!("no permission `{word}`"));
            for role in Role::ALL {
                assert_eq!(role_holds(role, permission), role >= lowest, "{role} {permission}");
            }
            listed += 1;
        }
    }
    assert_eq!(listed, Permission::ALL.len());
}

#[test]
fn an_action_names_its_callers() {
    let mission = caller(USER, None, None);
    let of = |accessible_by| Spec { accessible_by, ..tool(Level::Read, Permission::AGENTS_READ) };
    let only = |types: &[&str]| Some(AccessibleBy::only(types, &[]));
    assert!(passes(Rule::AccessibleBy, &mission, &of(Some(AccessibleBy::Everyone))));
    assert!(passes(Rule::AccessibleBy, &mission, &of(only(&["mission"]))));
    assert!(!passes(Rule::AccessibleBy, &mission, &of(only(&["chatbot"]))));
    assert!(!passes(Rule::AccessibleBy, &mission, &of(None)));
}

/// Columns: user, agent, service key, operator key.
#[test]
fn each_kind_of_credential_calls_its_own_actions() {
    let settings = Permission::SETTINGS_MANAGE;
    let (read, write) = (program(Level::Read, settings.clone()), program(Level::Write, settings.clone()));
    let table: [(&str, Spec, [bool; 4]); 9] = [
        ("a tool", tool(Level::Write, Permission::AGENTS_MANAGE), [true, true, true, false]),
        ("a tool for all", Spec { open: true, ..tool(Level::Read, settings) }, [true, true, true, false]),
        ("reading", read.clone(), [true, true, true, false]),
        ("changing", write.clone(), [true, false, true, false]),
        (
            "special",
            Spec { special_scope: Some("records:write"), ..write.clone() },
            [false, false, true, false],
        ),
        (
            "special reading",
            Spec { special_scope: Some("records:write"), ..read.clone() },
            [false, false, true, false],
        ),
        (
            "the operator's",
            Spec { system_scope: Some("workspaces:create"), ..write.clone() },
            [true, false, true, true],
        ),
        (
            "also the operator's",
            Spec { also_system: Some("workspaces:limits"), ..write.clone() },
            [true, false, true, true],
        ),
        ("for all", Spec { open: true, ..read.clone() }, [true, true, true, true]),
    ];
    for (what, spec, expected) in table {
        let kinds = [USER, AGENT, SERVICE, OPERATOR];
        let got =
            kinds.map(|kind| passes(Rule::PrincipalKind, &caller(kind, Some(Role::Owner), None), &spec));
        assert_eq!(got, expected, "{what}");
    }
}

#[test]
fn scopes_cover_what_they_name() {
    let spec = || program(Level::Write, Permission::SETTINGS_MANAGE);
    let special = Spec { special_scope: Some("records:write"), ..spec() };
    let system_scope = Spec { system_scope: Some("workspaces:create"), ..spec() };
    let also = Spec { also_system: Some("workspaces:limits"), ..spec() };
    let open = Spec { open: true, ..spec() };
    let key = |scopes| caller(SERVICE, Some(Role::Admin), Some(scopes));
    let operator = |scopes| caller(OPERATOR, None, Some(scopes));
    let table: [(&str, Caller, &Spec, bool); 16] = [
        ("a token is not narrowed", caller(USER, None, None), &spec(), true),
        ("a pattern", key(&["settings:*"]), &spec(), true),
        ("another pattern", key(&["*:read", "agents:manage"]), &spec(), false),
        ("nothing", key(&[]), &spec(), false),
        ("open to all", key(&[]), &open, true),
        ("the special scope", key(&["records:write"]), &special, true),
        ("a pattern for a special scope", key(&["*:*"]), &special, false),
        ("a token for a special scope", caller(USER, None, None), &special, false),
        ("a system admin", system(), &system_scope, true),
        ("the operator's scope", operator(&["workspaces:create"]), &system_scope, true),
        ("another scope of operators", operator(&["workspaces:limits"]), &system_scope, false),
        ("an owner's token", caller(USER, Some(Role::Owner), None), &system_scope, false),
        ("an operator by its scope", operator(&["workspaces:limits"]), &also, true),
        ("an operator by a pattern", operator(&["settings:manage"]), &also, false),
        ("a key by its pattern", key(&["settings:manage"]), &also, true),
        ("a key by the operator's scope", key(&["workspaces:limits"]), &also, false),
    ];
    for (what, who, spec, expected) in table {
        assert_eq!(passes(Rule::Scopes, &who, spec), expected, "{what}");
    }
}

#[test]
fn a_role_is_needed_but_where_it_is_said_otherwise() {
    let spec = || program(Level::Write, Permission::SETTINGS_MANAGE);
    let (owner, viewer) = (caller(USER, Some(Role::Owner), None), caller(USER, Some(Role::Viewer), None));
    let (nobody, operator) = (caller(USER, None, None), caller(OPERATOR, None, None));
    let system_scope = Spec { system_scope: Some("workspaces:create"), ..spec() };
    let also = Spec { also_system: Some("workspaces:limits"), ..spec() };
    let health = Spec { admin_only: true, ..tool(Level::Read, Permission::INFRASTRUCTURE_READ) };
    let audit = Spec { admin_only: true, ..tool(Level::Read, Permission::AUDIT_READ) };
    // Columns: owner, viewer, user without a membership, operator, system admin without a membership.
    let table: [(&str, Spec, [bool; 5]); 8] = [
        ("by role", spec(), [true, false, false, false, false]),
        ("open to all", Spec { open: true, ..spec() }, [true; 5]),
        ("special", Spec { special_scope: Some("records:write"), ..spec() }, [true; 5]),
        ("the operator's", system_scope, [false, false, false, true, true]),
        ("also the operator's", also, [true, false, false, true, true]),
        ("the platform's health", health.clone(), [true, false, false, false, true]),
        (
            "health for others too",
            Spec { admin_only: false, ..health.clone() },
            [true, false, false, false, false],
        ),
        ("a tenant's audit", audit, [true, false, false, false, false]),
    ];
    for (what, spec, expected) in table {
        let people = [&owner, &viewer, &nobody, &operator, &system()];
        assert_eq!(people.map(|who| passes(Rule::Role, who, &spec)), expected, "{what}");
    }
}

#[test]
fn admin_only_is_for_admins_owners_and_system_admins() {
    let spec = Spec { admin_only: true, ..tool(Level::Read, Permission::AGENTS_READ) };
    for role in Role::ALL {
        let who = caller(USER, Some(role), None);
        assert_eq!(passes(Rule::AdminOnly, &who, &spec), role >= Role::Admin, "{role}");
        assert!(passes(Rule::AdminOnly, &who, &tool(Level::Read, Permission::AGENTS_READ)));
    }
    assert!(passes(Rule::AdminOnly, &system(), &spec));
    assert!(!passes(Rule::AdminOnly, &caller(USER, None, None), &spec));
}

#[test]
fn read_only_refuses_the_writes_of_tools() {
    let owner = caller(USER, Some(Role::Owner), None);
    let permission = Permission::AGENTS_MANAGE;
    for mode in [ApprovalMode::Standard, ApprovalMode::ConfirmWrites, ApprovalMode::ReadOnly] {
        let passes = |spec| passes_in(mode, Rule::ApprovalMode, &owner, &spec);
        assert!(
            passes(tool(Level::Read, permission.clone()))
                && passes(program(Level::Write, permission.clone()))
        );
        assert_eq!(passes(tool(Level::Write, permission.clone())), mode != ApprovalMode::ReadOnly);
        assert_eq!(passes(tool(Level::Destructive, permission.clone())), mode != ApprovalMode::ReadOnly);
    }
}

#[test]
fn a_read_only_workspace_and_agents_send_no_messages() {
    let owner = caller(USER, Some(Role::Owner), None);
    let agent = caller(AGENT, Some(Role::Owner), None);
    let asks = program(Level::Read, Permission::SETTINGS_MANAGE);
    let sends = asks.clone().sends_messages();
    for mode in [ApprovalMode::Standard, ApprovalMode::ConfirmWrites, ApprovalMode::ReadOnly] {
        assert!(passes_in(mode, Rule::ApprovalMode, &owner, &asks));
        let passed = passes_in(mode, Rule::ApprovalMode, &owner, &sends);
        assert_eq!(passed, mode != ApprovalMode::ReadOnly);
    }
    assert!(passes(Rule::PrincipalKind, &agent, &asks) && !passes(Rule::PrincipalKind, &agent, &sends));
    assert!(passes(Rule::PrincipalKind, &owner, &sends));
}

#[test]
fn only_system_admins_read_a_deleted_workspaces_log_and_nothing_else() {
    let policy = WorkspacePolicy { deleted: true, ..WorkspacePolicy::default() };
    let log = program(Level::Read, Permission::AUDIT_READ).deleted_workspaces();
    let others = [
        program(Level::Read, Permission::AUDIT_READ),
        program(Level::Write, Permission::AUDIT_READ).deleted_workspaces(),
        program(Level::Read, Permission::WORKSPACE_READ).open(),
        program(Level::Read, Permission::WORKSPACE_READ).also_system("workspaces:limits"),
    ];
    let admin = system();
    assert!(decide(&admin, &log, &policy).allowed);
    for role in Role::ALL {
        assert!(!decide(&user(role), &log, &policy).allowed, "{role}");
    }
    for spec in others {
        for caller in [&admin, &user(Role::Owner)] {
            assert!(!decide(caller, &spec, &policy).allowed, "{}", spec.permission);
        }
    }
    assert!(!decide(&admin, &log, &WorkspacePolicy::default()).allowed, "a living one's log is its admins'");
}

#[test]
fn a_declared_tool_is_on_and_has_a_lowest_role() {
    let permission = Permission { resource: PermissionResource::Toolset("desk".into()), verb: Verb::Use };
    let tool = Spec { min_role: Some(Role::Member), ..tool(Level::Write, permission) };
    for role in Role::ALL {
        assert_eq!(passes(Rule::Role, &user(role), &tool), role >= Role::Member, "{role}");
    }
    for state in [ToolState::ToolsetOff, ToolState::Disabled, ToolState::Draft, ToolState::Drifted] {
        let off = Spec { state, ..tool.clone() };
        let decision = decide(&user(Role::Owner), &off, &WorkspacePolicy::default());
        assert_eq!(decision.reason, Some(Rule::Enabled), "{state:?}");
    }
    assert!(decide(&user(Role::Owner), &tool, &WorkspacePolicy::default()).allowed);
}

#[test]
fn a_pack_is_on_for_the_workspaces_that_switched_it_on() {
    static SHOP: PackInfo =
        PackInfo { slug: "shop", title: "Shop", description: "A shop.", sources: &[], events: &[] };
    let spec = |verb| Spec::read("shop_get_thing", Category::Pack(&SHOP), Permission::of_pack("shop", verb));
    let policy = |packs| WorkspacePolicy { packs, ..WorkspacePolicy::default() };
    let on = EnabledPacks::default().with("shop", Some(3)).with("shops", Some(4));
    for (packs, reason) in [
        (EnabledPacks::default(), Some(Rule::Enabled)),
        (on.with("shop", None), Some(Rule::Enabled)),
        (EnabledPacks::of_stored(on.as_str()), None),
    ] {
        assert_eq!(decide(&user(Role::Viewer), &spec(Verb::Read), &policy(packs)).reason, reason);
    }
    let not_offered = Spec { state: ToolState::NotOffered, ..spec(Verb::Read) };
    assert_eq!(decide(&user(Role::Owner), &not_offered, &policy(on.clone())).reason, Some(Rule::Enabled));
    for (verb, lowest) in [
        (Verb::Read, Role::Viewer),
        (Verb::Use, Role::Member),
        (Verb::Manage, Role::Editor),
        (Verb::Delete, Role::Admin),
    ] {
        for role in Role::ALL {
            let decision = decide(&user(role), &spec(verb), &policy(on.clone()));
            assert_eq!(decision.allowed, role >= lowest, "{verb:?} {role}");
        }
    }
}

#[test]
fn the_version_of_a_pack_says_since_when_it_is_on() {
    let packs = EnabledPacks::default().with("shop", Some(3)).with("desk", Some(1));
    assert_eq!(packs.as_str(), "desk:1,shop:3");
    assert_eq!((packs.since("shop"), packs.since("sho")), (Some("3"), None));
    assert_eq!(packs.with("shop", None).with("shop", Some(5)).since("shop"), Some("5"));
    assert_ne!(packs.with("shop", None).with("shop", Some(5)), packs);
}

#[test]
fn names_of_agents_are_compared_in_their_normal_form() {
    let rule = AccessibleBy::only(&[], &["project_initializer", "Prototype Designer"]);
    for name in ["project-initializer", "prototype-designer", "project_initializer"] {
        assert!(rule.admits("mission", Some(name)) && rule.names(name), "{name}");
    }
    assert!(!rule.admits("mission", Some("projectinitializer")) && !rule.admits("mission", None));
}
