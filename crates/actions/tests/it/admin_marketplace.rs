//! Administration of the marketplace's items.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, operator, pointers, system, texts};

fn skill(slug: &str) -> Value {
    json!({
        "slug": slug, "name": format!("Skill {slug}"), "category": "Support",
        "description": "Answers in rhymes", "tags": ["rhyme"], "author": "Platform team",
        "skill": {"prompt": "Answer in rhymes."}
    })
}

#[both_databases]
async fn an_item_is_published_installed_changed_and_withdrawn(db: TestDb) {
    let app = App::new(db).await;
    // A system admin belongs to no workspace, so naming one changes nothing.
    for (n, place) in [None, Some(app.a.workspace)].into_iter().enumerate() {
        let system = system(&app, None, place);
        let slug = format!("rhymes-{n}");
        let made = system.done("marketplace.add_item", skill(&slug)).await;
        assert_has(&made, json!({"kind": "skill", "status": "approved", "version": "1.0.0"}));
        assert_has(&made, json!({"category": "support"}));
        for person in [app.as_role(Role::Viewer), app.as_role_b(Role::Viewer)] {
            let found = person.done("browse_marketplace_skills", json!({"search": slug})).await;
            let value = (texts(&found, "slug"), &found["items"][0]["token_cost"]);
            assert_eq!(value, (vec![slug.as_str()], &json!(5)));
        }
        app.owner().done("install_skill", json!({"skill": slug})).await;
        let id = &made["id"];
        let more = json!({
            "id": id, "name": "Rhymes", "tags": [format!("verse-{n}")], "version": "1.1.0",
            "skill": {"prompt": "Rhyme."}
        });
        let changed = system.done("marketplace.update_item", more.clone()).await;
        assert_has(&changed, json!({"name": "Rhymes", "version": "1.1.0", "changed": true}));
        assert_has(&changed, json!({"install_count": 1}));
        assert_eq!(system.done("marketplace.update_item", more).await["changed"], json!(false));
        let search = json!({"search": format!("verse-{n}")});
        let found = app.owner().done("browse_marketplace_skills", search.clone()).await;
        let value = (texts(&found, "slug"), &found["items"][0]["token_cost"]);
        assert_eq!(value, (vec![slug.as_str()], &json!(2)));
        let gone = system.done("marketplace.update_item", json!({"id": id, "status": "withdrawn"})).await;
        assert_eq!(gone["status"], json!("withdrawn"));
        assert_eq!(texts(&app.owner().done("browse_marketplace_skills", search).await, "slug"), [""; 0]);
        let code = app.as_role_b(Role::Owner).refused("install_skill", json!({"skill": slug})).await;
        assert_eq!(code, "not_found");
        let kept = app.owner().done("list_workspace_skills", json!({})).await;
        assert!(texts(&kept, "slug").contains(&slug.as_str()), "where it is installed it stays");
        system.done("marketplace.update_item", json!({"id": id, "status": "approved"})).await;
        app.as_role_b(Role::Owner).done("install_skill", json!({"skill": slug})).await;
    }
}

#[both_databases]
async fn each_kind_has_its_content(db: TestDb) {
    let app = App::new(db).await;
    let system = system(&app, None, None);
    let base = |slug: &str, kind: &str, content: Value| {
        let mut arguments = skill(slug);
        arguments.as_object_mut().unwrap().shift_remove("skill");
        arguments[kind] = content;
        arguments
    };
    let template = json!({
        "role": "worker", "system_prompt": "Work.", "temperature": 0.5,
        "suggested_skills": ["calm-reply"]
    });
    let plugin = json!({"tools": [{"name": "look", "description": "Looks."}], "requires_app": "slack"});
    let shown = system.done("marketplace.add_item", base("t", "template", template.clone())).await;
    assert_eq!(shown["kind"], json!("agent"));
    let made = system.done("marketplace.add_item", base("p", "plugin", plugin)).await;
    let found = app.owner().done("browse_marketplace_agents", json!({"search": "Skill t"})).await;
    assert_has(&found["items"][0], json!({"role": "worker", "temperature": 0.5}));
    let found = app.owner().done("browse_marketplace_plugins", json!({"search": "Skill p"})).await;
    assert_has(&found["items"][0], json!({"/tools/0/name": "look", "requires_app": "slack"}));
    let mut later = base("later", "template", template.clone());
    later["status"] = json!("pending");
    system.done("marketplace.add_item", later).await;
    let got = app.owner().done("browse_marketplace_agents", json!({"search": "later"})).await;
    assert_eq!(texts(&got, "slug"), [""; 0]);

    let error = system.refused("marketplace.add_item", base("t", "template", template.clone())).await;
    assert_eq!(error, "conflict");
    let mut both = skill("x");
    both["template"] = template.clone();
    for (bad, pointer) in [
        (both, vec!["/template", "/skill"]),
        (base("Bad Slug", "template", template.clone()), vec!["/slug"]),
        (base("x", "template", json!({"role": "king", "system_prompt": "x"})), vec!["/template/role"]),
        (base("x", "plugin", json!({"tools": []})), vec!["/plugin/tools"]),
        (base("x", "skill", json!({"prompt": ""})), vec!["/skill/prompt"]),
        (json!({"slug": "x", "name": "x", "category": "x", "description": "x", "author": "x"}), vec![""]),
    ] {
        assert_eq!(pointers(&system.call("marketplace.add_item", bad).await), pointer);
    }
    for (bad, code) in [
        (json!({"id": made["id"], "skill": {"prompt": "x"}}), "invalid_arguments"),
        (json!({"id": made["id"], "status": "gone"}), "invalid_arguments"),
        (json!({"id": "01890a5d-ac96-774b-bcce-b302099a8057", "status": "approved"}), "not_found"),
    ] {
        assert_eq!(system.refused("marketplace.update_item", bad).await, code);
    }
}

#[both_databases]
async fn no_operators_key_publishes(db: TestDb) {
    let app = App::new(db).await;
    let made = system(&app, None, None).done("marketplace.add_item", skill("mine")).await;
    for scopes in [&["workspaces:create", "workspaces:limits", "events:all"][..], &[]] {
        let person = operator(&app, scopes, None);
        assert_eq!(person.refused("marketplace.add_item", skill("theirs")).await, "permission_denied");
        let withdraw = json!({"id": made["id"], "status": "withdrawn"});
        assert_eq!(person.refused("marketplace.update_item", withdraw).await, "permission_denied");
    }
    let found = app.owner().done("browse_marketplace_skills", json!({"search": "mine rhyme"})).await;
    assert_eq!(texts(&found, "slug"), ["mine"]);
}
