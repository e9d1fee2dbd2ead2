//! Decisions in the chat, and cards that are decided elsewhere.

use super::*;

/// The body of a client that answers an approval, with the chunks that it has read.
fn answers(chunks: &[Value], approval: &str, approved: bool, reason: Option<&str>) -> Value {
    let asked = find(chunks, "tool-approval-request");
    let part = json!({
        "type": "dynamic-tool", "toolName": "platform_delete_agent", "toolCallId": asked["toolCallId"],
        "state": "approval-responded", "approval": { "id": approval, "approved": approved, "reason": reason },
    });
    goes_on(&find(chunks, "start")["messageId"], &json!([{ "type": "step-start" }, part]))
}

#[both_databases]
async fn a_typed_call_is_approved_in_the_chat(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    let asked = asks_to_delete(&app, &model, &owner).await;
    assert_eq!(asked.last().unwrap()["finishReason"], "tool-calls");
    let approval = find(&asked, "tool-approval-request")["approvalId"].as_str().unwrap().to_owned();
    let card = find(&asked, "data-confirmation");
    assert_has(card, json!({"id": approval, "/data/phrase": "Release Writer", "/data/can_decide": true}));
    // Nothing of the step stays unanswered but what is asked.
    assert_eq!(kinds(&asked).iter().filter(|kind| **kind == "tool-output-available").count(), 1);

    let first = send(&owner, answers(&asked, &approval, true, None)).await;
    assert_eq!(first[0]["messageId"], asked[0]["messageId"]);
    let again = find(&first, "tool-approval-request");
    assert_eq!(again["approvalId"], format!("{approval}.1"));
    let empty = send(&owner, answers(&asked, &format!("{approval}.1"), true, Some(""))).await;
    assert_eq!(find(&empty, "data-confirmation")["data"]["error"], "type `Release Writer`");
    let wrong = send(&owner, answers(&asked, &format!("{approval}.1"), true, Some("Writer"))).await;
    assert_eq!(find(&wrong, "tool-approval-request")["approvalId"], format!("{approval}.2"));
    assert!(
        find(&wrong, "data-confirmation")["data"]["error"].as_str().unwrap().contains("attempts left: 4")
    );
    assert!(!kinds(&wrong).contains(&"start-step"));

    model.script([LlmReply::text(["It is gone."])]);
    let done = send(&owner, answers(&asked, &format!("{approval}.2"), true, Some("Release Writer"))).await;
    let output = done.iter().find(|chunk| chunk["toolCallId"] == again["toolCallId"]).unwrap();
    assert_has(output, json!({"type": "tool-output-available", "/output/status": "completed"}));
    assert_eq!(text_of(&done), "It is gone.");
    assert_eq!(done.last().unwrap()["finishReason"], "stop");
    assert_eq!(owner.run("list_agents", json!({})).await.ok(200)["data"]["items"], json!([]));
    // The same answer once more changes nothing, and says so.
    let refused = owner.post(CHAT, answers(&asked, &approval, true, None)).await;
    refused.problem(409, "already_decided");
}

