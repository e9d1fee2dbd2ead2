//! Invitations, from the operation that makes one to the member: each thing that a hostile bearer of a
//! code tries.

use std::ops::Deref;

use serde_json::{Value, json};
use toolcrib_actions::Retention;
use toolcrib_auth::InvitationCode;
use toolcrib_model::{Clock as _, Id, IdGen as _, Role};
use toolcrib_store::{
    StoreError,
    invitations::{self, InvitationRow},
    members,
    users::{self, UserRow},
    workspaces,
};
use toolcrib_testkit::{HttpClient, HttpReply, TestDb, both_databases, write};

use crate::{
    harness::{App, with_cookie},
    provider::{Provider, begin_invited},
};

/// A service whose people come from a provider: an owner, an admin and an editor of workspace A.
struct Invited {
    app: App,
    provider: Provider,
    base: String,
}

impl Deref for Invited {
    type Target = App;

    fn deref(&self) -> &App {
        &self.app
    }
}

impl Invited {
    async fn new(db: TestDb) -> Self {
        let (provider, base) = Provider::start().await;
        let invited = Self { app: App::with_provider(db, &base).await, provider, base };
        for role in [Role::Owner, Role::Admin, Role::Editor] {
            invited.member(invited.a, role.as_str(), role).await;
        }
        invited
    }

    /// Adds a person of the provider to a workspace.
    async fn member(&self, workspace: Id, subject: &str, role: Role) -> Id {
        let now = self.clock.now();
        let user = UserRow {
            id: users::id_of(&self.base, subject),
            issuer: self.base.clone(),
            subject: subject.to_owned(),
            display_name: None,
            created_at: now,
        };
        write::<_, StoreError>(&self.db, workspace, async |tx| {
            let id = users::ensure(tx, &user).await?;
            members::insert(tx, id, role.as_str(), None, now).await?;
            Ok(id)
        })
        .await
        .unwrap()
    }

    /// Sends calls to workspace A with a token of a person.
    fn person(&self, subject: &str) -> HttpClient<'_> {
        self.person_in(self.a, subject)
    }

    fn person_in(&self, workspace: Id, subject: &str) -> HttpClient<'_> {
        let token = self.access_token(subject);
        let client = self.anonymous().with("X-Workspace-Id", &workspace.to_string());
        client.bearer(&token)
    }

    fn access_token(&self, subject: &str) -> String {
        let exp = self.clock.now().as_seconds() + 300;
        let claims = json!({ "iss": self.base, "aud": "api", "sub": subject, "exp": exp });
        self.signed(claims.as_object().unwrap())
    }

    fn id_of(&self, subject: &str) -> Id {
        users::id_of(&self.base, subject)
    }

    /// Makes an invitation as a person and returns its code.
    async fn code(&self, inviter: &str, body: Value) -> String {
        let made = self.person(inviter).post("/v1/invitations", body).await.ok(201);
        made["code"].as_str().unwrap().to_owned()
    }

    /// Signs in with a code; the provider adds these claims to the ID token.
    async fn redeem(&self, code: &str, subject: &str, more: Value) -> HttpReply {
        let begun = begin_invited(&self.app, code).await;
        let mut claims = begun.claims(&self.app, &self.base);
        claims.insert("sub".into(), subject.into());
        claims.extend(more.as_object().unwrap().clone());
        begun.end(&self.provider, self.signed(&claims), &[]).await
    }

    /// The role of a person in workspace A, if they are a member of it.
    async fn role(&self, subject: &str) -> Option<String> {
        let mut tx = self.db.read(self.a).await.unwrap();
        let found = members::get(&mut tx, self.id_of(subject)).await.unwrap();
        tx.end().await.unwrap();
        found.map(|member| member.role)
    }

    async fn change(&self, subject: &str, change: Value) {
        let path = format!("/v1/members/{}", self.id_of(subject));
        self.person("owner").send("PATCH", &path, change).await.ok(200);
    }

    /// Makes an invitation of the operator and returns its code.
    async fn of_operator(&self, workspace: Id, issuer: &str) -> String {
        let (now, secret) = (self.clock.now(), self.ids.secret());
        let code = InvitationCode { workspace, secret };
        let row = InvitationRow {
            workspace_id: workspace,
            id: self.ids.new_id(now),
            code_hash: code.hash().to_vec(),
            role: "owner".into(),
            email: None,
            inviter: None,
            invited_by: None,
            issuer: Some(issuer.to_owned()),
            created_at: now,
            expires_at: now.plus_days(1),
            used_by: None,
            used_at: None,
            revoked_at: None,
        };
        write::<_, StoreError>(&self.db, workspace, async |tx| invitations::insert(tx, &row).await)
            .await
            .unwrap();
        code.to_text()
    }

    /// Makes a workspace without members.
    async fn empty_workspace(&self) -> Id {
        let mut row = {
            let mut tx = self.db.read(self.a).await.unwrap();
            let row = workspaces::get(&mut tx).await.unwrap().unwrap();
            tx.end().await.unwrap();
            row
        };
        row.id = self.ids.new_id(self.clock.now());
        row.external_id = None;
        write::<_, StoreError>(&self.db, row.id, async |tx| workspaces::insert(tx, &row).await)
            .await
            .unwrap();
        row.id
    }
}

