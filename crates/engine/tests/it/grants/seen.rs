//! Which grants of a conversation a caller sees.

use toolcrib_access::Principal;
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_engine::grants::Grants as _;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, both_databases, user_identity};

use super::grant;
use crate::{
    people::{agent, key_of, service},
    things,
};

fn agent_id(authenticated: &Authenticated) -> Id {
    match &authenticated.credential {
        Credential::Agent(key) => key.agent_id,
        other => panic!("{other:?} is no agent's key"),
    }
}

#[both_databases]
async fn members_see_grants_of_principals_that_act_for_them(db: TestDb) {
    let app = things::app(db).await;
    let (worker, robot) = (agent(&app, "worker", app.a.editor).await, service(&app, &["*:*"], None).await);
    let principals = [
        Principal::User { user_id: app.a.editor },
        Principal::Agent { agent_id: agent_id(&worker), runs_as: app.a.editor },
        Principal::Service { key_id: key_of(&robot), on_behalf_of: Some(app.a.editor) },
        Principal::Service { key_id: key_of(&robot), on_behalf_of: None },
    ];
    for (n, principal) in (1..).zip(principals) {
        let mut one = grant(&app, "platform_create_thing", "s1");
        (one.id, one.key.principal) = (Id::from_u128(n), principal);
        app.grants.put(one).await.unwrap();
    }
    let user = |role| user_identity(app.a.workspace, app.a.user(role));
    for (name, authenticated, sees) in [
        ("the member", user(Role::Editor), vec![1, 2, 3]),
        ("the agent", worker, vec![2]),
        ("the application of its own", robot, vec![4]),
        ("another member", user(Role::Member), vec![]),
        ("an admin", user(Role::Admin), vec![1, 2, 3, 4]),
    ] {
        let mut seen: Vec<_> = app
            .engine
            .session_grants(&authenticated, "s1")
            .await
            .unwrap()
            .items
            .iter()
            .map(|item| item.id)
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, sees.into_iter().map(Id::from_u128).collect::<Vec<_>>(), "{name}");
    }
}
