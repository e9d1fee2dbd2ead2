//! The list of actions shows exactly those that the caller may run.

use serde_json::json;
use toolcrib_engine::CallerTools;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::things::app;

#[both_databases]
async fn a_listed_action_is_never_denied_and_others_always_are(db: TestDb) {
    let app = app(db).await;
    for role in Role::ALL {
        let person = app.as_role(role);
        let (caller, policy) = app.engine.admit(&person.authenticated).await.unwrap();
        let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
        let shown: Vec<&str> = tools.allowed().iter().map(|meta| &*meta.spec.name).collect();
        for meta in app.engine.catalog().registry().tools() {
            let name = &*meta.spec.name;
            for (tool, arguments) in [
                (name, json!({"acceptance_probe": true})),
                ("platform_execute", json!({"action": name, "params": {"acceptance_probe": true}})),
            ] {
                let code = person.refused(tool, arguments).await;
                let expected = if shown.contains(&name) { "invalid_arguments" } else { "permission_denied" };
                assert_eq!(code, expected, "{role} {tool} {name}");
            }
        }
    }
}
