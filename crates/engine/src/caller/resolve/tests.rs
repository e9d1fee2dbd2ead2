//! What each kind of credential may claim.

use toolcrib_auth::{AgentKey, RequestedContext, UserToken};
use toolcrib_model::Ts;
use toolcrib_testkit::{TestDb, TestIds, World, clock, seed, sqlite};

use super::*;

const ID: Id = Id::from_u128(1);

async fn seeded() -> (TestDb, World) {
    let db = sqlite().await;
    let world = seed(&db, &clock(), &TestIds::default()).await;
    (db, world)
}

fn of(credential: Credential) -> Authenticated {
    Authenticated { credential, requested: RequestedContext::default() }
}

fn user(user_id: Id, workspace: Option<Id>, system_admin: bool) -> Authenticated {
    of(Credential::User(UserToken {
        user_id: Some(user_id),
        issuer: "test".into(),
        subject: "test".into(),
        workspace: workspace.map(|id| id.to_string().into()),
        system_admin,
        expires_at: Ts::from_micros(i64::MAX),
        console: false,
    }))
}

fn only(scopes: &[&str]) -> Scopes {
    Scopes::from(Some(scopes.iter().map(|&scope| scope.to_owned()).collect()))
}

fn service(workspace: Id, scopes: &[&str], caller_types: &[&str]) -> Authenticated {
    let caller_types = caller_types.iter().map(|&name| name.to_owned()).collect();
    let key = ServiceKey { key_id: ID, workspace, role: "editor".into(), scopes: only(scopes), caller_types };
    of(Credential::Service(key))
}

fn agent(mission: Option<Id>) -> Authenticated {
    of(Credential::Agent(AgentKey {
        key_id: ID,
        workspace: ID,
        agent_id: ID,
        runs_as: ID,
        mission,
        scopes: only(&["*:*"]),
        caller_types: vec!["api".into()],
    }))
}

async fn claim(
    db: &Db,
    authenticated: &Authenticated,
    workspace_optional: bool,
) -> Result<CallerClaims, ErrorCode> {
    let types = CallerType::BUILT_IN.map(str::to_owned);
    CallerClaims::resolve(db, &types, authenticated, workspace_optional).await.map_err(|error| error.code)
}

#[tokio::test]
async fn what_needs_no_workspace_is_called_without_one() {
    let (db, world) = seeded().await;
    let mut nowhere = user(world.owner, None, false);
    assert_eq!(claim(&db, &nowhere, false).await.err(), Some(ErrorCode::WorkspaceRequired));
    let claims = claim(&db, &nowhere, true).await.unwrap();
    assert!(claims.workspace.is_nil());
    let (caller, policy) = claims.caller(None).unwrap();
    assert_eq!((caller.workspace, caller.role), (Id::nil(), None));
    assert!(!policy.agents_inherit_admin && policy.promoted.is_none());
    // A workspace that is named must exist nevertheless.
    nowhere.requested.workspace = Some("no-such".into());
    assert_eq!(claim(&db, &nowhere, true).await.err(), Some(ErrorCode::PermissionDenied));
    let somewhere = claim(&db, &user(world.owner, Some(ID), false), true).await.unwrap();
    assert_eq!(somewhere.caller(None).unwrap_err().code, ErrorCode::PermissionDenied);
}

#[tokio::test]
async fn a_system_admin_who_is_no_member_has_no_role() {
    let (db, world) = seeded().await;
    let role = async |user_id: Id, system_admin: bool| {
        let claims = claim(&db, &user(user_id, Some(world.workspace), system_admin), false).await.unwrap();
        let access = db.access_row(claims.workspace, claims.actor_ids()).await.unwrap();
        let caller = claims.caller(access.as_ref()).map_err(|error| error.code)?.0;
        assert_eq!(caller.system_admin, system_admin);
        Ok(caller.role)
    };
    assert_eq!(role(ID, true).await, Ok(None));
    assert_eq!(role(ID, false).await, Err(ErrorCode::PermissionDenied));
    assert_eq!(role(world.viewer, true).await, Ok(Some(Role::Viewer)), "a member keeps theirs");
}

#[tokio::test]
async fn only_a_service_key_with_the_scope_acts_for_a_member() {
    let (db, world) = seeded().await;
    let acts_for = async |mut authenticated: Authenticated, wished: &str| {
        authenticated.requested.on_behalf_of = Some(wished.to_owned());
        Ok(claim(&db, &authenticated, false).await?.principal.user())
    };
    let key = |scopes: &[&str]| service(world.workspace, scopes, &["api"]);
    assert_eq!(acts_for(key(&["act_as"]), &world.viewer.to_string()).await, Ok(Some(world.viewer)));
    assert_eq!(acts_for(key(&["act_as"]), "viewer").await, Ok(Some(world.viewer)), "by their subject");
    assert_eq!(acts_for(key(&["act_as"]), "nobody").await, Err(ErrorCode::PermissionDenied));
    let people = user(world.owner, Some(world.workspace), true);
    for other in [key(&["*:*"]), people, agent(None)] {
        assert_eq!(acts_for(other, "viewer").await, Err(ErrorCode::InsufficientScope));
    }
    assert_eq!(claim(&db, &key(&["act_as"]), false).await.unwrap().principal.user(), None);
}

#[test]
fn a_mission_is_the_keys_own_or_the_one_that_is_named() {
    let (one, two) = (Id::from_u128(11), Id::from_u128(12));
    let person = || user(ID, None, false);
    for (authenticated, wished, expected) in [
        (agent(None), None, Ok(None)),
        (agent(None), Some(two), Ok(Some(two))),
        (agent(Some(one)), None, Ok(Some(one))),
        (agent(Some(one)), Some(one), Ok(Some(one))),
        (agent(Some(one)), Some(two), Err(ErrorCode::PermissionDenied)),
        (person(), None, Ok(None)),
        (person(), Some(two), Ok(Some(two))),
    ] {
        let requested =
            RequestedContext { mission: wished.map(|id| id.to_string()), ..RequestedContext::default() };
        let authenticated = Authenticated { requested, ..authenticated };
        assert_eq!(mission(&authenticated).map_err(|error| error.code), expected, "{authenticated:?}");
    }
    let unreadable = RequestedContext { mission: Some("mine".into()), ..RequestedContext::default() };
    let error = mission(&Authenticated { requested: unreadable, ..person() }).unwrap_err();
    assert_eq!(error.code, ErrorCode::MalformedRequest);
}

#[test]
fn a_caller_type_is_one_that_the_key_lists_and_the_operator_knows() {
    let known = ["chat", "mission", "api"].map(str::to_owned);
    let key = |wished: Option<&str>, listed: &[&str]| {
        let mut authenticated = service(ID, &[], listed);
        authenticated.requested.caller_type = wished.map(str::to_owned);
        caller_type(&known, &authenticated).map(|found| found.to_string()).map_err(|error| error.code)
    };
    let listed = &["mission", "gone"];
    assert_eq!(key(None, listed).as_deref(), Ok("mission"), "the first is the default");
    assert_eq!(key(Some("mission"), listed).as_deref(), Ok("mission"));
    for refused in ["gone", "chat", "no_such"] {
        assert_eq!(key(Some(refused), listed), Err(ErrorCode::PermissionDenied), "{refused}");
    }
    assert_eq!(key(None, &[]), Err(ErrorCode::PermissionDenied));
}
