//! Words of credentials and policies, and who may grant a scope.
#![expect(clippy::unwrap_used, reason = "tests")]

use toolcrib_access::{ApprovalMode, Caller, Principal, Scope, Scopes, Special, role_holds, scope_within};
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{Permission, PermissionResource, Verb, is_reserved_slug};

const SPECIAL: [(Special, &str, bool); 7] = [
    (Special::ActAs, "act_as", false),
    (Special::ApprovalsRelay, "approvals:relay", false),
    (Special::RecordsWrite, "records:write", false),
    (Special::EventsRead, "events:read", false),
    (Special::WorkspacesCreate, "workspaces:create", true),
    (Special::WorkspacesLimits, "workspaces:limits", true),
    (Special::EventsAll, "events:all", true),
];

fn only(words: &[&str]) -> Scopes {
    Scopes::Only(words.iter().map(|word| word.parse().unwrap()).collect())
}

fn holder(role: Option<Role>, scopes: Scopes) -> Caller {
    Caller {
        workspace: Id::from_u128(1),
        principal: Principal::User { user_id: Id::from_u128(2) },
        role,
        system_admin: false,
        caller_type: CallerType::new("api"),
        caller_name: None,
        scopes,
        session: None,
        mission: None,
        credential: None,
        provenance: toolcrib_access::Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

#[test]
fn special_scopes_are_held_only_by_their_own_word() {
    for (special, word, operator) in SPECIAL {
        assert_eq!((special.as_str(), special.operator_only()), (word, operator));
        assert_eq!(word.parse::<Scope>().unwrap(), Scope::Special(special));
        for (other, other_word, _) in SPECIAL {
            let scopes = only(&[word]);
            assert_eq!(
                (scopes.special(other), scopes.special_word(other_word)),
                (other == special, other == special)
            );
        }
        assert!(!Scopes::All.special(special) && !only(&["*:*"]).special_word(word));
    }
}

#[test]
fn scopes_are_stored_as_their_words() {
    for word in ["agents:manage", "agents:*", "*:read", "*:*", "act_as", "approvals:relay"] {
        assert_eq!(word.parse::<Scope>().unwrap().to_string(), word);
    }
    assert_eq!(Scopes::All.words(), None);
    let words = vec!["agents:*".to_owned(), "act_as".to_owned()];
    let scopes = Scopes::from(Some([&*words, &["flying:carpets".to_owned()]].concat()));
    assert_eq!(scopes, only(&["agents:*", "act_as"]), "a word that is no scope any more gives nothing");
    assert_eq!(scopes.words(), Some(words.clone()));
    assert_eq!(Option::<Vec<String>>::from(scopes), Some(words));
}

#[test]
fn a_scope_names_an_existing_permission() {
    for word in ["agents:fly", "nothing:billing", "no-thing:manage", "agents", ""] {
        assert!(word.parse::<Scope>().is_err(), "{word}");
    }
}

#[test]
fn patterns_cover_by_resource_and_verb() {
    let (manage, read) = (Permission::AGENTS_MANAGE, Permission::TASKS_READ);
    let covered = |word: &str| [&manage, &read].map(|permission| only(&[word]).cover(permission));
    assert_eq!(covered("agents:manage"), [true, false]);
    assert_eq!(covered("agents:*"), [true, false]);
    assert_eq!(covered("*:read"), [false, true]);
    assert_eq!(covered("*:*"), [true, true]);
    assert_eq!(covered("agents:read"), [false, false]);
    assert_eq!(covered("act_as"), [false, false]);
    assert!(Scopes::All.cover(&manage) && !only(&[]).cover(&manage));
    assert!(only(&["tasks:read", "agents:manage"]).cover(&manage));
}

#[test]
fn a_pattern_for_every_resource_covers_no_toolset() {
    let desk = Permission { resource: PermissionResource::Toolset("desk".into()), verb: Verb::Read };
    for word in ["*:*", "*:read", "agents:read"] {
        assert!(!only(&[word]).cover(&desk), "{word}");
    }
    for word in ["desk:read", "desk:*", "tools:read", "tools:*"] {
        assert!(only(&[word]).cover(&desk), "{word}");
    }
    for word in ["desk:use", "desks:read", "tools:delete"] {
        assert!(!only(&[word]).cover(&desk), "{word}");
    }
    assert!(Scopes::All.cover(&desk) && !role_holds(Role::Owner, &desk));
}

/// Such a toolset may have been stored before its slug was reserved.
#[test]
fn a_scope_of_the_platform_or_of_every_pack_covers_no_toolset_of_its_name() {
    let scopes = ["tasks:use", "tasks:*", "members:read", "data:*", "packs:read", "packs:*", "events:read"];
    for word in scopes {
        let scope: Scope = word.parse().unwrap();
        let slug = word.split_once(':').unwrap().0;
        for verb in [Verb::Read, Verb::Use, Verb::Delete] {
            let tool = Permission { resource: PermissionResource::Toolset(slug.into()), verb };
            assert!(!scope.covers(&tool), "{word} and {tool}");
            assert!(only(&["tools:*"]).cover(&tool) && Scopes::All.cover(&tool), "{tool}");
        }
        assert!(is_reserved_slug(slug), "{slug}");
    }
}

/// `*` and each verb of a toolset or a pack must mean its tools or actions.
#[test]
fn the_resource_of_a_special_scope_with_such_a_verb_is_reserved() {
    for (_, word, _) in SPECIAL {
        let Some((resource, verb)) = word.split_once(':') else { continue };
        let is_verb = ["read", "use", "manage", "delete"].contains(&verb);
        assert!(!is_verb || is_reserved_slug(resource), "{word}");
    }
}

#[test]
fn a_pattern_for_every_resource_covers_no_pack() {
    let shop = Permission::of_pack("shop", Verb::Manage);
    for word in ["*:*", "*:manage", "tools:*", "shop:read", "shops:*", "packs:read"] {
        assert!(!only(&[word]).cover(&shop), "{word}");
    }
    for word in ["shop:manage", "shop:*", "packs:*", "packs:manage"] {
        assert!(only(&[word]).cover(&shop), "{word}");
    }
    assert!("shop:billing".parse::<Scope>().is_err() && "a-shop:manage".parse::<Scope>().is_err());
    assert!(Scopes::All.cover(&shop) && role_holds(Role::Editor, &shop) && !role_holds(Role::Member, &shop));
}

#[test]
fn a_key_gets_no_pack_that_its_maker_does_not_hold() {
    let permissions: Vec<Permission> = [Verb::Read, Verb::Use, Verb::Manage, Verb::Delete]
        .map(|verb| Permission::of_pack("shop", verb))
        .into();
    let within = |role, scopes: Scopes, word: &str| {
        scope_within(&holder(Some(role), scopes), &word.parse().unwrap(), &permissions)
    };
    assert!(within(Role::Member, Scopes::All, "shop:use") && within(Role::Admin, Scopes::All, "packs:*"));
    assert!(within(Role::Editor, only(&["shop:*"]), "shop:manage"));
    for (role, own, word) in [
        (Role::Member, "*:*", "shop:read"),
        (Role::Editor, "shop:*", "shop:*"),
        (Role::Viewer, "shop:*", "shop:use"),
        (Role::Admin, "shop:*", "shop:*"),
    ] {
        let may = role == Role::Admin;
        assert_eq!(within(role, only(&[own]), word), may, "{role}: {own} and {word}");
    }
}

#[test]
fn scopes_of_toolsets_are_known_by_their_slug_and_verb() {
    let slug = |word: &str| word.parse::<Scope>().ok().and_then(|scope| scope.toolset().map(str::to_owned));
    assert_eq!(slug("desk:use").as_deref(), Some("desk"));
    assert_eq!(slug("tools:*").as_deref(), Some("tools"));
    for word in
        ["agents:read", "*:read", "act_as", "packs:read", "desk:manage", "Desk:read", "d:read", "9lives:read"]
    {
        assert_eq!(slug(word), None, "{word}");
    }
}

#[test]
fn a_key_gets_no_toolset_that_its_maker_does_not_cover() {
    let within = |scopes: Scopes, word: &str| {
        scope_within(&holder(Some(Role::Member), scopes), &word.parse().unwrap(), Permission::ALL)
    };
    assert!(within(Scopes::All, "desk:*") && within(only(&["desk:*"]), "desk:use"));
    assert!(within(only(&["tools:*"]), "desk:*") && within(only(&["tools:read"]), "tools:read"));
    for (own, word) in
        [("*:*", "desk:read"), ("desk:read", "desk:*"), ("desk:*", "tools:*"), ("desk:*", "shop:read")]
    {
        assert!(!within(only(&[own]), word), "{own} does not cover {word}");
    }
}

#[test]
fn a_caller_holds_what_both_role_and_credential_allow() {
    let manage = Permission::AGENTS_MANAGE;
    let holds = |role, scopes| holder(role, scopes).holds(&manage);
    assert!(holds(Some(Role::Editor), Scopes::All) && holds(Some(Role::Editor), only(&["agents:*"])));
    assert!(!holds(Some(Role::Editor), only(&["agents:read"])), "the credential was not given it");
    assert!(!holds(Some(Role::Viewer), Scopes::All), "the role does not hold it");
    assert!(!holds(None, Scopes::All));
}

#[test]
fn nobody_grants_a_scope_beyond_their_own() {
    let gives = |role, scopes: &Scopes, word: &str| {
        scope_within(&holder(Some(role), scopes.clone()), &word.parse().unwrap(), Permission::ALL)
    };
    let token = Scopes::All;
    assert!(gives(Role::Editor, &token, "agents:manage") && !gives(Role::Editor, &token, "agents:*"));
    assert!(gives(Role::Admin, &token, "agents:*") && !gives(Role::Viewer, &token, "agents:manage"));
    assert!(!gives(Role::Owner, &only(&["agents:read"]), "agents:manage"));
    // A special scope is granted by a user's token or by a key that lists this scope; `*:*` does not include
    // it. Nobody in a workspace grants an operator's scope. Only an owner grants a scope to speak for others.
    for (special, word, operator) in SPECIAL {
        let speaks = matches!(special, Special::ActAs | Special::ApprovalsRelay);
        let least = if speaks { Role::Owner } else { Role::Admin };
        for role in Role::ALL {
            let may = role >= least && !operator;
            assert_eq!(gives(role, &token, word), may, "{role} {word}");
            assert_eq!(gives(role, &only(&[word]), word), may, "{role} {word}, through a key that has it");
            assert!(!gives(role, &only(&["*:*"]), word), "{role} {word}, through a key that has it not");
        }
    }
    assert!(!scope_within(&holder(None, Scopes::All), &"act_as".parse().unwrap(), Permission::ALL));
}

#[test]
fn principals_say_what_they_are_and_for_whom() {
    let [own, member] = [1, 2].map(Id::from_u128);
    let table = [
        (Principal::User { user_id: own }, "user", Some(own)),
        (Principal::Agent { agent_id: own, runs_as: member }, "agent", Some(member)),
        (Principal::Service { key_id: own, on_behalf_of: Some(member) }, "service", Some(member)),
        (Principal::Service { key_id: own, on_behalf_of: None }, "service", None),
        (Principal::Operator { key_id: own }, "operator", None),
    ];
    for (principal, kind, user) in table {
        assert_eq!((principal.kind().as_str(), principal.id(), principal.user()), (kind, own, user));
    }
}

#[test]
fn approval_modes_are_parsed_from_their_words() {
    for (mode, word) in [
        (ApprovalMode::Standard, "standard"),
        (ApprovalMode::ConfirmWrites, "confirm_writes"),
        (ApprovalMode::ReadOnly, "read_only"),
    ] {
        assert_eq!((mode.as_str(), word.parse()), (word, Ok(mode)));
    }
    assert!("whatever".parse::<ApprovalMode>().is_err());
}
