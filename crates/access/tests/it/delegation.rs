//! A call may do only what its subject, its credential and everyone who minted that credential may all do.
#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use toolcrib_access::{
    Authority, Caller, Delegation, Minter, Principal, Provenance, RevokedReason, Scope, Scopes, Special,
    WorkspacePolicy, decide, role_holds, scope_within,
};
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{AccessibleBy, Level, Permission, Spec};

const ID: Id = Id::from_u128(1);
const AGENT: Principal = Principal::Agent { agent_id: ID, runs_as: ID };
const BARE: Principal = Principal::Service { key_id: ID, on_behalf_of: None };
const FOR_MEMBER: Principal = Principal::Service { key_id: ID, on_behalf_of: Some(ID) };

fn only(words: &[&str]) -> Scopes {
    Scopes::Only(words.iter().map(|word| word.parse().unwrap()).collect())
}

fn minter(at: usize, role: Option<Role>) -> Minter {
    Minter { user_id: Id::from_u128(10 + u128::try_from(at).unwrap()), role }
}

/// A delegation as the database would describe it.
#[derive(Clone, Debug)]
struct Parties {
    principal: Principal,
    subject: Option<Role>,
    key: Option<Role>,
    scopes: Scopes,
    minters: Vec<Option<Role>>,
}

impl Parties {
    fn authority(&self, policy: &WorkspacePolicy) -> Result<Authority, RevokedReason> {
        let minters: Vec<Minter> =
            self.minters.iter().enumerate().map(|(at, role)| minter(at, *role)).collect();
        Delegation {
            principal: self.principal,
            subject_role: self.subject,
            key_role: self.key,
            scopes: &self.scopes,
            minters: &minters,
        }
        .authority(policy)
    }

    /// Whether the call is allowed.
    fn may(&self, spec: &Spec, policy: &WorkspacePolicy) -> bool {
        self.authority(policy).is_ok_and(|held| decide(&caller(self.principal, held), spec, policy).allowed)
    }
}

