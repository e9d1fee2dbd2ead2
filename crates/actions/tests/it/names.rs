//! Names of agents and playbooks, and searches that ignore case.

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, system, texts};

fn create(kind: &str, name: &str) -> (String, Value) {
    let mut arguments = json!({ "name": name });
    if kind == "playbook" {
        arguments["description"] = json!("x");
    }
    (format!("create_{kind}"), arguments)
}

#[both_databases]
async fn a_name_holds_nothing_that_nobody_sees(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for kind in ["agent", "playbook"] {
        let (action, arguments) = create(kind, "Plain");
        owner.done(&action, arguments).await;
        for bad in [
            "Pla\u{200b}in",
            "Pla\u{202e}in",
            "Pla\nin",
            "Pla\u{7}in",
            "Pla\u{200d}in",
            "Pla\u{ad}in",
            "Plain\u{fe01}",
        ] {
            let (action, arguments) = create(kind, bad);
            let update = (format!("update_{kind}"), json!({kind: "Plain", "name": bad}));
            for (action, arguments) in [(action, arguments), update] {
                let problem = owner.problem(&action, arguments).await;
                let found = (problem.code.as_str(), problem.errors[0].pointer.as_str());
                assert_eq!(found, ("invalid_arguments", "/name"), "{bad:?}");
                assert!(problem.detail.contains("\\u{"), "{}", problem.detail);
            }
        }
        let (action, arguments) = create(kind, "👩\u{200d}💻 می\u{200c}خواهم");
        let answer = owner.call(&action, arguments).await;
        assert_eq!(answer.status(), 200, "emoji and joined words stay possible");
    }
}

#[both_databases]
async fn what_administration_names_holds_nothing_that_nobody_sees(db: TestDb) {
    let app = App::new(db).await;
    let (owner, system) = (app.owner(), system(&app, None, None));
    let workspace = |external_id: &str, subject: &str| {
        let owner = json!({"subject": subject, "issuer": "test"});
        json!({"name": "x", "external_id": external_id, "owner": owner})
    };
    for bad in ["Pla\u{200b}in", "Pla\u{202e}in", "Pla\u{1b}in", "Pla\u{9b}in"] {
        for (person, action, arguments, pointer) in [
            (&owner, "members.add", json!({"subject": bad, "role": "viewer"}), "/subject"),
            (&owner, "connections.create", json!({"app": "slack", "name": bad}), "/name"),
            (&owner, "datasources.create", json!({"name": bad, "connection": "sqlite:x"}), "/name"),
            (&owner, "create_blueprint", json!({"name": bad, "rules": {}}), "/name"),
            (&system, "workspaces.create", workspace(bad, "x"), "/external_id"),
            (&system, "workspaces.create", workspace("x", bad), "/owner/subject"),
        ] {
            let problem = person.problem(action, arguments).await;
            let found = (problem.code.as_str(), problem.errors[0].pointer.as_str());
            assert_eq!(found, ("invalid_arguments", pointer), "{action}, {bad:?}");
        }
    }
}

#[both_databases]
async fn names_are_compared_in_one_form(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for kind in ["agent", "playbook"] {
        let (action, arguments) = create(kind, "Cafe\u{301}");
        let made = owner.done(&action, arguments).await;
        assert_eq!(made["name"], "Caf\u{e9}");
        for same in ["caf\u{e9}", "CAFE\u{301}"] {
            let (action, arguments) = create(kind, same);
            assert_eq!(owner.refused(&action, arguments).await, "conflict", "{same}");
            let found = owner.done(&format!("get_{kind}"), json!({ kind: same })).await;
            assert_eq!(found["id"], made["id"], "{same}");
        }
    }
}