/// Refused with one of the problems of the sign-in page, without a session.
fn refused(reply: &HttpReply, problem: &str, what: &str) {
    let location = reply.header("location");
    let expected = format!("/console/login?problem={problem}");
    assert_eq!((reply.status.as_u16(), location), (303, &*expected), "{what}");
    assert!(reply.header("set-cookie").contains("-login=; "), "{what}: no session, and the sign-in is over");
}

#[both_databases]
async fn whoever_signs_in_with_a_code_becomes_a_member(db: TestDb) {
    let invited = Invited::new(db).await;
    let made = invited.person("admin").post("/v1/invitations", json!({ "role": "editor" })).await.ok(201);
    let code = made["code"].as_str().unwrap();
    assert!(made["url"].as_str().unwrap().ends_with(&format!("/console/login#invitation={code}")));
    assert_eq!((&made["state"], &made["invited_by"]), (&json!("open"), &json!(invited.id_of("admin"))));

    let begun = begin_invited(&invited.app, code).await;
    assert_eq!(begun.asked["scope"], "openid profile email");
    assert!(!begun.asked.values().any(|value| value.contains(code)), "the provider gets no code");
    let mut claims = begun.claims(&invited.app, &invited.base);
    claims.insert("sub".into(), "new".into());
    let reply = begun.end(&invited.provider, invited.signed(&claims), &[]).await;
    let expected = format!("/console/w/{}/", invited.a);
    assert_eq!((reply.status.as_u16(), reply.header("location")), (303, &*expected), "{}", reply.text);
    let me = with_cookie(&invited.browser(), &reply).get("/v1/me").await.ok(200);
    assert_eq!(me["workspaces"][0]["role"], "editor", "{me}");
    assert_eq!(invited.role("new").await.as_deref(), Some("editor"));

    let listed = invited.person("admin").get("/v1/invitations").await.ok(200)["items"][0].take();
    assert_eq!((&listed["state"], &listed["used_by"]), (&json!("used"), &json!(invited.id_of("new"))));
    assert_eq!(listed["used_by_name"], "The Owner", "the name in the ID token");
    assert_eq!(invited.person("admin").get("/v1/invitations?open=true").await.ok(200)["items"], json!([]));
    let rows = invited.person("owner").get("/v1/audit?action=invitations.redeem").await.ok(200);
    let row = &rows["items"][0];
    assert_eq!((&row["user_id"], &row["role"]), (&json!(invited.id_of("new")), &json!("editor")), "{row}");
    assert_eq!(row["arguments"]["invited_by"], json!(invited.id_of("admin")));
    assert_eq!(row["arguments"]["invitation"], listed["id"]);
    let secret = code.rsplit_once('_').unwrap().1.as_bytes();
    let stored = invited.db.everything().await;
    assert!(!stored.windows(secret.len()).any(|bytes| bytes == secret), "the database has no code");
}

