//! The life of a session: sign-in, use, and each way in which it ends.

use serde_json::{Value, json};
use toolcrib_testkit::{HttpClient, TestDb, both_databases};

use crate::harness::{App, sign_in, signed_in, with_cookie};

async fn status(browser: &HttpClient<'_>) -> u16 {
    browser.get("/v1/me").await.status.as_u16()
}

async fn view(browser: &HttpClient<'_>) -> Value {
    browser.get("/console/session").await.ok(200)
}

#[both_databases]
async fn a_token_signs_in_and_is_a_credential_of_its_user(db: TestDb) {
    let app = App::new(db).await;
    assert_eq!(view(&app.browser()).await, json!({ "signed_in": false, "ways": ["token"] }));
    let reply = sign_in(&app.browser(), &app.token("owner")).await;
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with("__Host-toolcrib="), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    let browser = with_cookie(&app.browser(), &reply);
    let shown = view(&browser).await;
    assert_eq!((&shown["signed_in"], &shown["user"]["subject"]), (&json!(true), &json!("owner")));
    let mut me = browser.get("/v1/me").await.ok(200);
    assert_eq!(me["caller_type"], "console");
    me["caller_type"] = "api".into();
    assert_eq!(me, app.owner().without("X-Workspace-Id").get("/v1/me").await.ok(200));
    // The call is the user's, and its row says that it came from the console.
    let here = browser.with("X-Workspace-Id", &app.a.to_string());
    here.run("create_agent", json!({ "name": "Nia", "role": "worker" })).await.ok(200);
    let sql = "SELECT count(*) FROM action_log WHERE action = 'platform_create_agent' AND \
        surface = 'console' AND \
        caller_type = 'console'";
    assert_eq!(app.db.number(sql).await, 1);
}

#[both_databases]
async fn only_people_sign_in(db: TestDb) {
    let app = App::new(db).await;
    for bad in ["rubbish", "a.b.c"] {
        sign_in(&app.browser(), bad).await.problem(401, "unauthenticated");
    }
    let bare = app.browser().raw("POST", "/console/session", None, "").await.problem(401, "unauthenticated");
    assert!(bare["hint"].as_str().unwrap().contains("a one-time code"), "{bare}");
    let key = app.new_key(json!({ "scopes": ["tools:*"] })).await;
    sign_in(&app.browser(), key["secret"].as_str().unwrap()).await.problem(403, "permission_denied");
    let elsewhere = app.anonymous();
    sign_in(&elsewhere, &app.token("owner")).await.problem(400, "malformed_request");
    assert_eq!(app.db.number("SELECT count(*) FROM sessions").await, 0);
}

#[both_databases]
async fn a_client_token_opens_nothing_of_the_console(db: TestDb) {
    let app = App::new(db).await;
    let key = app.new_key(json!({ "scopes": ["approvals:relay"] })).await;
    let me = app.owner().get("/v1/me").await.ok(200);
    let user = me["user"]["user_id"].as_str().unwrap().parse().unwrap();
    let token = app.client_token(key["secret"].as_str().unwrap(), user, "talk");
    let client = app.browser().bearer(&token);
    client.get("/v1/confirmations").await.ok(200);
    let refused = sign_in(&app.browser(), &token).await.problem(401, "unauthenticated");
    assert_eq!(refused["detail"], "a client token is valid for confirmations and events only");
    for path in ["/console/session", "/console/sessions"] {
        client.send("DELETE", path, json!({})).await.problem(400, "malformed_request");
    }
    assert_eq!(view(&client).await["signed_in"], false);
    assert_eq!(app.db.number("SELECT count(*) FROM sessions").await, 0);
}

#[both_databases]
async fn a_session_ends_with_its_token_and_by_idling(db: TestDb) {
    let app = App::new(db).await;
    // A token of an hour; and a code, whose session lasts twelve hours.
    let short = app.signed_in("owner").await;
    let long = signed_in(&app.browser(), &app.code("owner")).await;
    app.clock.advance(3_599);
    assert_eq!((status(&short).await, status(&long).await), (200, 200));
    app.clock.advance(1);
    assert_eq!((status(&short).await, status(&long).await), (401, 200));
    // The use of a session is noted to a minute.
    for _ in 0..11 {
        app.clock.advance(3_500);
        assert_eq!(status(&long).await, 200);
    }
    app.clock.advance(12 * 3_600 - 3_600 - 11 * 3_500);
    assert_eq!(status(&long).await, 401, "twelve hours are over");
    let idle = signed_in(&app.browser(), &app.code("owner")).await;
    app.clock.advance(3_600);
    assert_eq!(status(&idle).await, 401);
}