#[both_databases]
async fn both_databases_find_the_same_in_any_case(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for (name, description) in
        [("One", "ΟΔΟΣ ΑΒΓ"), ("ΣΟΦΟΣ", "x"), ("Three", "ÄRGER, İSTANBUL, ЖУК"), ("Four", "plain")]
    {
        owner.done("create_agent", json!({"name": name, "description": description})).await;
    }
    for (search, found) in [
        ("Σ", vec!["ΣΟΦΟΣ", "One"]),
        ("σ", vec!["ΣΟΦΟΣ", "One"]),
        ("ς", vec!["ΣΟΦΟΣ", "One"]),
        ("οδος", vec!["One"]),
        ("ΟΔΟΣ", vec!["One"]),
        ("ärger", vec!["Three"]),
        ("жУк", vec!["Three"]),
        ("PLAIN", vec!["Four"]),
        ("%", vec![]),
    ] {
        let listed = owner.done("list_agents", json!({ "search": search })).await;
        assert_eq!(texts(&listed, "name"), found, "{search}");
        let mut walked = Vec::new();
        let mut given = json!({"search": search, "limit": 1});
        loop {
            let page = owner.done("list_agents", given.clone()).await;
            walked.extend(texts(&page, "name").into_iter().map(str::to_owned));
            let Some(next) = page["next_cursor"].as_str() else { break };
            given["cursor"] = json!(next);
        }
        assert_eq!(walked, found, "{search}, page by page");
    }
}

/// A model writes a name as it remembers it. The one record that has the name in another spelling is meant.
#[both_databases]
async fn a_models_spelling_of_a_name_is_read(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for name in ["Weekly Report", "Twin A", "Twin-A"] {
        owner.done("create_agent", json!({"name": name})).await;
    }
    owner.done("create_playbook", json!({"name": "Close the Month", "description": "x"})).await;
    for given in ["weekly-report", "weekly_report", "`Weekly Report`", "\"weekly report\"", "WeeklyReport"] {
        let model = owner.as_model(&format!("call_{given}"));
        let read = model.call("get_agent", json!({"agent": given})).await;
        let Outcome::Completed(done) = &read.outcome else { panic!("{given}: {read:?}") };
        assert_eq!(
            (&done.value()["name"], &done.repaired[..]),
            (&json!("Weekly Report"), &["/agent".into()][..])
        );
        let arguments = json!({"agent": given, "description": given});
        let write = owner.as_model(&format!("write_{given}")).call("update_agent", arguments).await;
        assert_eq!(write.status(), 200, "{given}: {write:?}");
        app.clock.advance(20);
        let program = owner.call("get_agent", json!({"agent": given})).await;
        assert_eq!(program.status(), 404, "a program names it exactly: {program:?}");
    }
    let playbook = owner.as_model("p").call("get_playbook", json!({"playbook": "close_the_month"})).await;
    assert_eq!(playbook.status(), 200, "{playbook:?}");
    for given in ["twin_a", "weekly", "???"] {
        let unclear = owner.as_model(given).call("get_agent", json!({"agent": given})).await;
        assert_eq!(unclear.status(), 404, "{given}: {unclear:?}");
    }
}

#[both_databases]
async fn a_word_for_nothing_is_no_name(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Scout"})).await;
    for word in ["none", "null", "undefined"] {
        let read = owner.as_model(word).call("list_tasks", json!({"agent": word})).await;
        assert_eq!(read.status(), 200, "{word}: {read:?}");
    }
    let arguments = json!({"title": "x", "description": "y", "agent": "none"});
    let write = owner.as_model("write").call("create_task", arguments).await;
    let Outcome::Refused(problem) = &write.outcome else { panic!("{write:?}") };
    let call = problem.call.as_ref().unwrap();
    assert_eq!(call["arguments"], json!({"title": "x", "description": "y"}));
    owner.done("create_agent", json!({"name": "None"})).await;
    let named = owner.as_model("named").call("get_agent", json!({"agent": "none"})).await;
    assert_eq!(named.status(), 200, "somebody has that name: {named:?}");
}