#[both_databases]
async fn codes_that_do_not_count_have_one_answer(db: TestDb) {
    let invited = Invited::new(db).await;
    let role = json!({ "role": "viewer" });
    let used = invited.code("owner", role.clone()).await;
    assert_eq!(invited.redeem(&used, "first", json!({})).await.status, 303);
    let revoked = invited.code("owner", role.clone()).await;
    let id = invited.person("owner").get("/v1/invitations").await.ok(200)["items"][0]["id"].take();
    let path = format!("/v1/invitations/{}", id.as_str().unwrap());
    let gone = invited.person("owner").raw("DELETE", &path, None, "").await.ok(200);
    assert_eq!((&gone["state"], &gone["changed"]), (&json!("revoked"), &json!(true)));
    let again = invited.person("owner").raw("DELETE", &path, None, "").await.ok(200);
    assert_eq!(again["changed"], json!(false));
    let foreign = invited.code("owner", role.clone()).await;
    let secret = InvitationCode::parse(&foreign).unwrap().secret;
    let foreign = InvitationCode { workspace: invited.b, secret }.to_text();
    let nowhere = InvitationCode { workspace: Id::from_u128(7), secret }.to_text();
    let invented = InvitationCode { workspace: invited.a, secret: [7; 32] }.to_text();
    for (what, code) in [
        ("used", &used),
        ("revoked", &revoked),
        ("of another workspace", &foreign),
        ("of no workspace", &nowhere),
        ("invented", &invented),
    ] {
        refused(&invited.redeem(code, "mallory", json!({})).await, "invitation", what);
    }
    let expired = invited.code("owner", role.clone()).await;
    invited.clock.advance(7 * 86_400);
    refused(&invited.redeem(&expired, "mallory", json!({})).await, "invitation", "expired");
    let garbage = invited.browser().post("/console/login/start", json!({ "invitation": "tci_x" })).await;
    assert_eq!(garbage.problem(401, "unauthenticated")["detail"], json!(SAME));
    assert_eq!(invited.role("mallory").await, None);
    assert_eq!(invited.db.number("SELECT count(*) FROM users WHERE subject = 'mallory'").await, 0);
    // One that is used is not used up by a refusal.
    let good = invited.code("owner", role).await;
    assert_eq!(invited.redeem(&good, "last", json!({})).await.header("location").len(), 48);
}

const SAME: &str = "this invitation can't be used: it was used, has ended, or was withdrawn";

#[both_databases]
async fn one_of_two_people_at_once_becomes_a_member(db: TestDb) {
    let invited = Invited::new(db).await;
    let second = invited.second_with_provider(&invited.base);
    for n in 0..8 {
        let code = invited.code("owner", json!({ "role": "viewer" })).await;
        let (one, other) = (format!("one-{n}"), format!("other-{n}"));
        let (mut here, mut there) =
            (begin_invited(&invited.app, &code).await, begin_invited(&invited.app, &code).await);
        there.browser = there.browser.of(&second);
        let mut tokens = Vec::new();
        for (begun, subject) in [(&mut here, &one), (&mut there, &other)] {
            let mut claims = begun.claims(&invited.app, &invited.base);
            claims.insert("sub".into(), subject.as_str().into());
            let entry = (begun.asked["code_challenge"].clone(), invited.signed(&claims));
            invited.provider.0.lock().unwrap().codes.insert(subject.clone(), entry);
            tokens.push([("code", subject.as_str())]);
        }
        let (first, last) =
            tokio::join!(here.back(&invited.base, &tokens[0]), there.back(&invited.base, &tokens[1]));
        let refusals = [&first, &last].map(|reply| reply.header("location").ends_with("?problem=invitation"));
        assert_eq!(refusals.iter().filter(|refused| **refused).count(), 1, "{n}: {refusals:?}");
        let roles = [invited.role(&one).await, invited.role(&other).await];
        assert_eq!(roles.iter().flatten().count(), 1, "{n}: {roles:?}");
    }
}

