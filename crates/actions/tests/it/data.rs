//! Queries to registered databases: a real PostgreSQL and a SQLite file, with either as the product's own
//! database.

use std::{path::Path, sync::Arc};

use secrecy::SecretString;
use serde_json::{Value, json};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_datasources::{AllowedTargets, make_file};
use toolcrib_engine::DatasourceRules;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::App;

const SHOP: &str =
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL, amount INTEGER NOT NULL);
INSERT INTO orders VALUES (1, 'Anchor Café', 10), (2, 'Quay Restaurant', 20), (3, 'Anchor Café', 5);";

/// A key of 32 bytes, all 7.
const KEY: &str = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=";

/// Rules that allow datasources in this folder and on the test server.
pub fn rules(folder: &Path) -> DatasourceRules {
    let allowed = AllowedTargets { hosts: vec!["127.0.0.1".into()], folder: Some(folder.into()), own: None };
    DatasourceRules {
        allowed,
        secret_cipher: Arc::new(SecretCipher::from_setting(&SecretString::from(KEY)).unwrap()),
    }
}

/// An app with the datasources `files` (SQLite) and `server` (PostgreSQL) in workspace A.
struct Shops {
    app: App,
    _folder: tempfile::TempDir,
    _server: TestDb,
}

impl Shops {
    async fn open(db: TestDb) -> Self {
        let (folder, server) = (tempfile::tempdir().unwrap(), toolcrib_testkit::postgres().await);
        make_file(&folder.path().join("shop.db"), SHOP.into()).await.unwrap();
        server.raw_sql(SHOP).await;
        let app = App::reaching(db, rules(folder.path())).await;
        for (name, connection) in [("files", "sqlite:shop.db".to_owned()), ("server", server.url())] {
            app.owner().done("datasources.create", json!({"name": name, "connection": connection})).await;
        }
        Self { app, _folder: folder, _server: server }
    }
}

const KINDS: [(&str, &str); 2] = [("files", "sqlite"), ("server", "postgres")];

#[both_databases]
async fn a_query_returns_columns_and_rows(db: TestDb) {
    let shops = Shops::open(db).await;
    let viewer = shops.app.as_role(Role::Viewer);
    let listed = viewer.done("list_datasources", json!({"type": "databases"})).await;
    for (name, kind) in KINDS {
        let sql = "SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer ORDER BY total DESC";
        let answer = viewer.done("query_data", json!({"datasource": name.to_uppercase(), "sql": sql})).await;
        assert_eq!(answer["rows"], json!([["Quay Restaurant", 20], ["Anchor Café", 15]]), "{kind}");
        let columns: Vec<&Value> =
            answer["columns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
        let found = (columns, &answer["row_count"], &answer["truncated"]);
        assert_eq!(found, (vec![&json!("customer"), &json!("total")], &json!(2), &json!(false)));
        assert_has(&answer["datasource"], json!({"name": name, "kind": kind}));
        let id = listed["items"].as_array().unwrap().iter().find(|item| item["name"] == name).unwrap()["id"]
            .clone();
        let wish = json!({"datasource": id, "sql": "SELECT id FROM orders ORDER BY id;", "max_rows": 2});
        let cut = viewer.done("query_data", wish).await;
        assert_eq!((&cut["rows"], &cut["truncated"]), (&json!([[1], [2]]), &json!(true)));
        let wish = json!({"datasource": name, "sql": "SELECT id FROM orders WHERE id > 9"});
        let none = viewer.done("query_data", wish).await;
        assert_eq!((&none["rows"], &none["row_count"]), (&json!([]), &json!(0)));
    }
}

#[both_databases]
async fn other_statements_than_a_read_only_select_are_refused(db: TestDb) {
    let shops = Shops::open(db).await;
    let owner = shops.app.owner();
    for (name, _) in KINDS {
        for sql in [
            "DELETE FROM orders",
            "SELECT 1; DROP TABLE orders",
            "SELECT * FROM orders FOR UPDATE",
            "SELECT load_extension('x')",
            "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x",
            "SELECT * FROM pg_shadow",
            "SELECT * FROM sqlite_master",
        ] {
            let problem = owner.problem("query_data", json!({"datasource": name, "sql": sql})).await;
            let found = (problem.code.as_str(), problem.errors[0].pointer.as_str());
            assert_eq!(found, ("invalid_arguments", "/sql"), "{sql}");
            assert_eq!(problem.errors[0].code, "refused", "{sql}: {}", problem.detail);
        }
        let wish = json!({"datasource": name, "sql": "SELECT nothing FROM orders"});
        let problem = owner.problem("query_data", wish).await;
        assert_eq!(problem.code.as_str(), "invalid_arguments");
        assert!(problem.detail.contains("nothing"), "{}", problem.detail);
        let whole =
            owner.done("query_data", json!({"datasource": name, "sql": "SELECT COUNT(*) FROM orders"})).await;
        assert_eq!(whole["rows"], json!([[3]]), "nothing was changed");
    }
}

#[both_databases]
async fn another_tenants_datasource_is_not_there(db: TestDb) {
    let shops = Shops::open(db).await;
    let (owner, stranger) = (shops.app.owner(), shops.app.as_role_b(Role::Owner));
    let listed = owner.done("datasources.list", json!({})).await;
    for reference in [
        listed["items"][0]["id"].clone(),
        json!("files"),
        json!("server"),
        json!("01890a5d-ac96-774b-bcce-b302099a8057"),
    ] {
        let answer =
            stranger.problem("query_data", json!({"datasource": reference, "sql": "SELECT 1"})).await;
        assert_eq!(answer.code.as_str(), "not_found");
        let hint = answer.hint.unwrap_or_default();
        assert!(!hint.contains("files") && !hint.contains("server"), "{hint}");
    }
    let near = owner.problem("query_data", json!({"datasource": "filse", "sql": "SELECT 1"})).await;
    assert!(near.code.as_str() == "not_found" && near.hint.unwrap().contains("`files`"));
    stranger.done("datasources.create", json!({"name": "files", "connection": "sqlite:shop.db"})).await;
    let found = stranger.done("query_data", json!({"datasource": "files", "sql": "SELECT 1"})).await;
    assert_eq!(found["rows"], json!([[1]]));
}

/// What was allowed when a datasource was registered is checked again for each query.
#[both_databases]
async fn a_datasource_that_is_no_longer_allowed_is_not_queried(db: TestDb) {
    let folder = tempfile::tempdir().unwrap();
    make_file(&folder.path().join("shop.db"), SHOP.into()).await.unwrap();
    let app = App::reaching(db, rules(folder.path())).await;
    let owner = app.owner();
    owner.done("datasources.create", json!({"name": "files", "connection": "sqlite:shop.db"})).await;
    let wish = json!({"name": "closed", "connection": "postgres://u:geheim@127.0.0.1:1/x"});
    owner.done("datasources.create", wish).await;
    let closed = owner.problem("query_data", json!({"datasource": "closed", "sql": "SELECT 1"})).await;
    assert_eq!(closed.code.as_str(), "upstream_error");
    assert!(!format!("{closed:?}").contains("geheim") && !closed.detail.contains("127.0.0.1"), "{closed:?}");
    std::fs::remove_file(folder.path().join("shop.db")).unwrap();
    let gone = owner.problem("query_data", json!({"datasource": "files", "sql": "SELECT 1"})).await;
    assert_eq!(gone.code.as_str(), "conflict");
    assert!(!format!("{gone:?}").contains("shop.db"), "{gone:?}");
}
