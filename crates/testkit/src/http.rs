//! HTTP requests to a router, as any member of two workspaces.
//!
//! [`HttpParts`] has what a router is made of, without the crates `http` and `mcp`, whose tests use it.

mod client;
mod parts;

pub use client::{HttpClient, HttpReply, confirmation_path, openai_call};
pub use parts::HttpParts;

use std::ops::Deref;

use axum::Router;
use serde_json::{Value, json};
use toolcrib_auth::{
    ClientTokenClaims,
    issuer::{LocalIssuer, MintRequest},
    secret,
};
use toolcrib_model::{Clock as _, Id, IdGen as _, Role};

/// The address of a client that is not on this machine.
const REMOTE: [u8; 4] = [192, 0, 2, 7];

/// A router over a fresh database, the issuer of its tokens, and two workspaces that must not see each other's rows.
pub struct HttpApp {
    pub router: Router,
    issuer: LocalIssuer,
    parts: HttpParts,
}

impl Deref for HttpApp {
    type Target = HttpParts;

    fn deref(&self) -> &HttpParts {
        &self.parts
    }
}

impl HttpApp {
    /// Sends requests to `router`, which is made of `parts`.
    pub fn new(parts: HttpParts, router: Router) -> Self {
        let issuer = parts.issuer();
        Self { router, issuer, parts }
    }

    /// Returns the member of workspace A with this role.
    pub fn as_role(&self, role: Role) -> HttpClient<'_> {
        self.member(role.as_str()).with("X-Workspace-Id", &self.a.to_string())
    }

    /// Returns the member of workspace B with this role.
    pub fn as_role_b(&self, role: Role) -> HttpClient<'_> {
        self.member(&format!("b-{role}")).with("X-Workspace-Id", &self.b.to_string())
    }

    /// Returns the owner of workspace A.
    pub fn owner(&self) -> HttpClient<'_> {
        self.as_role(Role::Owner)
    }

    /// Returns a client without a credential.
    pub fn anonymous(&self) -> HttpClient<'_> {
        HttpClient::new(&self.router, REMOTE)
    }

    /// Issues a user token for this subject, valid for an hour.
    pub fn token(&self, subject: &str) -> String {
        let request =
            MintRequest { subject: subject.to_owned(), ttl_seconds: 3_600, ..MintRequest::default() };
        let now = self.clock.now();
        self.issuer.mint(&request, now, self.ids.new_id(now)).expect("a token is issued")
    }

    /// Makes a client token with this key of workspace A, valid for an hour.
    pub fn client_token(&self, key: &str, user: Id, session: &str) -> String {
        let (key, bytes) = secret::parse_key(key).expect("a key");
        let claims = ClientTokenClaims {
            workspace: self.a,
            key,
            secret_hash: secret::hash(&bytes).to_vec(),
            user,
            session: session.to_owned(),
            expires_at: self.clock.now().plus_seconds(3_600),
        };
        claims.seal(&self.secret_cipher(), self.ids.as_ref()).expect("a cipher")
    }

    fn member(&self, subject: &str) -> HttpClient<'_> {
        self.anonymous().bearer(&self.token(subject))
    }

    /// Creates a key of workspace A: a service key with the role editor, unless its properties say otherwise.
    pub async fn new_key(&self, properties: Value) -> Value {
        let mut body = json!({"kind": "service", "name": "backend", "role": "editor"});
        let properties = properties.as_object().expect("an object").clone();
        if properties.contains_key("agent") {
            body = json!({"kind": "agent", "name": "agent"});
        }
        body.as_object_mut().expect("an object").extend(properties);
        self.owner().post("/v1/keys", body).await.ok(201)
    }

    /// Creates a key as [`HttpApp::new_key`] does, and returns a client with it.
    pub async fn with_key(&self, properties: Value) -> HttpClient<'_> {
        let key = self.new_key(properties).await;
        self.anonymous().bearer(key["secret"].as_str().expect("a secret"))
    }
}