#[both_databases]
async fn an_address_counts_only_as_the_provider_verified_it(db: TestDb) {
    let invited = Invited::new(db).await;
    let code = invited.code("owner", json!({ "role": "viewer", "email": "Mik@Example.com" })).await;
    let wrong = [
        json!({}),
        json!({ "email": "mik@example.com" }),
        json!({ "email": "mik@example.com", "email_verified": false }),
        json!({ "email": "mik@example.com", "email_verified": "true" }),
        json!({ "email": "mik@example.com", "email_verified": 1 }),
        json!({ "email": "eve@example.com", "email_verified": true }),
        json!({ "email": "mi\u{212a}@example.com", "email_verified": true }),
        json!({ "email": ["mik@example.com"], "email_verified": true }),
    ];
    for claims in &wrong {
        refused(&invited.redeem(&code, "mik", claims.clone()).await, "invitation_email", &claims.to_string());
    }
    // What the provider says about the user counts in place of the ID token, and only about this user.
    let said = |claims: Value| invited.provider.0.lock().unwrap().userinfo = Some(claims);
    for claims in &wrong {
        let mut claims = claims.clone();
        claims["sub"] = json!("mik");
        said(claims.clone());
        let reply = invited.redeem(&code, "mik", json!({})).await;
        refused(&reply, "invitation_email", &format!("userinfo {claims}"));
    }
    let verified =
        |subject: &str| json!({ "sub": subject, "email": "mik@example.com", "email_verified": true });
    said(verified("another"));
    refused(&invited.redeem(&code, "mik", json!({})).await, "invitation_email", "of another user");
    assert_eq!(invited.role("mik").await, None);
    let mut user = verified("mik");
    user["name"] = json!("Mik");
    said(user);
    invited.redeem(&code, "mik", json!({ "name": null })).await;
    assert_eq!(invited.role("mik").await.as_deref(), Some("viewer"));
    let members = invited.person("owner").send("GET", "/v1/members", json!({})).await.ok(200);
    let members = members["items"].as_array().unwrap().clone();
    let mik =
        members.iter().find(|member| member["subject"] == "mik").unwrap_or_else(|| panic!("{members:?}"));
    assert_eq!(mik["display_name"], "Mik", "the name is of that endpoint too");
    let code = invited.code("owner", json!({ "role": "viewer", "email": "ann@example.com" })).await;
    invited.redeem(&code, "ann", json!({ "email": "ANN@example.COM", "email_verified": true })).await;
    assert_eq!(invited.role("ann").await.as_deref(), Some("viewer"));
}

#[both_databases]
async fn an_invitation_gives_no_more_than_its_inviter_may_then(db: TestDb) {
    let invited = Invited::new(db).await;
    let by = async |inviter: &str, role: &str| {
        invited.member(invited.a, inviter, Role::Owner).await;
        invited.code(inviter, json!({ "role": role })).await
    };
    let lowered = by("to-admin", "owner").await;
    invited.change("to-admin", json!({ "role": "admin" })).await;
    invited.redeem(&lowered, "lowered", json!({})).await;
    assert_eq!(invited.role("lowered").await.as_deref(), Some("editor"), "what an admin may give");

    let ends = [
        ("demoted", Some(json!({ "role": "editor" }))),
        ("deactivated", Some(json!({ "active": false }))),
        ("removed", None),
    ];
    for (inviter, change) in ends {
        let code = by(inviter, "viewer").await;
        if let Some(change) = change {
            invited.change(inviter, change).await;
        } else {
            let path = format!("/v1/members/{}", invited.id_of(inviter));
            invited.person("owner").raw("DELETE", &path, None, "").await.ok(200);
        }
        refused(&invited.redeem(&code, "mallory", json!({})).await, "invitation", inviter);
        // Who was removed does not come back by an invitation that they made for themselves.
        if inviter == "removed" {
            refused(&invited.redeem(&code, inviter, json!({})).await, "invitation", "for themselves");
        }
    }
    assert_eq!(invited.role("mallory").await, None);
}

