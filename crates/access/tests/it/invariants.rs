//! Invariants of the decision, over every role, credential kind, scope and flag.
#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use toolcrib_access::{ApprovalMode, Caller, Principal, Scopes, WorkspacePolicy, decide, role_holds};
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{AccessibleBy, Category, Level, Permission, PermissionResource, Spec, Verb};

fn roles() -> impl Strategy<Value = Option<Role>> {
    prop::option::of(prop::sample::select(Role::ALL.to_vec()))
}

fn principals() -> impl Strategy<Value = Principal> {
    let id = Id::from_u128(1);
    prop::sample::select(vec![
        Principal::User { user_id: id },
        Principal::Agent { agent_id: id, runs_as: id },
        Principal::Service { key_id: id, on_behalf_of: Some(id) },
        Principal::Service { key_id: id, on_behalf_of: None },
        Principal::Operator { key_id: id },
    ])
}

fn scopes() -> impl Strategy<Value = Scopes> {
    let words = [
        "*:read",
        "*:*",
        "agents:*",
        "tasks:use",
        "agents:manage",
        "act_as",
        "records:write",
        "*:manage",
        "desk:use",
        "tools:*",
    ];
    prop::option::of(prop::collection::vec(prop::sample::select(words.to_vec()), 0..4)).prop_map(|words| {
        match words {
            None => Scopes::All,
            Some(words) => Scopes::Only(words.iter().map(|word| word.parse().unwrap()).collect()),
        }
    })
}

fn callers() -> impl Strategy<Value = Caller> {
    (roles(), principals(), scopes(), any::<bool>(), prop::sample::select(CallerType::BUILT_IN.to_vec()))
        .prop_map(|(role, principal, scopes, system_admin, kind)| Caller {
            workspace: Id::from_u128(2),
            principal,
            role,
            system_admin,
            caller_type: CallerType::new(kind),
            caller_name: None,
            scopes,
            session: None,
            mission: None,
            credential: None,
            provenance: toolcrib_access::Provenance::default(),
            pack_contexts: toolcrib_access::PackContexts::default(),
        })
}

/// A tool that a workspace declares.
fn declared(level: Level) -> Spec {
    let (verb, lowest) = match level {
        Level::Read => (Verb::Read, Role::Viewer),
        Level::Write => (Verb::Use, Role::Member),
        Level::Destructive => (Verb::Delete, Role::Admin),
    };
    let permission = Permission { resource: PermissionResource::Toolset("desk".into()), verb };
    let spec = Spec::read("desk__do_thing", Category::Agents, permission);
    Spec { level, min_role: Some(lowest), ..spec }
}

fn specs() -> impl Strategy<Value = Spec> {
    let permission = prop::sample::select(Permission::ALL.to_vec());
    let level = prop::sample::select(vec![Level::Read, Level::Write, Level::Destructive]);
    let only = AccessibleBy::only(&["mission"], &[]);
    let nobody = AccessibleBy::only(&[], &[]);
    let access = prop::sample::select(vec![Some(AccessibleBy::Everyone), Some(only), Some(nobody), None]);
    (permission, level, any::<bool>(), 0..3_u8, access).prop_map(
        |(permission, level, admin_only, kind, access)| {
            let base = if kind == 2 {
                return Spec { accessible_by: access, ..declared(level) };
            } else if kind == 1 {
                Spec::program("things.do", level, permission)
            } else {
                Spec::read("platform_do_thing", Category::Agents, permission)
            };
            Spec { level, admin_only, accessible_by: access, ..base }
        },
    )
}

fn policies() -> impl Strategy<Value = WorkspacePolicy> {
    prop::sample::select(vec![ApprovalMode::Standard, ApprovalMode::ConfirmWrites, ApprovalMode::ReadOnly])
        .prop_map(|approval_mode| WorkspacePolicy { approval_mode, ..WorkspacePolicy::default() })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// A call is denied if any rule fails, and the reason is one of the rules that failed.
    #[test]
    fn any_deny_wins(caller in callers(), spec in specs(), policy in policies()) {
        let decision = decide(&caller, &spec, &policy);
        prop_assert_eq!(decision.allowed, decision.factors.iter().all(|factor| factor.passed));
        prop_assert_eq!(decision.reason.is_none(), decision.allowed);
        if let Some(reason) = decision.reason {
            prop_assert!(decision.factors.iter().any(|factor| factor.rule == reason && !factor.passed));
        }
    }

    /// Removing a right never allows a call that was denied before.
    #[test]
    fn removing_a_right_enables_nothing(caller in callers(), spec in specs(), policy in policies()) {
        let before = decide(&caller, &spec, &policy).allowed;
        let mut less = Vec::new();
        if let Some(role) = caller.role {
            let lower = Role::ALL.into_iter().filter(|lower| *lower < role);
            less.extend(lower.map(|lower| Caller { role: Some(lower), ..caller.clone() }));
            less.push(Caller { role: None, ..caller.clone() });
        }
        less.push(Caller { system_admin: false, ..caller.clone() });
        if let Scopes::Only(scopes) = &caller.scopes {
            for left_out in 0..scopes.len() {
                let mut fewer = scopes.to_vec();
                fewer.remove(left_out);
                less.push(Caller { scopes: Scopes::Only(fewer.into()), ..caller.clone() });
            }
        }
        for weaker in less {
            prop_assert!(before || !decide(&weaker, &spec, &policy).allowed, "{:?}", weaker);
        }
        let strict = WorkspacePolicy { approval_mode: ApprovalMode::ReadOnly, ..policy };
        prop_assert!(before || !decide(&caller, &spec, &strict).allowed);
    }

    /// A caller without a membership is allowed nothing.
    #[test]
    fn no_role_holds_nothing(caller in callers(), spec in specs(), policy in policies()) {
        let nobody = Caller { role: None, system_admin: false, scopes: Scopes::All, ..caller };
        prop_assert!(!decide(&nobody, &spec, &policy).allowed);
    }
}

#[test]
fn each_role_holds_all_that_the_one_below_holds() {
    for permission in Permission::ALL {
        for pair in Role::ALL.windows(2) {
            assert!(
                !role_holds(pair[0], permission) || role_holds(pair[1], permission),
                "{permission} {pair:?}"
            );
        }
    }
}
