//! `key create`, `key list` and `key revoke` over the API.

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;
use toolcrib_model::{Id, Ts};

use super::{
    answer::{print_list, print_state},
    api::Api,
};
use crate::{
    cli::KeyArgs,
    commands::key::{body, print},
    failure::{Failure, Ran},
};

#[derive(Deserialize)]
struct Created {
    secret: String,
}

pub async fn create(api: &Api, args: &KeyArgs, now: Ts) -> Result<Ran, Failure> {
    let mut body = body(args, now);
    if let Some(user) = &args.runs_as {
        body["runs_as"] = user_id(api, user).await?;
    }
    let created: Created = api.write(Method::POST, &["v1", "keys"], Some(&body)).await?;
    print(&created.secret)
}

/// Returns the id of a member. The API takes no `sub` for a key.
async fn user_id(api: &Api, user: &str) -> Result<Value, Failure> {
    if Id::try_parse(user).is_ok() {
        return Ok(user.into());
    }
    let found = api.get(&["v1", "members"], &[("subject", user)]).await?;
    match &found["items"][0]["user_id"] {
        Value::Null => Err(Failure::Usage(format!("`{user}` is not a member of this workspace"))),
        id => Ok(id.clone()),
    }
}

#[derive(Deserialize)]
struct Item {
    id: Id,
    kind: String,
    name: String,
    role_now: Option<String>,
    scopes: Vec<String>,
    expires_at: Option<Ts>,
    revoked_at: Option<Ts>,
}

pub async fn list(api: &Api, as_json: bool) -> Result<Ran, Failure> {
    let items = api.list(&["v1", "keys"], &[], usize::MAX).await?;
    print_list(items, as_json, |Item { id, kind, name, role_now, scopes, expires_at, revoked_at }| {
        let role = role_now.unwrap_or_else(|| "no role".into());
        let end = match (revoked_at, expires_at) {
            (Some(at), _) => format!(", revoked {at}"),
            (None, Some(at)) => format!(", expires {at}"),
            (None, None) => String::new(),
        };
        format!("{id} {kind} `{name}` ({role}) {}{end}", scopes.join(","))
    })
}

#[derive(Deserialize)]
struct Revoked {
    name: String,
    changed: bool,
}

pub async fn revoke(api: &Api, id: &str) -> Result<Ran, Failure> {
    let Revoked { name, changed } = api.write(Method::DELETE, &["v1", "keys", id], None).await?;
    print_state(&format!("the key `{name}` is revoked"), changed)
}
