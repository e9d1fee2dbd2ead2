//! `packs list`, `packs on` and `packs off`.

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;
use toolcrib_model::count;

use super::{
    answer::{fields, print_list, print_state},
    api::Api,
};
use crate::failure::{Failure, Ran};

#[derive(Deserialize)]
struct Item {
    slug: String,
    title: String,
    enabled: bool,
    offered: bool,
    actions: usize,
}

pub async fn list(api: &Api, as_json: bool) -> Result<Ran, Failure> {
    let items = fields(&api.get(&["v1", "packs"], &[]).await?["items"])?;
    print_list(items, as_json, |Item { slug, title, enabled, offered, actions }| {
        let offered = if offered { "" } else { ", not offered by the operator" };
        format!("{slug} {}{offered}, {}: {title}", word(enabled), count(actions, "action"))
    })
}

#[derive(Deserialize)]
struct Switched {
    slug: String,
    enabled: bool,
    changed: bool,
}

pub async fn switch(api: &Api, slug: &str, on: bool) -> Result<Ran, Failure> {
    let Switched { slug, enabled, changed } =
        api.write(Method::PATCH, &["v1", "packs", slug], Some(&json!({ "enabled": on }))).await?;
    print_state(&format!("the pack `{slug}` is {}", word(enabled)), changed)
}

fn word(enabled: bool) -> &'static str {
    if enabled { "on" } else { "off" }
}
