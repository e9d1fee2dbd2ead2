//! The facts of the access decision.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
};

use toolcrib_access::{AccessFacts, ApprovalMode, EnabledPacks, PrincipalKind, Scopes};
use toolcrib_model::{CallerType, Role, WorkRunner};
use toolcrib_registry::{AccessibleBy, Category, PackInfo, Permission, Spec, Verb};

static SHOP: PackInfo =
    PackInfo { slug: "shop", title: "Shop", description: "A shop.", sources: &[], events: &[] };

fn facts() -> AccessFacts {
    AccessFacts {
        principal: PrincipalKind::User,
        role: Some(Role::Editor),
        system_admin: false,
        caller_type: CallerType::new("heartbeat"),
        caller_name: None,
        scopes: Scopes::All,
        approval_mode: ApprovalMode::Standard,
        background: false,
        runner: WorkRunner::External,
        deleted: false,
        packs: EnabledPacks::default().with("shop", Some(1)),
    }
}

/// The facts with one of them changed, for each.
fn changed() -> Vec<AccessFacts> {
    // A new fact does not compile here before it has a line below.
    let AccessFacts {
        principal: _,
        role: _,
        system_admin: _,
        caller_type: _,
        caller_name: _,
        scopes: _,
        approval_mode: _,
        background: _,
        runner: _,
        deleted: _,
        packs: _,
    } = facts();
    let only = |words: &[&str]| Scopes::from(Some(words.iter().map(|word| (*word).to_owned()).collect()));
    vec![
        AccessFacts { principal: PrincipalKind::Agent, ..facts() },
        AccessFacts { role: Some(Role::Viewer), ..facts() },
        AccessFacts { role: None, ..facts() },
        AccessFacts { system_admin: true, ..facts() },
        AccessFacts { caller_type: CallerType::new("mission"), ..facts() },
        AccessFacts { caller_name: Some("chosen".into()), ..facts() },
        AccessFacts { scopes: only(&["*:read"]), ..facts() },
        AccessFacts { scopes: only(&["agents:read"]), ..facts() },
        AccessFacts { approval_mode: ApprovalMode::ReadOnly, ..facts() },
        AccessFacts { background: true, ..facts() },
        AccessFacts { runner: WorkRunner::Internal, ..facts() },
        AccessFacts { deleted: true, ..facts() },
        AccessFacts { packs: EnabledPacks::default(), ..facts() },
    ]
}

/// Actions of which each fact decides one.
fn specs() -> Vec<Spec> {
    let read = |permission| Spec::read("platform_get_thing", Category::Agents, permission);
    let everyone = AccessibleBy::Everyone;
    vec![
        read(Permission::AGENTS_READ).accessible_by(everyone.clone()),
        read(Permission::TASKS_READ).accessible_by(everyone.clone()),
        read(Permission::AGENTS_READ).accessible_by(AccessibleBy::only(&["mission"], &["chosen"])),
        read(Permission::INFRASTRUCTURE_READ).accessible_by(everyone.clone()).admin_only(),
        Spec::write("platform_create_thing", Category::Agents, Permission::AGENTS_MANAGE)
            .accessible_by(everyone),
        Spec::write("platform_plan_thing", Category::Agents, Permission::AGENTS_READ).standing_work(),
        Spec::read("shop_get_thing", Category::Pack(&SHOP), Permission::of_pack("shop", Verb::Read)),
        Spec::program("things.set", toolcrib_registry::Level::Write, Permission::AGENTS_MANAGE),
    ]
}

#[test]
fn each_fact_makes_another_key_and_another_decision() {
    let decisions = |facts: &AccessFacts| -> Vec<bool> {
        specs().iter().map(|spec| facts.decide(spec).allowed).collect()
    };
    let all: Vec<AccessFacts> = changed().into_iter().chain([facts()]).collect();
    for changed in changed() {
        assert_ne!(decisions(&changed), decisions(&facts()), "{changed:?}");
    }
    let state = RandomState::new();
    assert_eq!(all.iter().map(|facts| state.hash_one(facts)).collect::<HashSet<_>>().len(), all.len());
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
}