fn caller(principal: Principal, held: Authority) -> Caller {
    Caller {
        workspace: ID,
        principal,
        role: held.role,
        system_admin: false,
        caller_type: CallerType::new("api"),
        caller_name: None,
        scopes: held.scopes,
        session: None,
        mission: None,
        credential: None,
        provenance: Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

/// A person who calls with their own token.
fn person(role: Option<Role>) -> Caller {
    caller(Principal::User { user_id: ID }, Authority { role, scopes: Scopes::All })
}

fn roles() -> impl Strategy<Value = Option<Role>> {
    prop::option::weighted(0.9, prop::sample::select(Role::ALL.to_vec()))
}

fn parties() -> impl Strategy<Value = Parties> {
    let words =
        ["*:read", "*:*", "agents:*", "tasks:use", "keys:manage", "act_as", "records:write", "events:read"];
    let scopes = prop::collection::vec(prop::sample::select(words.to_vec()), 0..5);
    let principals = prop::sample::select(vec![AGENT, BARE, FOR_MEMBER]);
    (principals, roles(), roles(), scopes, prop::collection::vec(roles(), 0..3)).prop_map(
        |(principal, subject, key, scopes, minters)| Parties {
            principal,
            subject,
            key,
            scopes: only(&scopes),
            minters,
        },
    )
}

fn specs() -> impl Strategy<Value = Spec> {
    let permission = prop::sample::select(Permission::ALL.to_vec());
    let level = prop::sample::select(vec![Level::Read, Level::Write]);
    (permission, level, any::<bool>()).prop_map(|(permission, level, admin_only)| Spec {
        admin_only,
        accessible_by: Some(AccessibleBy::Everyone),
        ..Spec::program("things.do", level, permission)
    })
}

fn granted_scopes() -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(vec!["*:*", "*:read", "act_as", "records:write"], 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000, failure_persistence: None, ..ProptestConfig::default()
    })]

    /// If a key may do something, each of its minters could do it with their own token, and so could the
    /// member on whose behalf it acts.
    #[test]
    fn everybody_behind_a_call_may_make_it_themselves(
        parties in parties(), spec in specs(), inherit in any::<bool>()
    ) {
        let policy = WorkspacePolicy { agents_inherit_admin: inherit, ..WorkspacePolicy::default() };
        if parties.may(&spec, &policy) {
            for role in &parties.minters {
                prop_assert!(decide(&person(*role), &spec, &policy).allowed, "{role:?}");
            }
            if parties.principal != BARE {
                prop_assert!(decide(&person(parties.subject), &spec, &policy).allowed);
            }
        }
    }

    /// Lowering or removing a person's role, or removing a scope, never allows a call that was denied before.
    #[test]
    fn taking_from_anybody_enables_nothing(parties in parties(), spec in specs()) {
        let policy = WorkspacePolicy::default();
        let before = parties.may(&spec, &policy);
        let mut weaker = Vec::new();
        for lower in Role::ALL.into_iter().map(Some).chain([None]) {
            if lower < parties.subject {
                weaker.push(Parties { subject: lower, ..parties.clone() });
            }
            for at in 0..parties.minters.len() {
                let mut minters = parties.minters.clone();
                if lower < minters[at] {
                    minters[at] = lower;
                    weaker.push(Parties { minters, ..parties.clone() });
                }
            }
        }
        let mut more_minters = parties.minters.clone();
        more_minters.push(Some(Role::Editor));
        weaker.push(Parties { minters: more_minters, ..parties.clone() });
        if let Scopes::Only(scopes) = &parties.scopes {
            for at in 0..scopes.len() {
                let mut fewer = scopes.to_vec();
                fewer.remove(at);
                weaker.push(Parties { scopes: Scopes::Only(fewer.into()), ..parties.clone() });
            }
        }
        for weaker in weaker {
            prop_assert!(before || !weaker.may(&spec, &policy), "{weaker:?}");
        }
    }

    /// In any chain of keys that mint keys, and of adoptions, no key may do more than the people in the
    /// chain.
    #[test]
    fn minting_never_rises(
        first in roles(),
        steps in prop::collection::vec((roles(), any::<bool>(), granted_scopes()), 1..5),
        spec in specs(),
    ) {
        let policy = WorkspacePolicy::default();
        // Who may mint the next key: first a person, then the key that was minted last.
        let (mut minters, mut holder) = (vec![first], person(first));
        for (role, adopts, words) in steps {
            // A person who adopts the key grants only what they hold, and becomes its sole minter.
            if adopts {
                (minters, holder) = (vec![role], person(role));
            }
            let words: Vec<Scope> = words.iter().map(|word| word.parse().unwrap()).collect();
            if !words.iter().all(|scope| scope_within(&holder, scope, Permission::ALL)) {
                continue;
            }
            let acts = words.contains(&Scope::Special(Special::ActAs));
            let minted = Parties {
                principal: if acts { FOR_MEMBER } else { BARE },
                subject: role,
                key: holder.role.map(|role| role.min(Role::Editor)),
                scopes: Scopes::Only(words.into()),
                minters: minters.clone(),
            };
            if minted.may(&spec, &policy) {
                for role in &minters {
                    prop_assert!(decide(&person(*role), &spec, &policy).allowed, "{minted:?}");
                }
            }
            let Ok(held) = minted.authority(&policy) else { continue };
            holder = caller(minted.principal, held);
            // The member on whose behalf the key acts is a minter of the next key too.
            minters.push(role);
        }
    }
}

#[test]
fn agents_are_editors_at_most_unless_the_workspace_lets_them_inherit() {
    let inherit = WorkspacePolicy { agents_inherit_admin: true, ..WorkspacePolicy::default() };
    for role in Role::ALL {
        let agent = Parties {
            principal: AGENT,
            subject: Some(role),
            key: None,
            scopes: only(&["*:*"]),
            minters: vec![Some(Role::Owner)],
        };
        let held = |policy: &WorkspacePolicy| agent.authority(policy).unwrap().role;
        assert_eq!(held(&WorkspacePolicy::default()), Some(role.min(Role::Editor)));
        assert_eq!(held(&inherit), Some(role));
    }
}

