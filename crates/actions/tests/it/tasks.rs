//! Tasks.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness::{App, texts};

/// Creates a task with this title.
async fn made(person: &Person<'_>, title: &str) -> Value {
    person.done("create_task", json!({"title": title, "description": "to do"})).await
}

#[both_databases]
async fn a_card_names_the_agent_in_place_of_its_id(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let helper = owner.done("create_agent", json!({"name": "Helper"})).await;
    let task = made(&owner, "A").await;
    for (action, mut arguments) in [
        ("assign_task", json!({"task_id": task["id"]})),
        ("create_task", json!({"title": "B", "description": "d"})),
        ("store_memory", json!({"content": "c"})),
        ("schedule_task", json!({"kind": "one_shot", "description": "d", "when": "2026-02-01T09:00:00Z"})),
        ("submit_report", json!({"title": "R", "content": "c", "kind": "research", "status": "ok"})),
    ] {
        arguments["agent"] = helper["id"].clone();
        let lines = owner.check(action, arguments).await.summary;
        let agent = lines.iter().find(|line| line.label == "agent").unwrap();
        assert_eq!(agent.value, "Helper", "{action}");
    }
}

#[both_databases]
async fn a_task_moves_across_the_board(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Helper"})).await;
    let wish = json!({"title": "Compare prices", "description": "Of three shops",
        "priority": "high", "due_at": "2026-02-01T09:00:00Z", "tags": ["shop"]});
    let task = owner.done("create_task", wish).await;
    assert_has(&task, json!({"status": "inbox", "agent_id": null, "due_at": "2026-02-01T09:00:00.000000Z"}));
    let id = &task["id"];
    let wish = json!({
        "title": "Ask one shop", "description": "By mail", "agent": "HELPER",
        "parent_task_id": id
    });
    let part = owner.done("create_task", wish).await;
    assert_has(&part, json!({"status": "assigned", "agent_name": "Helper", "priority": "medium"}));

    let given = owner.done("assign_task", json!({"task_id": id, "agent": "helper"})).await;
    assert_eq!((given["status"].as_str(), given["changed"].as_bool()), (Some("assigned"), Some(true)));
    let again = owner.done("assign_task", json!({"task_id": id, "agent": "Helper"})).await;
    assert_eq!(again["changed"], json!(false));
    owner.done("update_task_status", json!({"task_id": id, "status": "in_progress"})).await;
    let given = json!({"task_id": id, "status": "done", "note": "cheapest: B"});
    let done = owner.done("update_task_status", given).await;
    assert_eq!(done["done_at"], json!(toolcrib_testkit::NOW));
    let same = owner.done("update_task_status", json!({"task_id": id, "status": "done"})).await;
    assert_eq!(same["changed"], json!(false));

    let whole = owner.done("get_task", json!({"task_id": id})).await;
    assert_eq!(texts(&whole["subtasks"], "title"), ["Ask one shop"]);
    assert_eq!(texts(&whole["history"], "to_status"), ["done", "in_progress", "assigned", "inbox"]);
    assert_has(&whole, json!({"/history/0/note": "cheapest: B", "/history/0/actor_id": app.a.owner}));
    assert_has(&whole, json!({"possible": ["in_progress"]}));
}