#[both_databases]
async fn an_invitation_ends_with_the_key_that_made_it(db: TestDb) {
    let invited = Invited::new(db).await;
    for (subject, revoked) in [("kept", false), ("mallory", true)] {
        let key = json!({ "kind": "service", "name": "portal", "role": "editor",
            "scopes": ["members:manage", "act_as"] });
        let key = invited.person("owner").post("/v1/keys", key).await.ok(201);
        let client = invited.anonymous().with("X-On-Behalf-Of", &invited.id_of("owner").to_string());
        let client = client.bearer(key["secret"].as_str().unwrap());
        client.post("/v1/invitations", json!({ "role": "admin" })).await.problem(403, "permission_denied");
        let made = client.post("/v1/invitations", json!({ "role": "editor" })).await.ok(201);
        assert_eq!(made["invited_by"], json!(invited.id_of("owner")));
        if revoked {
            let path = format!("/v1/keys/{}", key["id"].as_str().unwrap());
            invited.person("owner").raw("DELETE", &path, None, "").await.ok(200);
        }
        let reply = invited.redeem(made["code"].as_str().unwrap(), subject, json!({})).await;
        if revoked {
            refused(&reply, "invitation", "the key is revoked");
        }
    }
    assert_eq!(invited.role("kept").await.as_deref(), Some("editor"));
    assert_eq!(invited.role("mallory").await, None);
}

#[both_databases]
async fn open_invitations_are_limited_and_ended_ones_go(db: TestDb) {
    let invited = Invited::new(db).await;
    let role = json!({ "role": "viewer" });
    let keyed = invited.person("owner").with("Idempotency-Key", "k");
    keyed.post("/v1/invitations", role.clone()).await.ok(201);
    for _ in 1..invitations::MAX_OPEN {
        invited.code("owner", role.clone()).await;
        // Administration has a limit of two calls a second.
        invited.clock.advance(1);
    }
    let full = invited.person("owner").post("/v1/invitations", role.clone()).await.problem(409, "conflict");
    assert!(full["detail"].as_str().unwrap().contains("200 open"), "{full}");
    let retention = Retention::new((*invited.db).clone(), invited.clock.clone(), 3_650);
    invited.clock.advance(7 * 86_400);
    assert_eq!(invited.db.number("SELECT count(*) FROM idempotency").await, 1);
    retention.run().await.unwrap();
    assert_eq!(invited.db.number("SELECT count(*) FROM idempotency").await, 0, "the key has expired");
    let kept = invited.person("owner").get("/v1/invitations").await.ok(200);
    assert_eq!(kept["items"][0]["state"], "expired");
    invited.code("owner", role).await;
    invited.clock.advance(30 * 86_400 - 100);
    retention.run().await.unwrap();
    let left = invited.db.number("SELECT count(*) FROM invitations").await;
    assert!((1..=101).contains(&left), "those that ended thirty days ago are gone: {left}");
}

