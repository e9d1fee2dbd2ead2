//! The marketplace, and the workspace that installs from it.

use serde_json::{Value, json};
use toolcrib_model::{Cursor, Role};
use toolcrib_store::{builtin_data::item_id, marketplace};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::{App, texts};

#[both_databases]
async fn approved_items_alone_are_browsed(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer);
    // The built-in data has 16, 28 and 18 approved items, and one of each kind that is pending.
    for (kind, count) in [("agents", 16), ("skills", 28), ("plugins", 18)] {
        let action = format!("browse_marketplace_{kind}");
        let all = viewer.done(&action, json!({"limit": 100})).await;
        assert_eq!((texts(&all, "slug").len(), &all["next_cursor"]), (count, &Value::Null));
        assert!(all["items"].as_array().unwrap().iter().all(|item| item["installed"] == json!(false)));
    }
}

#[both_databases]
async fn a_search_must_match_every_word(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let found = owner.done("browse_marketplace_plugins", json!({"search": "REQUESTS github"})).await;
    assert_eq!(texts(&found, "slug"), ["github-pull-requests"]);
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
    let found = owner.done("install_plugin", json!({"plugin": "survey-collector"})).await;
    assert_eq!(found["changed"], json!(true));
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

#[both_databases]
async fn a_workspace_tells_its_limits_and_counts(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    owner.done("create_agent", json!({"name": "Two"})).await;
    owner.done("update_agent", json!({"agent": "Two", "status": "inactive"})).await;
    let info = app.as_role(Role::Viewer).done("get_workspace_info", json!({})).await;
    assert_has(&info, json!({"id": app.a.workspace, "name": "workspace", "plan": "standard"}));
    // There is a member for each of the five roles, and one of two agents is inactive.
    assert_has(&info, json!({"/counts/members": 5, "/counts/agents": 2, "/counts/active_agents": 1}));
    assert_has(&info, json!({"/limits/write_per_minute": 1_000_000}));
}

#[both_databases]
async fn installed_things_are_listed_newest_first(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for (kind, first, second) in
        [("skill", "calm-reply", "code-review"), ("plugin", "web-reader", "slack-alerts")]
    {
        let list = format!("list_workspace_{kind}s");
        assert_eq!(owner.done(&list, json!({})).await["items"], json!([]));
        owner.done(&format!("install_{kind}"), json!({kind: first})).await;
        app.clock.advance(1);
        owner.done(&format!("install_{kind}"), json!({kind: second})).await;
        let all = app.as_role(Role::Viewer).done(&list, json!({})).await;
        assert_has(&all["items"], json!({"/0/slug": second, "/0/agents": 0, "/1/slug": first, "/2": null}));
    }
}

#[both_databases]
async fn models_are_listed_with_the_default(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    app.clock.advance(1);
    owner.done("install_model", json!({"model": "gpt-4o"})).await;
    let models = app.as_role(Role::Viewer).done("list_workspace_models", json!({})).await;
    assert_eq!(models["default_model"], json!("gpt-4o-mini"));
    let seen: Vec<_> = models["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| {
            (m["model"].as_str().unwrap(), m["default"].as_bool().unwrap(), m["agents"].as_i64().unwrap())
        })
        .collect();
    assert_eq!(seen, [("gpt-4o", false, 0), ("gpt-4o-mini", true, 1)]);
}
