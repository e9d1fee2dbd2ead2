//! Governance.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_store::llm_usage::UsageRow;
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::App;

/// Inserts a model call with this cost and number of tokens, this many days ago, as a runtime reports it.
async fn spent(app: &App, agent: Option<Id>, mission: Option<Id>, cost: i64, tokens: i64, days_ago: i64) {
    let id = Id::from_u128(u128::from(cost.unsigned_abs()) << 64 | u128::from(days_ago.unsigned_abs()));
    let row = UsageRow {
        id,
        occurred_at: NOW.plus_days(-days_ago),
        agent_id: agent,
        execution_id: None,
        mission_id: mission,
        model: "m".into(),
        provider: "p".into(),
        input_tokens: tokens,
        output_tokens: 0,
        cost_microusd: cost,
    };
    let done =
        write(&app.db, app.a.workspace, async |tx| toolcrib_store::llm_usage::insert(tx, &[row]).await)
            .await
            .unwrap();
    assert_eq!(done, [id]);
}

fn id(of: &Value) -> Id {
    of["id"].as_str().unwrap().parse().unwrap()
}

#[both_databases]
async fn a_blueprint_is_created_changed_and_made_the_default(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let wish = json!({"name": "Strict", "rules": {"require_system_prompt": true}, "is_default": true});
    let first = owner.done("create_blueprint", wish).await;
    assert_has(&first, json!({"is_default": true, "rules": {"require_system_prompt": true}}));
    assert_eq!(owner.refused("create_blueprint", json!({"name": "STRICT", "rules": {}})).await, "conflict");
    let second =
        owner.done("create_blueprint", json!({"name": "Loose", "rules": {}, "is_default": true})).await;
    assert_eq!(owner.done("get_blueprint", json!({"blueprint": "strict"})).await["is_default"], json!(false));
    let wish = json!({"blueprint": "Strict", "is_default": true, "description": "d"});
    let back = owner.done("update_blueprint", wish).await;
    assert_eq!(back["changed_fields"], json!(["description", "is_default"]));
    let found = owner.done("get_blueprint", json!({"blueprint": second["id"]})).await;
    assert_eq!(found["is_default"], json!(false));
    let rules = json!({"blueprint": "Strict", "rules": {"min_tools": 1}});
    assert_eq!(owner.done("update_blueprint", rules.clone()).await["rules"], json!({"min_tools": 1}));
    assert_eq!(owner.done("update_blueprint", rules).await["changed"], json!(false));
    let code = owner.refused("update_blueprint", json!({"blueprint": "Strict", "name": "loose"})).await;
    assert_eq!(code, "conflict");
    for (action, bad) in [
        ("create_blueprint", json!({"name": "N", "rules": {"min_tool": 1}})),
        ("create_blueprint", json!({"name": "N", "rules": {"allowed_models": []}})),
        ("update_blueprint", json!({"blueprint": "Strict", "rules": {"min_tools": -1}})),
    ] {
        assert_eq!(owner.refused(action, bad.clone()).await, "invalid_arguments", "{action} {bad}");
    }
    // Each workspace has a default of its own.
    let theirs = json!({"name": "Strict", "rules": {}, "is_default": true});
    app.as_role_b(Role::Owner).done("create_blueprint", theirs).await;
    assert_eq!(owner.done("get_blueprint", json!({"blueprint": "Strict"})).await["is_default"], json!(true));
}

#[both_databases]
async fn agents_keep_the_default_blueprint(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Old"})).await;
    let rules = json!({
        "require_system_prompt": true, "required_tags": ["team", "cost"],
        "allowed_models": ["none such"], "min_tools": 3
    });
    owner.done("create_blueprint", json!({"name": "House", "is_default": true, "rules": rules})).await;
    let problem = owner.problem("create_agent", json!({"name": "New", "tags": ["Team"]})).await;
    assert_eq!(problem.code.as_str(), "invalid_arguments");
    // Apps can only be assigned to an existing agent, so `min_tools` is not checked when it is created.
    let broken: Vec<_> = problem.errors.iter().map(|e| (e.pointer.as_str(), e.code.as_str())).collect();
    assert_eq!(
        broken,
        [
            ("/system_prompt", "require_system_prompt"),
            ("/tags", "required_tags"),
            ("/model", "allowed_models")
        ]
    );
    assert!(problem.errors[1].message.contains("`cost`"), "{}", problem.errors[1].message);
    assert_eq!(owner.refused("get_agent", json!({"agent": "New"})).await, "not_found");

    let wish = json!({"blueprint": "House", "rules": {"require_system_prompt": true}});
    owner.done("update_blueprint", wish).await;
    let problem = owner.problem("update_agent", json!({"agent": "Old", "temperature": 1})).await;
    assert_eq!((problem.errors.len(), problem.errors[0].code.as_str()), (1, "require_system_prompt"));
    let off = owner.done("update_agent", json!({"agent": "Old", "status": "inactive"})).await;
    assert_eq!(off["status"], json!("inactive"));
    let error = owner.refused("update_agent", json!({"agent": "Old", "status": "active"})).await;
    assert_eq!(error, "invalid_arguments");
    owner.done("update_agent", json!({"agent": "Old", "status": "active", "system_prompt": "Be kind"})).await;
    owner.done("create_agent", json!({"name": "New", "system_prompt": "Be brief"})).await;
    app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Elsewhere"})).await;
}

