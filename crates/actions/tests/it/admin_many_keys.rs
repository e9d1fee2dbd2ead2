//! Many keys: how many a workspace may have, and how many of them a response names.

use serde_json::{Value, json};
use toolcrib_model::{Clock as _, Id, Role};
use toolcrib_store::{StoreError, keys, keys::KeyRow, minters};
use toolcrib_testkit::{TestDb, both_databases, key_row, write};

use crate::harness::{App, add};

fn service(name: &str) -> Value {
    json!({"kind": "service", "name": name, "scopes": ["*:read"]})
}

fn many(list: &Value) -> usize {
    list.as_array().unwrap().len()
}

/// Inserts `many` service keys, minted by the admin.
async fn add_keys(app: &App, many: u128) {
    let (workspace, admin) = (app.a.workspace, app.a.admin);
    write::<_, StoreError>(&app.db, workspace, async |tx| {
        for n in 0..many {
            let (role, scopes) = (Some("editor".to_owned()), "[\"*:read\"]".to_owned());
            let name = format!("key {n:04}");
            let row = key_row(workspace, row_id(n), "service");
            keys::insert(tx, &KeyRow { name, role, scopes, ..row }).await?;
            minters::insert(tx, row_id(n), admin).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
}

const fn row_id(n: u128) -> Id {
    Id::from_u128(0x1000_0000 + n)
}

#[both_databases]
async fn a_workspace_has_a_bounded_number_of_keys_that_are_good(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    add_keys(&app, 999).await;
    let mut short = service("Short");
    short["expires_at"] = json!(app.clock.now().plus_seconds(60).to_string());
    owner.done("keys.create", short).await;
    let refused = owner.problem("keys.create", service("Beyond")).await;
    assert_eq!(refused.code.as_str(), "conflict");
    assert!(refused.detail.contains("1000 valid keys"), "{}", refused.detail);
    assert!(refused.hint.unwrap().contains("revoke"));
    // Another workspace has a limit of its own, and keys that are revoked or expired do not count.
    app.as_role_b(Role::Owner).done("keys.create", service("Theirs")).await;
    app.clock.advance(60);
    owner.done("keys.create", service("Behind")).await;
    assert_eq!(owner.refused("keys.create", service("Beyond")).await, "conflict");
    owner.done("keys.revoke", json!({"id": row_id(0)})).await;
    owner.done("keys.create", service("Behind")).await;
}

#[both_databases]
async fn of_many_keys_200_are_named_and_the_others_counted(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    add_keys(&app, 203).await;
    let shown = owner.done("members.get", json!({"user_id": app.a.admin})).await;
    let delegates = &shown["delegates"];
    assert_eq!((many(&delegates["minted_keys"]), &delegates["more_keys"]), (200, &json!(3)));
    let other = add(&app, "other", Role::Admin).await;
    let done = owner.done("members.update", json!({"user_id": app.a.admin, "role": "viewer"})).await;
    assert_eq!((many(&done["weakened"]), &done["more_weakened"]), (200, &json!(3)));
    let told = app.as_identity(toolcrib_testkit::user_identity(app.a.workspace, other));
    let notices = told.done("notifications.list", json!({})).await.to_string();
    assert!(notices.contains("203 keys lost rights") && notices.contains("and 3 more"), "{notices}");
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "admin"})).await;
    let gone = owner.done("members.remove", json!({"user_id": app.a.admin, "adopt": true})).await;
    assert_eq!((&gone["weakened"], &gone["more_weakened"]), (&json!([]), &json!(0)));
}