#[both_databases]
async fn a_system_admin_has_an_hour(db: TestDb) {
    let app = App::new(db).await;
    let browser = signed_in(&app.browser(), &app.admin_token()).await;
    assert_eq!(view(&browser).await["system_admin"], true);
    app.clock.advance(1_800);
    assert_eq!(status(&browser).await, 200);
    app.clock.advance(1_800);
    assert_eq!(status(&browser).await, 401);
}

#[both_databases]
async fn signing_out_ends_one_session_or_all_of_the_user(db: TestDb) {
    let app = App::new(db).await;
    let (one, two) = (app.signed_in("owner").await, app.signed_in("owner").await);
    let (three, other) = (app.signed_in("owner").await, app.signed_in("editor").await);
    let reply = one.raw("DELETE", "/console/session", None, "").await;
    assert_eq!(reply.status, 204);
    assert!(reply.header("set-cookie").ends_with("; Max-Age=0"));
    assert_eq!((status(&one).await, status(&two).await), (401, 200));
    assert_eq!(two.raw("DELETE", "/console/sessions", None, "").await.status, 204);
    assert_eq!((status(&two).await, status(&three).await, status(&other).await), (401, 401, 200));
    one.raw("DELETE", "/console/session", None, "").await.problem(401, "unauthenticated");
}

#[both_databases]
async fn a_member_who_is_switched_off_has_no_rights_in_a_session(db: TestDb) {
    let app = App::new(db).await;
    let browser = app.signed_in("editor").await.with("X-Workspace-Id", &app.a.to_string());
    browser.run("list_agents", json!({})).await.ok(200);
    let sql =
        "UPDATE members SET active = FALSE WHERE user_id IN (SELECT id FROM users WHERE subject = 'editor')";
    app.db.raw_sql(sql).await;
    browser.run("list_agents", json!({})).await.problem(403, "permission_denied");
}

#[both_databases]
async fn a_code_signs_in_once_and_is_no_credential(db: TestDb) {
    let app = App::new(db).await;
    let (code, second) = (app.code("owner"), app.second().await);
    let bearer = format!("Bearer {code}");
    let asking = app.anonymous().with("Authorization", &bearer);
    asking.get("/v1/me").await.problem(401, "unauthenticated");
    let (here, there) = (app.browser(), app.browser().of(&second));
    let (one, two) = tokio::join!(sign_in(&here, &code), sign_in(&there, &code));
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 401], "{} {}", one.text, two.text);
    sign_in(&here, &code).await.problem(401, "unauthenticated");
    let late = app.code("owner");
    app.clock.advance(606);
    sign_in(&here, &late).await.problem(401, "unauthenticated");
}

#[both_databases]
async fn on_plain_http_only_this_machine_signs_in(db: TestDb) {
    let app = App::demo(db).await;
    assert_eq!(view(&app.browser()).await, json!({ "signed_in": false, "ways": [] }));
    sign_in(&app.browser(), &app.token("owner")).await.problem(400, "malformed_request");
    let reply = sign_in(&app.local(), &app.token("owner")).await;
    let cookie = reply.header("set-cookie");
    assert!(cookie.starts_with("toolcrib-8787=") && !cookie.contains("Secure"), "{cookie}");
    let browser = with_cookie(&app.local(), &reply);
    assert_eq!(status(&browser).await, 200);
    assert_eq!(view(&browser).await["people"], Value::Null, "a token makes nobody somebody else");
}

#[both_databases]
async fn a_session_of_the_link_may_become_somebody_of_the_demo(db: TestDb) {
    let app = App::demo(db).await;
    let browser = signed_in(&app.local(), &app.code("owner")).await;
    let viewer = view(&browser).await["people"][0]["user_id"].clone();
    let reply = browser.post("/console/session", json!({ "as": viewer })).await;
    assert_eq!(reply.status, 204, "{}", reply.text);
    assert_eq!(status(&browser).await, 401, "the old session has ended");
    let other = with_cookie(&app.local(), &reply);
    assert_eq!(view(&other).await["user"]["id"], viewer);
    let unknown = json!({ "as": "0190a000-0000-7000-8000-000000000000" });
    other.post("/console/session", unknown).await.problem(404, "not_found");
    let pasted = signed_in(&app.local(), &app.token("owner")).await;
    pasted.post("/console/session", json!({ "as": viewer })).await.problem(403, "permission_denied");
}