/// A front end answers every part that has the approval's ID.
#[both_databases]
async fn equal_calls_of_a_step_are_one_decision(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    app.owner().send("PATCH", "/v1/settings", json!({ "approval_mode": "confirm_writes" })).await.ok(200);
    let task = json!({ "title": "Call back", "description": "before noon" });
    model.script([LlmReply::calls([("platform_create_task", task.clone()), ("platform_create_task", task)])]);
    let asked = send(&owner, says("Make a task")).await;
    let requests = asked.iter().filter(|chunk| chunk["type"] == "tool-approval-request");
    let part = |asked: &Value, approved: bool| {
        json!({
            "type": "dynamic-tool", "toolCallId": asked["toolCallId"], "state": "approval-responded",
            "approval": { "id": asked["approvalId"], "approved": approved },
        })
    };
    let requests: Vec<&Value> = requests.collect();
    assert_eq!((requests.len(), &requests[0]["approvalId"]), (2, &requests[1]["approvalId"]));
    let contradict = json!([part(requests[0], true), part(requests[1], false)]);
    let refused = owner.post(CHAT, goes_on(&asked[0]["messageId"], &contradict)).await;
    refused.problem(422, "invalid_arguments");
    model.script([LlmReply::text(["Done."])]);
    let both = json!([part(requests[0], true), part(requests[1], true)]);
    let done = send(&owner, goes_on(&asked[0]["messageId"], &both)).await;
    assert_eq!(kinds(&done).iter().filter(|kind| **kind == "tool-output-available").count(), 2, "{done:?}");
    assert_eq!(text_of(&done), "Done.");
    let tasks = owner.run("list_tasks", json!({})).await.ok(200);
    assert_eq!(tasks["data"]["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn a_denial_is_told_to_the_model(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    let asked = asks_to_delete(&app, &model, &owner).await;
    let approval = find(&asked, "tool-approval-request")["approvalId"].as_str().unwrap().to_owned();
    model.script([LlmReply::text(["As you wish."])]);
    let done = send(&owner, answers(&asked, &approval, false, Some("not today"))).await;
    assert!(find(&done, "tool-output-error")["errorText"].as_str().unwrap().contains("not today"));
    assert_eq!(text_of(&done), "As you wish.");
}

#[both_databases]
async fn a_decision_elsewhere_is_followed(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    let asked = asks_to_delete(&app, &model, &owner).await;
    let approval = find(&asked, "tool-approval-request")["approvalId"].as_str().unwrap().to_owned();
    // What waits is in the list, as the chat would show it, and nothing is streamed.
    let thread = owner.get("/v1/assistant/threads/t1").await.ok(200);
    let parts = thread["messages"][1]["parts"].as_array().unwrap();
    let part = parts.iter().find(|part| part["state"] == "approval-requested").unwrap();
    assert_eq!(part["approval"]["id"], approval);
    assert!(parts.iter().any(|part| part["type"] == "data-confirmation" && part["id"] == approval));
    assert_eq!(owner.get("/v1/assistant/chat/t1/stream").await.status, 204);

    model.script([LlmReply::text(["It was denied."])]);
    owner.post(&format!("/v1/confirmations/{approval}/deny"), json!({})).await.ok(200);
    let call = find(&asked, "tool-approval-request")["toolCallId"].clone();
    let part = json!({
        "type": "dynamic-tool", "toolCallId": call, "state": "approval-requested",
        "approval": { "id": approval },
    });
    let done = send(&owner, goes_on(&asked[0]["messageId"], &json!([part]))).await;
    assert_eq!(find(&done, "tool-output-error")["toolCallId"], call);
    assert_eq!(text_of(&done), "It was denied.");
}

#[both_databases]
async fn who_may_not_decide_is_asked_nothing(db: TestDb) {
    let (app, model) = app(db).await;
    app.owner().send("PATCH", "/v1/settings", json!({ "four_eyes": true })).await.ok(200);
    let owner = app.owner();
    let asked = asks_to_delete(&app, &model, &owner).await;
    assert!(!kinds(&asked).contains(&"tool-approval-request"), "{asked:?}");
    let card = find(&asked, "data-confirmation");
    assert_eq!(card["data"]["can_decide"], false);
    let waits = asked.iter().find(|chunk| chunk["output"]["status"] == "confirmation_required").unwrap();
    assert_eq!(waits["output"]["approve_url"], card["data"]["approve_url"]);
    let part = json!({
        "type": "dynamic-tool", "toolCallId": waits["toolCallId"], "state": "approval-responded",
        "approval": { "id": card["id"], "approved": true },
    });
    let forged = goes_on(&asked[0]["messageId"], &json!([part]));
    owner.post(CHAT, forged).await.problem(403, "permission_denied");
    assert_eq!(
        owner.run("list_agents", json!({})).await.ok(200)["data"]["items"].as_array().unwrap().len(),
        1
    );
}

#[both_databases]
async fn a_key_that_may_not_see_a_card_reads_the_thread(db: TestDb) {
    let (app, model) = app(db).await;
    app.owner().send("PATCH", "/v1/settings", json!({ "approval_mode": "confirm_writes" })).await.ok(200);
    let editor = app.as_role(Role::Editor);
    let task = json!({ "title": "Call back", "description": "before noon" });
    model.script([LlmReply::calls([("platform_create_task", task)])]);
    let asked = send(&editor, says("Make a task")).await;
    let card = find(&asked, "data-confirmation");
    let scopes = ["*:read", "act_as", "assistant:use"];
    let backend = app.with_key(json!({ "scopes": scopes })).await;
    let members = app.owner().get("/v1/members").await.ok(200);
    let mut members = members["items"].as_array().unwrap().iter();
    let me = members.find(|member| member["role"] == "editor").unwrap();
    let backend = backend.with("X-On-Behalf-Of", me["user_id"].as_str().unwrap());
    let thread = backend.get("/v1/assistant/threads/t1").await.ok(200);
    let parts = thread["messages"][1]["parts"].as_array().unwrap();
    let waits = parts.iter().find(|part| part["output"]["status"] == "confirmation_required").unwrap();
    assert_eq!(waits["output"]["approve_url"], card["data"]["approve_url"], "{thread}");
    assert!(!parts.iter().any(|part| part["type"] == "data-confirmation"), "{thread}");
}

#[both_databases]
async fn only_the_calls_of_a_message_that_waits_are_decided(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    let asked = asks_to_delete(&app, &model, &owner).await;
    let approval = find(&asked, "tool-approval-request")["approvalId"].as_str().unwrap().to_owned();
    // A confirmation of another call, which the owner may decide.
    let other = json!({ "name": "Other", "role": "worker" });
    owner.run("create_agent", other).await.ok(200);
    let waits = app.as_role(Role::Admin).run("delete_agent", json!({ "agent": "Other" })).await.ok(202);
    let foreign = waits["confirmation"]["id"].as_str().unwrap();
    owner.post(CHAT, answers(&asked, foreign, true, None)).await.problem(404, "not_found");
    let card = owner.get(&format!("/v1/confirmations/{foreign}")).await.ok(200);
    assert_eq!(card["status"], "pending");
    // A new message ends the wait: the card is decided elsewhere.
    model.script([LlmReply::text(["It still waits."])]);
    let mut next = says("Well?");
    next["messages"][0]["id"] = json!("m2");
    send(&owner, next).await;
    let late = owner.post(CHAT, answers(&asked, &approval, true, None)).await.problem(409, "conflict");
    assert!(late["hint"].as_str().unwrap().contains(&format!("/approve/{approval}")), "{late}");
    let card = owner.get(&format!("/v1/confirmations/{approval}")).await.ok(200);
    assert_eq!(card["status"], "pending");
}

#[both_databases]
async fn the_list_has_what_became_of_a_card_that_was_left_open(db: TestDb) {
    let (app, model) = app(db).await;
    let owner = app.owner();
    let asked = asks_to_delete(&app, &model, &owner).await;
    let approval = find(&asked, "tool-approval-request")["approvalId"].as_str().unwrap().to_owned();
    model.script([LlmReply::text(["It still waits."])]);
    let mut next = says("Well?");
    next["messages"][0]["id"] = json!("m2");
    send(&owner, next).await;
    let shown = async || {
        let thread = owner.get("/v1/assistant/threads/t1").await.ok(200);
        assert_eq!(thread["messages"].as_array().unwrap().len(), 4, "{thread}");
        let parts = thread["messages"][1]["parts"].as_array().unwrap().clone();
        let of = |name: &str, value: &str| parts.iter().find(|part| part[name] == value).cloned();
        (of("toolName", "platform_delete_agent").unwrap(), of("type", "data-confirmation"))
    };
    let (call, card) = shown().await;
    let waits = json!({ "/output/status": "confirmation_required", "/output/confirmation": approval });
    assert_has(&call, waits);
    assert_has(&card.unwrap(), json!({ "id": approval, "/data/can_decide": false }));
    let decide = call["output"]["approve_url"].as_str().unwrap();
    assert!(decide.ends_with(&format!("/approve/{approval}")), "{call}");
    let approve = format!("/v1/confirmations/{approval}/approve");
    owner.post(&approve, json!({})).await.ok(202);
    owner.post(&approve, json!({ "phrase": "Release Writer" })).await.ok(200);
    let (call, card) = shown().await;
    assert_has(&call, json!({ "state": "output-available", "/output/status": "completed" }));
    assert_eq!(card, None);
}
