//! Datasources: registered by admins, encrypted in the database, and never shown.

use std::{fmt::Write as _, path::Path};

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Id, Role};
use toolcrib_store::datasources;
use toolcrib_testkit::{TestDb, assert_has, both_databases, write};

use crate::{
    data::rules,
    harness::{App, audit_rows, new_agent, pointers, system},
};

const SECRET: &str = "hunter2-very-secret";

fn server(name: &str) -> Value {
    json!({"name": name, "connection": format!("postgres://reader:{SECRET}@127.0.0.1:5999/shop")})
}

/// The audit rows and datasources of a workspace as text, with the encrypted connections.
async fn everything(app: &App, workspace: Id) -> String {
    let mut text = format!("{:?}", audit_rows(app, workspace, None).await);
    let mut tx = app.db.read(workspace).await.unwrap();
    for row in datasources::list(&mut tx, Cursor::START, 100).await.unwrap() {
        write!(text, "{row:?}").unwrap();
        text.push_str(&datasources::config(&mut tx, row.id).await.unwrap().unwrap());
    }
    tx.end().await.unwrap();
    text
}

fn files(folder: &Path) -> Vec<u8> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    all.collect::<Vec<_>>().concat()
}

#[both_databases]
async fn a_database_is_registered_listed_and_removed(db: TestDb) {
    let folder = tempfile::tempdir().unwrap();
    let app = App::reaching(db, rules(folder.path())).await;
    let admin = app.as_role(Role::Admin);
    let made = admin.done("datasources.create", server("Shop")).await;
    assert_has(&made, json!({"name": "Shop", "kind": "postgres", "created_by": app.a.admin}));
    assert_eq!(admin.refused("datasources.create", server("SHOP")).await, "conflict");
    let listed = admin.done("datasources.list", json!({})).await;
    assert_eq!(listed["items"], json!([made]));
    let gone = admin.done("datasources.delete", json!({"id": made["id"]})).await;
    assert_eq!((&gone["name"], &gone["deleted"]), (&json!("Shop"), &json!(true)));
    assert_eq!(admin.refused("datasources.delete", json!({"id": made["id"]})).await, "not_found");
    assert_eq!(admin.done("datasources.list", json!({})).await["items"], json!([]));
}

#[both_databases]
async fn the_connection_is_encrypted_and_never_shown(db: TestDb) {
    let folder = tempfile::tempdir().unwrap();
    let app = App::reaching(db, rules(folder.path())).await;
    let owner = app.owner();
    let mut shown = Vec::new();
    shown.push(format!("{:?}", owner.with_key("k").call("datasources.create", server("Shop")).await));
    shown.push(format!("{:?}", owner.with_key("k").call("datasources.create", server("Shop")).await));
    shown.push(format!("{:?}", owner.call("datasources.create", server("Shop")).await));
    // Calls with one mistake, with several, and with a mistake in the secret itself.
    for (name, connection) in [
        ("", format!("postgres://u:{SECRET}@127.0.0.1/x")),
        ("a", format!("{SECRET}{}", "x".repeat(2_000))),
        ("a", format!("postgres://u:{SECRET}@elsewhere.example/x")),
        ("a", format!("{SECRET}://nothing")),
    ] {
        let wish = json!({"name": name, "connection": connection, "conection": SECRET});
        let answer = owner.call("datasources.create", wish).await;
        shown.push(format!("{answer:?}"));
        let answer = owner.call("datasources.create", json!({"name": name, "connection": connection})).await;
        assert!(answer.status() >= 400);
        shown.push(format!("{answer:?}"));
    }
    for action in ["datasources.list", "list_datasources", "audit.list"] {
        shown.push(owner.done(action, json!({})).await.to_string());
    }
    shown.push(everything(&app, app.a.workspace).await);
    for text in &shown {
        assert!(!text.contains(SECRET) && !text.contains("reader:"), "{text}");
    }
    assert!(shown.last().unwrap().contains("v1."), "it is there, sealed");
    let url = app.db.url();
    if let Some(path) = url.strip_prefix("sqlite:") {
        let bytes = files(Path::new(path).parent().unwrap());
        assert!(
            !bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()),
            "in a file of the database"
        );
    }
}

#[both_databases]
async fn another_tenant_sees_and_removes_nothing(db: TestDb) {
    let folder = tempfile::tempdir().unwrap();
    let app = App::reaching(db, rules(folder.path())).await;
    let made = app.owner().done("datasources.create", server("Canary")).await;
    let stranger = app.as_role_b(Role::Owner);
    for id in [made["id"].clone(), json!("01890a5d-ac96-774b-bcce-b302099a8057")] {
        assert_eq!(stranger.refused("datasources.delete", json!({"id": id})).await, "not_found");
    }
    assert_eq!(stranger.done("datasources.list", json!({})).await["items"], json!([]));
    assert_eq!(app.owner().done("datasources.list", json!({})).await["items"].as_array().unwrap().len(), 1);
    // A row that is copied into another workspace can't be decrypted there.
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let id: Id = made["id"].as_str().unwrap().parse().unwrap();
    let (row, sealed) = (
        datasources::get(&mut tx, id).await.unwrap().unwrap(),
        datasources::config(&mut tx, id).await.unwrap().unwrap(),
    );
    tx.end().await.unwrap();
    write(&app.db, app.b.workspace, async |tx| datasources::insert(tx, &row, &sealed).await).await.unwrap();
    let problem = stranger.problem("query_data", json!({"datasource": "Canary", "sql": "SELECT 1"})).await;
    assert_eq!(problem.code.as_str(), "conflict");
}

#[both_databases]
async fn agents_and_system_admins_register_none(db: TestDb) {
    let folder = tempfile::tempdir().unwrap();
    let app = App::reaching(db, rules(folder.path())).await;
    let agent = new_agent(&app, "Bot", Role::Owner).await;
    assert_eq!(agent.refused("datasources.create", server("x")).await, "permission_denied");
    let system = system(&app, None, Some(app.a.workspace));
    assert_eq!(system.refused("datasources.create", server("x")).await, "permission_denied");
}

#[both_databases]
async fn only_what_the_operator_allows_is_registered(db: TestDb) {
    let folder = tempfile::tempdir().unwrap();
    let app = App::reaching(db, rules(folder.path())).await;
    let owner = app.owner();
    for bad in [
        "",
        "nonsense",
        "postgres://u:p@elsewhere.example/x",
        "postgres://u:p@127.0.0.1/x?host=elsewhere.example",
        "postgres://127.0.0.1/x",
        "sqlite:missing.db",
        "sqlite:../x.db",
        "sqlite:/etc/passwd",
        "mysql://u:p@127.0.0.1/x",
    ] {
        let answer = owner.call("datasources.create", json!({"name": "x", "connection": bad})).await;
        assert_eq!(pointers(&answer), ["/connection"], "{bad}");
    }
}

#[both_databases]
async fn without_configuration_the_error_names_the_setting(db: TestDb) {
    let app = App::new(db).await;
    for (connection, setting) in
        [("postgres://u:p@127.0.0.1/x", "datasource_hosts"), ("sqlite:x.db", "datasource_dir")]
    {
        let problem =
            app.owner().problem("datasources.create", json!({"name": "x", "connection": connection})).await;
        assert_eq!(problem.code.as_str(), "connector_not_configured");
        assert!(problem.detail.contains(setting), "{}", problem.detail);
    }
}