#[test]
fn a_key_has_the_lowest_role_of_those_behind_it() {
    let policy = WorkspacePolicy { agents_inherit_admin: true, ..WorkspacePolicy::default() };
    for (principal, scopes) in
        [(AGENT, only(&["*:*"])), (BARE, only(&["*:*"])), (FOR_MEMBER, only(&["act_as"]))]
    {
        let of = |own: Role, minters: &[Role]| {
            let minters = minters.iter().copied().map(Some).collect();
            let parties =
                Parties { principal, subject: Some(own), key: Some(own), scopes: scopes.clone(), minters };
            parties.authority(&policy).unwrap().role
        };
        assert_eq!(of(Role::Owner, &[]), Some(Role::Owner), "the operator bounds nobody");
        assert_eq!(of(Role::Member, &[Role::Owner]), Some(Role::Member));
        if principal != FOR_MEMBER {
            assert_eq!(of(Role::Owner, &[Role::Editor, Role::Viewer]), Some(Role::Viewer));
        }
    }
}

#[test]
fn special_scopes_count_while_their_minters_could_give_them() {
    let policy = WorkspacePolicy::default();
    let given = only(&["act_as", "approvals:relay", "records:write", "events:read", "*:read"]);
    let left = |minters: &[Role]| {
        let minters = minters.iter().copied().map(Some).collect();
        let bare = Parties {
            principal: BARE,
            subject: None,
            key: Some(Role::Editor),
            scopes: given.clone(),
            minters,
        };
        bare.authority(&policy).unwrap().scopes
    };
    assert_eq!(left(&[]), given);
    assert_eq!(left(&[Role::Owner]), given);
    assert_eq!(left(&[Role::Admin]), only(&["records:write", "events:read", "*:read"]));
    assert_eq!(left(&[Role::Owner, Role::Editor]), only(&["*:read"]));
    let minted_by_an_admin = Parties {
        principal: FOR_MEMBER,
        subject: Some(Role::Owner),
        key: None,
        scopes: given,
        minters: vec![Some(Role::Admin)],
    };
    assert_eq!(minted_by_an_admin.authority(&policy), Err(RevokedReason::ActAs));
}

#[test]
fn a_minter_without_a_membership_revokes_the_delegation() {
    for principal in [AGENT, BARE, FOR_MEMBER] {
        let parties = Parties {
            principal,
            subject: Some(Role::Owner),
            key: Some(Role::Editor),
            scopes: only(&["*:*", "act_as"]),
            minters: vec![Some(Role::Owner), None],
        };
        assert_eq!(parties.authority(&WorkspacePolicy::default()), Err(RevokedReason::Minter));
    }
}

#[test]
fn impersonation_is_an_owners_to_give() {
    for special in [Special::ActAs, Special::ApprovalsRelay] {
        for role in Role::ALL {
            let may = scope_within(&person(Some(role)), &Scope::Special(special), Permission::ALL);
            assert_eq!(
                may,
                role_holds(role, &Permission::MEMBERS_IMPERSONATE),
                "{role} {}",
                special.as_str()
            );
        }
    }
}

#[test]
fn principals_are_kept_apart_by_key_and_person() {
    let (a, b) = (Id::from_u128(7), Id::from_u128(8));
    let all = [
        Principal::User { user_id: a },
        Principal::User { user_id: b },
        Principal::Agent { agent_id: ID, runs_as: a },
        Principal::Agent { agent_id: ID, runs_as: b },
        Principal::Service { key_id: ID, on_behalf_of: Some(a) },
        Principal::Service { key_id: Id::from_u128(2), on_behalf_of: Some(b) },
        Principal::Service { key_id: ID, on_behalf_of: None },
    ];
    let keys: std::collections::HashSet<Id> = all.iter().map(Principal::key).collect();
    assert_eq!(keys.len(), all.len());
    assert_eq!(all[0].key(), a, "a person is known by their own id");
}
