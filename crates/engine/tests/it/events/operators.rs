//! What an operator key reads: domain events, of one workspace or of all.

use toolcrib_access::Scopes;
use toolcrib_auth::{Authenticated, Credential, OperatorKey, RequestedContext};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_testkit::{TestDb, both_databases};

use super::{domain, id_of, names, open, own, refusal, seen, tell};
use crate::things::app;

/// An operator key with one scope, and with a workspace or none.
pub fn operator(scope: &str, workspace: Option<Id>) -> Authenticated {
    let scopes = Scopes::from(Some(vec![scope.to_owned()]));
    Authenticated {
        credential: Credential::Operator(OperatorKey { key_id: Id::from_u128(9), scopes }),
        requested: RequestedContext {
            workspace: workspace.map(|id| id.to_string()),
            ..RequestedContext::default()
        },
    }
}

#[both_databases]
async fn an_operator_reads_domain_events_of_all_workspaces(db: TestDb) {
    let app = app(db).await;
    let all = operator("events:all", None);
    tell(&app, app.b.workspace, vec![domain("b0"), domain("b1")]).await;
    let mut reader = open(&app, &all, None).await.unwrap();
    assert!(seen(&mut reader, &all).await.is_empty(), "what happened before is not told");
    tell(&app, app.b.workspace, vec![domain("b2"), own("call", app.b.owner)]).await;
    tell(&app, app.a.workspace, vec![domain("a0")]).await;
    let found = reader.read(&all).await.unwrap();
    assert_eq!(names(&found), ["b2", "a0"]);
    assert_eq!(found.reached.as_ref(), Some(&found.items[1].id));
    let mut again = open(&app, &all, Some(&found.items[0].id)).await.unwrap();
    assert_eq!(seen(&mut again, &all).await, ["a0"]);
    let mut whole = open(&app, &all, Some("0")).await.unwrap();
    assert_eq!(seen(&mut whole, &all).await, ["b0", "b1", "b2", "a0"]);
    for unknown in ["-1", "x", &id_of("b0").to_string()] {
        assert_eq!(refusal(&app, &all, Some(unknown)).await.code, ErrorCode::InvalidArguments, "{unknown}");
    }
}

#[both_databases]
async fn an_operator_who_names_a_workspace_stays_in_it(db: TestDb) {
    let app = app(db).await;
    let authenticated = operator("events:all", Some(app.a.workspace));
    let mut reader = open(&app, &authenticated, None).await.unwrap();
    tell(&app, app.b.workspace, vec![domain("theirs")]).await;
    tell(&app, app.a.workspace, vec![domain("ours"), own("call", app.a.owner)]).await;
    let found = reader.read(&authenticated).await.unwrap();
    assert_eq!(names(&found), ["ours"]);
    assert_eq!(found.items[0].id, id_of("ours").to_string());
    let nowhere = operator("events:all", Some(Id::from_u128(7)));
    assert_eq!(refusal(&app, &nowhere, None).await.code, ErrorCode::PermissionDenied);
}

#[both_databases]
async fn operator_streams_need_the_scope_events_all(db: TestDb) {
    let app = app(db).await;
    let all = operator("events:all", None);
    for workspace in [None, Some(app.a.workspace)] {
        let some = operator("workspaces:create", workspace);
        let refused = refusal(&app, &some, None).await;
        assert_eq!(
            (refused.code, refused.detail.as_str()),
            (ErrorCode::InsufficientScope, "this needs the scope `events:all`")
        );
    }
    let mut reader = open(&app, &all, None).await.unwrap();
    for authenticated in [operator("workspaces:create", None), app.owner().authenticated] {
        let refused = reader.read(&authenticated).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InsufficientScope, "{authenticated:?}");
    }
    assert_eq!(refusal(&app, &app.owner().authenticated, Some("0")).await.code, ErrorCode::InvalidArguments);
}