#[both_databases]
async fn an_agent_is_judged_rule_by_rule(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let a = owner.done("create_agent", json!({"name": "A", "tags": ["team"]})).await;
    owner.done("create_agent", json!({"name": "B", "system_prompt": "p", "tags": ["team"]})).await;
    assert_eq!(owner.refused("validate_agent", json!({"agent": "A"})).await, "invalid_arguments");
    let wish = json!({"name": "R", "rules": {"require_system_prompt": true, "required_tags": ["TEAM"],
        "max_budget_microusd": 1000, "min_tools": 0}});
    owner.done("create_blueprint", wish).await;
    // 700 + 301 within 30 days is one too many. Older calls do not count.
    for (cost, days) in [(700, 1), (301, 30), (5000, 31)] {
        spent(&app, Some(id(&a)), None, cost, 1, days).await;
    }
    let got = app.as_role(Role::Viewer).done("validate_agent", json!({"agent": "A", "blueprint": "r"})).await;
    assert_eq!((got["passed"].as_bool(), got["blueprint_name"].as_str()), (Some(false), Some("R")));
    let rules: Vec<_> = got["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["rule"].as_str().unwrap(), rule["passed"].as_bool().unwrap()))
        .collect();
    assert_eq!(
        rules,
        [
            ("require_system_prompt", false),
            ("required_tags", true),
            ("min_tools", true),
            ("max_budget_microusd", false)
        ]
    );
    assert_eq!(got["rules"][3]["why"], json!("it spent $0.001001 of $0.001 in 30 days"));
    let listed = owner.done("list_blueprints", json!({})).await;
    assert_has(&listed["items"][0], json!({"agents_passing": 1, "agents_total": 2}));
    owner.done("update_blueprint", json!({"blueprint": "R", "is_default": true})).await;
    assert_eq!(owner.done("validate_agent", json!({"agent": "B"})).await["passed"], json!(true));
}

#[both_databases]
async fn a_budget_is_measured(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let wish = json!({"goal": "g",
        "budget": {"max_cost_microusd": 1000, "max_tokens": 100, "alert_at_percent": 80}});
    let mission = owner.done("create_mission", wish).await;
    let wanted = json!({"mission": mission["id"]});
    let none = owner.done("check_budget", wanted.clone()).await;
    assert_eq!((none["state"].as_str(), none["samples"].as_i64()), (Some("ok"), Some(0)));
    spent(&app, None, Some(id(&mission)), 799, 10, 1).await;
    assert_eq!(owner.done("check_budget", wanted.clone()).await["state"], json!("ok"));
    // 800 of 1000 is 80 %, at which the budget warns.
    spent(&app, None, Some(id(&mission)), 1, 10, 1).await;
    let near = owner.done("check_budget", wanted.clone()).await;
    assert_has(&near, json!({"state": "warning", "/cost_microusd/percent": 80}));
    assert_eq!((near["tokens"]["spent"].as_i64(), near["tokens"]["state"].as_str()), (Some(20), Some("ok")));
    spent(&app, None, Some(id(&mission)), 2, 90, 1).await;
    let over = owner.done("check_budget", wanted).await;
    assert_has(&over, json!({"state": "exceeded", "/tokens/state": "exceeded"}));
}

#[both_databases]
async fn a_page_counts_agents_of_which_some_have_a_blank_prompt_or_spent_too_much(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let blank: String = (0..=0xffff).filter_map(char::from_u32).filter(|c| c.is_whitespace()).collect();
    owner.done("create_agent", json!({ "name": "None" })).await;
    // Calls can't set such prompts.
    for (name, prompt) in [("Blank", &*blank), ("Invisible", "\u{200b}")] {
        owner.done("create_agent", json!({ "name": name, "system_prompt": "x" })).await;
        let sql = format!("UPDATE agents SET system_prompt = '{prompt}' WHERE name = '{name}'");
        app.db.raw_sql(&sql).await;
    }
    let full = owner.done("create_agent", json!({ "name": "Full", "system_prompt": "x" })).await;
    spent(&app, Some(id(&full)), None, 1_001, 1, 1).await;
    let rules = [
        ("none", json!({}), 4),
        ("prompt", json!({ "require_system_prompt": true }), 2),
        ("prompt and costs", json!({ "require_system_prompt": true, "max_budget_microusd": 1_000 }), 1),
        ("higher costs", json!({ "require_system_prompt": true, "max_budget_microusd": 1_001 }), 2),
        ("costs", json!({ "max_budget_microusd": 1_000 }), 3),
    ];
    for (name, rules, _) in &rules {
        owner.done("create_blueprint", json!({ "name": name, "rules": rules })).await;
    }
    let listed = owner.done("list_blueprints", json!({})).await;
    for (name, _, passing) in &rules {
        let item = listed["items"].as_array().unwrap().iter().find(|item| item["name"] == *name).unwrap();
        assert_eq!((&item["agents_passing"], &item["agents_total"]), (&json!(passing), &json!(4)), "{name}");
    }
}