#[both_databases]
async fn a_status_follows_only_where_the_board_lets_it(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Helper"})).await;
    // Each status, the statuses on the way to it, and the statuses that may follow.
    let board: [(&str, &[&str], &[&str]); 6] = [
        ("inbox", &[], &["assigned", "done"]),
        ("assigned", &["assigned"], &["in_progress", "blocked", "inbox"]),
        ("in_progress", &["assigned", "in_progress"], &["review", "blocked", "done"]),
        ("review", &["assigned", "in_progress", "review"], &["in_progress", "done"]),
        ("blocked", &["assigned", "blocked"], &["assigned", "in_progress"]),
        ("done", &["done"], &["in_progress"]),
    ];
    for (from, way, possible) in board {
        for to in board.map(|(status, ..)| status).into_iter().filter(|to| *to != from) {
            let id = made(&owner, from).await["id"].clone();
            for step in way {
                owner.done("update_task_status", json!({"task_id": id, "status": step})).await;
            }
            let wanted = json!({"task_id": id, "status": to});
            if possible.contains(&to) {
                let moved = owner.done("update_task_status", wanted).await;
                assert_eq!((moved["status"].as_str(), moved["changed"].as_bool()), (Some(to), Some(true)));
            } else {
                let problem = owner.problem("update_task_status", wanted).await;
                assert_eq!(problem.code.as_str(), "conflict", "{from} to {to}");
                let listed = possible.iter().map(|s| format!("`{s}`")).collect::<Vec<_>>().join(", ");
                assert!(problem.detail.ends_with(&format!("possible now: {listed}")), "{}", problem.detail);
            }
        }
    }
    let id = made(&owner, "back").await["id"].clone();
    owner.done("assign_task", json!({"task_id": id, "agent": "Helper"})).await;
    let back = owner.done("update_task_status", json!({"task_id": id, "status": "inbox"})).await;
    assert_eq!((back["agent_id"].is_null(), back["done_at"].is_null()), (true, true));
    owner.done("update_task_status", json!({"task_id": id, "status": "done"})).await;
    let reopened = owner.done("update_task_status", json!({"task_id": id, "status": "in_progress"})).await;
    assert!(reopened["done_at"].is_null());
}

#[both_databases]
async fn the_board_is_counted(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for name in ["A", "B", "C", "D", "E", "F"] {
        owner.done("create_agent", json!({"name": name})).await;
    }
    // A has 3 open tasks, B to E one each, and F a blocked one. One more task is done: 8 open, 9 in all.
    for agent in ["A", "A", "A", "B", "C", "D", "E", "F"].iter().take(7) {
        let wish = json!({"title": agent, "description": "d", "agent": agent, "priority": "low"});
        owner.done("create_task", wish).await;
    }
    let wish = json!({"title": "late", "description": "d", "agent": "F",
        "priority": "urgent", "due_at": "2026-01-15T09:59:59Z"});
    let late = owner.done("create_task", wish).await;
    owner.done("update_task_status", json!({"task_id": late["id"], "status": "blocked"})).await;
    let wish = json!({"title": "finished", "description": "d", "due_at": "2026-01-01T00:00:00Z"});
    let finished = owner.done("create_task", wish).await;
    owner.done("update_task_status", json!({"task_id": finished["id"], "status": "done"})).await;

    let board = app.as_role(Role::Viewer).done("board_summary", json!({})).await;
    assert_eq!((board["total"].as_i64(), board["open"].as_i64()), (Some(9), Some(8)));
    let expected = json!({"inbox": 0, "assigned": 7, "in_progress": 0, "review": 0, "blocked": 1, "done": 1});
    assert_eq!(board["by_status"], expected);
    assert_eq!(board["by_priority"], json!({"urgent": 1, "high": 0, "medium": 0, "low": 7}));
    // The finished task is past its due time too, but it is done.
    assert_eq!(board["overdue"], json!(1));
    // B to F have one task each, so the first four of them by name follow A.
    assert_eq!(texts(&board["busiest_agents"], "name"), ["A", "B", "C", "D", "E"]);
    assert_eq!(board["busiest_agents"][0]["open"], json!(3));
    assert_eq!(texts(&board["blocked"], "title"), ["late"]);
}

#[both_databases]
async fn tasks_are_listed_newest_first_and_by_filter(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Helper"})).await;
    for title in ["one", "two", "three"] {
        made(&owner, title).await;
    }
    let wish = json!({"title": "four", "description": "d", "agent": "Helper", "priority": "low"});
    owner.done("create_task", wish).await;
    let all = owner.done("list_tasks", json!({})).await;
    assert_eq!(texts(&all["items"], "title"), ["four", "three", "two", "one"]);
    for filter in [json!({"agent": "helper"}), json!({"status": "assigned"}), json!({"priority": "low"})] {
        assert_eq!(texts(&owner.done("list_tasks", filter).await["items"], "title"), ["four"]);
    }
    owner.confirmed("delete_agent", json!({"agent": "Helper"})).await;
    let orphan = owner.done("list_tasks", json!({"priority": "low"})).await;
    assert!(orphan["items"][0]["agent_id"].is_string() && orphan["items"][0]["agent_name"].is_null());
}
