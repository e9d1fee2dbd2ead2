//! Hints for callers who were denied.

use serde_json::json;
use toolcrib_engine::Outcome;
use toolcrib_model::Role;
use toolcrib_registry::{ActionKind, Level, PREFIX};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::App;

#[both_databases]
async fn a_denial_names_what_helps(db: TestDb) {
    let app = App::new(db).await;
    let registry = app.engine.catalog().registry();
    let (mut denied, mut helped) = (0, 0);
    for role in Role::ALL {
        for meta in registry.all() {
            let Outcome::Refused(problem) =
                app.as_role(role).call(&meta.spec.name, json!({"x": 1})).await.outcome
            else {
                continue;
            };
            if problem.code.as_str() != "permission_denied" {
                continue;
            }
            denied += 1;
            let (hint, name) = (problem.hint.unwrap(), meta.spec.name.clone());
            let instead = hint.split('`').find(|word| word.starts_with(PREFIX));
            let Some(instead) = instead.map(|name| &registry.get(name).unwrap().spec) else { continue };
            helped += 1;
            let told = format!("{role} at `{name}`: {hint}");
            assert_eq!(meta.spec.kind, ActionKind::Tool, "{told}");
            if meta.spec.level == Level::Read {
                assert_eq!((instead.level, instead.category), (Level::Read, meta.spec.category), "{told}");
            } else {
                assert!(instead.level != Level::Read && instead.level <= meta.spec.level, "{told}");
                assert_eq!(instead.permission.resource, meta.spec.permission.resource, "{told}");
                let deletes = |name: &str| name.contains("_delete_") || name.contains("_remove_");
                assert_eq!(deletes(&instead.name), deletes(&name), "{told}: for another purpose");
            }
        }
    }
    assert!(denied > 100 && helped > 0, "{denied} denials, {helped} with something instead");
    let problem = app.as_role(Role::Admin).problem("workspaces.delete", json!({})).await;
    assert_eq!(problem.hint.unwrap(), "ask the workspace's owner");
    let problem = app.as_role(Role::Viewer).problem("get_logs", json!({"service": "api"})).await;
    // Nothing that a viewer may call serves this purpose.
    assert_eq!(problem.hint.unwrap(), "ask a workspace admin");
}

#[both_databases]
async fn a_name_that_is_also_similar_to_a_denied_action_carries_no_call(db: TestDb) {
    let app = App::new(db).await;
    // Similar to `create_task` and to `create_agent`, which a member may not call.
    let arguments = json!({"title": "x", "description": "y"});
    let problem = app.as_role(Role::Member).problem("create_agent_task", arguments).await;
    assert_eq!((problem.code.as_str(), &problem.call), ("unknown_action", &None));
    let hint = problem.hint.unwrap();
    assert!(hint.contains("`platform_create_task`") && !hint.contains("create_agent"), "{hint}");
}
