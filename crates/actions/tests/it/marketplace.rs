//! The marketplace.

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Role};
use toolcrib_store::{builtin_data::item_id, marketplace};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::App;

fn slugs(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["slug"].as_str().unwrap()).collect()
}

#[both_databases]
async fn approved_items_are_browsed_page_by_page(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer);
    // The built-in data has 16, 28 and 18 approved items, and one of each kind that is pending.
    for (kind, count) in [("agents", 16), ("skills", 28), ("plugins", 18)] {
        let action = format!("browse_marketplace_{kind}");
        let all = viewer.done(&action, json!({"limit": 100})).await;
        assert_eq!((slugs(&all).len(), &all["next_cursor"]), (count, &Value::Null));
        let first = viewer.done(&action, json!({"limit": 10})).await;
        let second = viewer.done(&action, json!({"limit": 100, "cursor": first["next_cursor"]})).await;
        assert_eq!([slugs(&first), slugs(&second)].concat(), slugs(&all));
        assert!(all["items"].as_array().unwrap().iter().all(|item| item["installed"] == json!(false)));
    }
}

#[both_databases]
async fn a_search_must_match_every_word(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let found = owner.done("browse_marketplace_plugins", json!({"search": "REQUESTS github"})).await;
    assert_eq!(slugs(&found), ["github-pull-requests"]);
    let none = owner.done("browse_marketplace_plugins", json!({"search": "github stripe"})).await;
    assert_eq!(none["items"], json!([]));
    assert_eq!(owner.done("browse_marketplace_skills", json!({"search": "%"})).await["items"], json!([]));
    let finance = owner.done("browse_marketplace_skills", json!({"category": "Finance"})).await;
    let items = finance["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.iter().all(|item| item["category"] == json!("finance")));
}

#[both_databases]
async fn a_skill_tells_what_its_prompt_costs(db: TestDb) {
    let app = App::new(db).await;
    let found = app.owner().done("browse_marketplace_skills", json!({"search": "calm-reply"})).await;
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let row = marketplace::find(&mut tx, "skill", "calm-reply").await.unwrap().remove(0);
    tx.end().await.unwrap();
    let content: Value = serde_json::from_str(&row.content).unwrap();
    let characters = content["prompt"].as_str().unwrap().chars().count();
    assert_eq!(found["items"][0]["token_cost"], json!(characters.div_ceil(4)));
}

#[both_databases]
async fn installing_again_changes_nothing(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.as_role(Role::Editor);
    for (kind, slug, name) in [("skill", "calm-reply", "calm REPLY"), ("plugin", "web-reader", "Web reader")]
    {
        let action = format!("install_{kind}");
        let first = editor.done(&action, json!({kind: slug})).await;
        assert_eq!(first["id"], json!(item_id(kind, slug)));
        assert_has(&first, json!({"changed": true, "installed": true, "install_count": 1}));
        for again in [json!(name), first["id"].clone()] {
            let second = editor.done(&action, json!({kind: again})).await;
            assert_eq!((&second["changed"], &second["install_count"]), (&json!(false), &json!(1)));
        }
        let browse = format!("browse_marketplace_{kind}s");
        let here = editor.done(&browse, json!({"search": slug})).await;
        assert_eq!(here["items"][0]["installed"], json!(true));
        // The other workspace sees the install count, and that the item is not installed there.
        let there = app.as_role_b(Role::Owner).done(&browse, json!({"search": slug})).await;
        assert_has(&there["items"][0], json!({"installed": false, "install_count": 1}));
    }
}

#[both_databases]
async fn only_approved_items_are_installed(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    assert_eq!(owner.refused("install_skill", json!({"skill": "survey-analysis-2"})).await, "not_found");
    // `survey-collector` is the built-in plugin that is pending.
    assert_eq!(owner.refused("install_plugin", json!({"plugin": "survey-collector"})).await, "not_found");
    let problem = owner.problem("install_plugin", json!({"plugin": "Web reeder"})).await;
    assert!(format!("{problem:?}").contains("did you mean `Web reader`"), "{problem:?}");
    let id = item_id("plugin", "survey-collector");
    let approved =
        write(&app.db, app.a.workspace, async |tx| marketplace::set_status(tx, id, "approved", NOW).await)
            .await
            .unwrap();
    assert!(approved);
    assert_eq!(
        owner.done("install_plugin", json!({"plugin": "survey-collector"})).await["changed"],
        json!(true)
    );
}

#[both_databases]
async fn a_name_that_two_items_have_is_answered_with_both_ids(db: TestDb) {
    let app = App::new(db).await;
    let item = marketplace::NewItem {
        id: toolcrib_model::Id::from_u128(7),
        kind: "skill".into(),
        slug: "calmer".into(),
        name: "Calm-reply".into(),
        category: "support".into(),
        description: "another".into(),
        tags: vec![],
        status: "approved".into(),
        version: "1".into(),
        author: "somebody".into(),
        content: json!({"prompt": "Be calm."}).to_string(),
    };
    write(&app.db, app.a.workspace, async |tx| marketplace::publish(tx, &item, NOW).await).await.unwrap();
    let problem = app.owner().problem("install_skill", json!({"skill": "calm-reply"})).await;
    assert_eq!(problem.code.as_str(), "conflict");
    let text = format!("{problem:?}");
    assert!(text.contains("00000000-0000-0000-0000-000000000007"), "{text}");
    assert!(text.contains(&item_id("skill", "calm-reply").to_string()), "{text}");
    // "Be calm." has 8 characters.
    let done = app.owner().done("install_skill", json!({"skill": "calmer"})).await;
    assert_eq!(done["token_cost"], json!(2));
}

#[both_databases]
async fn a_template_is_installed_where_an_agent_has_its_name(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "support DESK"})).await;
    let mine = app.owner().done("browse_marketplace_agents", json!({"search": "support-desk"})).await;
    assert_has(&mine["items"][0], json!({"installed": true, "install_count": 1}));
    let theirs =
        app.as_role_b(Role::Owner).done("browse_marketplace_agents", json!({"search": "support-desk"})).await;
    assert_eq!(theirs["items"][0]["installed"], json!(false));
}

#[both_databases]
async fn models_come_from_the_catalogue(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = owner.done("install_model", json!({"model": "gpt-4o"})).await;
    assert_has(&first, json!({"changed": true, "default": false, "provider": "openai"}));
    assert_eq!(owner.done("install_model", json!({"model": "gpt-4o"})).await["changed"], json!(false));
    let problem = owner.problem("install_model", json!({"model": "gpt-4p"})).await;
    assert_eq!(problem.code.as_str(), "not_found");
    assert!(format!("{problem:?}").contains("did you mean `gpt-4o`"), "{problem:?}");
}

#[both_databases]
async fn the_first_model_becomes_the_default(db: TestDb) {
    let app = App::new(db).await;
    toolcrib_testkit::change_workspace(&app.db, app.a.workspace, |row| row.default_model = None).await;
    assert_eq!(app.owner().done("install_model", json!({"model": "gpt-4o"})).await["default"], json!(true));
    assert_eq!(app.owner().done("install_model", json!({"model": "gpt-5.5"})).await["default"], json!(false));
}

#[both_databases]
async fn installations_are_visible_in_their_workspace_alone(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("install_skill", json!({"skill": "calm-reply"})).await;
    for (world, count) in [(app.a, 1), (app.b, 0)] {
        let mut tx = app.db.read(world.workspace).await.unwrap();
        let rows = marketplace::installed(&mut tx, "skill", Cursor::START, 10).await.unwrap();
        tx.end().await.unwrap();
        assert_eq!(rows.len(), count);
    }
}