#[both_databases]
async fn nobody_invites_to_a_role_that_they_may_not_give(db: TestDb) {
    let invited = Invited::new(db).await;
    for role in ["admin", "owner"] {
        let asked = json!({ "role": role });
        invited
            .person("admin")
            .post("/v1/invitations", asked.clone())
            .await
            .problem(403, "permission_denied");
        invited.person("owner").post("/v1/invitations", asked).await.ok(201);
    }
    let editor = invited.person("editor");
    editor.post("/v1/invitations", json!({ "role": "viewer" })).await.problem(403, "permission_denied");
    editor.get("/v1/invitations").await.problem(403, "permission_denied");
    let wrong = json!({ "role": "viewer", "email": "nobody" });
    let problem = invited.person("owner").post("/v1/invitations", wrong).await;
    assert_eq!(problem.problem(422, "invalid_arguments")["errors"][0]["pointer"], "/email");
    // Another workspace sees none of them.
    let id = invited.person("owner").get("/v1/invitations").await.ok(200)["items"][0]["id"].take();
    invited.member(invited.b, "b-boss", Role::Owner).await;
    let other = invited.person_in(invited.b, "b-boss");
    assert_eq!(other.get("/v1/invitations").await.ok(200)["items"], json!([]));
    let path = format!("/v1/invitations/{}", id.as_str().unwrap());
    other.raw("DELETE", &path, None, "").await.problem(404, "not_found");
}

#[both_databases]
async fn members_stay_as_they_are(db: TestDb) {
    let invited = Invited::new(db).await;
    let code = invited.code("owner", json!({ "role": "owner" })).await;
    let reply = invited.redeem(&code, "editor", json!({})).await;
    assert!(reply.header("set-cookie").starts_with("__Host-toolcrib="), "signed in: {}", reply.text);
    assert_eq!(invited.role("editor").await.as_deref(), Some("editor"), "no invitation raises a member");
    invited.change("editor", json!({ "active": false })).await;
    refused(&invited.redeem(&code, "editor", json!({})).await, "invitation", "an inactive member");
    invited.redeem(&code, "new", json!({})).await;
    assert_eq!(invited.role("new").await.as_deref(), Some("owner"), "it was not used up");
}

#[both_databases]
async fn an_invitation_of_the_operator_makes_the_first_owner_alone(db: TestDb) {
    let invited = Invited::new(db).await;
    let late = invited.of_operator(invited.a, &invited.base).await;
    refused(&invited.redeem(&late, "mallory", json!({})).await, "invitation", "there is an owner");

    let empty = invited.empty_workspace().await;
    let elsewhere = invited.of_operator(empty, "https://evil.example").await;
    refused(&invited.redeem(&elsewhere, "mallory", json!({})).await, "invitation", "another issuer");
    let (one, other) =
        (invited.of_operator(empty, &invited.base).await, invited.of_operator(empty, &invited.base).await);
    let reply = invited.redeem(&one, "first", json!({})).await;
    assert_eq!(reply.header("location"), format!("/console/w/{empty}/"), "{}", reply.text);
    refused(&invited.redeem(&other, "mallory", json!({})).await, "invitation", "the second one");
    let members = invited.person_in(empty, "first").get("/v1/members").await.ok(200);
    let members = members["items"].as_array().unwrap();
    assert_eq!((members.len(), &members[0]["role"]), (1, &json!("owner")));
}

#[both_databases]
async fn only_the_code_flow_redeems(db: TestDb) {
    let invited = Invited::new(db).await;
    let code = invited.code("owner", json!({ "role": "owner" })).await;
    let token = invited.access_token("mallory");
    let pasted = invited.browser().bearer(&token);
    for body in [json!({ "invitation": code }).to_string(), String::new()] {
        pasted.raw("POST", "/console/session", None, body).await;
    }
    pasted.post("/console/login/start", json!({ "invitation": code })).await;
    assert_eq!(invited.role("mallory").await, None);
    // A token with another nonce, and a page of another site.
    refused(
        &invited.redeem(&code, "mallory", json!({ "nonce": "another" })).await,
        "unauthenticated",
        "nonce",
    );
    let elsewhere = invited.anonymous().with("Sec-Fetch-Site", "cross-site");
    elsewhere
        .post("/console/login/start", json!({ "invitation": code }))
        .await
        .problem(400, "malformed_request");
    assert_eq!(invited.role("mallory").await, None);
}
