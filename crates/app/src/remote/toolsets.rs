//! `toolset apply`, `toolset list` and `toolset export` over the API.

use std::path::Path;

use reqwest::Method;
use serde::Deserialize;
use serde_json::Value;
use toolcrib_model::count;

use super::{
    answer::{ApiError, fields, print_list},
    api::Api,
};
use crate::{
    commands::stored_toolset::{print, print_defects, print_document},
    failure::{Failure, Ran},
    toolset_files,
};

/// The slug in the path of a document that has none. The service checks the document first.
const NO_SLUG: &str = "none";

pub async fn apply(api: &Api, file: &Path, as_json: bool) -> Result<Ran, Failure> {
    let document = Value::Object(toolset_files::read_object(file)?);
    let slug = document["slug"].as_str().filter(|slug| is_slug(slug));
    let path = ["v1", "toolsets", slug.unwrap_or(NO_SLUG)];
    match api.write(Method::PUT, &path, Some(&document)).await {
        Ok(stored) => print(&stored, as_json),
        Err(ApiError::Refused(refusal)) if !refusal.errors.is_empty() => {
            print_defects(file, &refusal.errors, as_json)
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether a path can have it as it is. Whether it is a slug is checked by the service.
fn is_slug(text: &str) -> bool {
    (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

#[derive(Deserialize)]
struct Item {
    slug: String,
    title: String,
    source: String,
    version: i64,
    enabled: bool,
    tools: Tools,
}

#[derive(Deserialize)]
struct Tools {
    on: usize,
}

pub async fn list(api: &Api, as_json: bool) -> Result<Ran, Failure> {
    let items = fields(&api.get(&["v1", "toolsets"], &[]).await?["items"])?;
    print_list(items, as_json, |Item { slug, title, source, version, enabled, tools }| {
        let (state, tools) = (if enabled { "on" } else { "off" }, count(tools.on, "tool"));
        format!("{slug} {state}, version {version}, {tools}, from the {source}: {title}")
    })
}

pub async fn export(api: &Api, slug: &str, as_json: bool) -> Result<Ran, Failure> {
    let answer = api.get(&["v1", "toolsets", slug], &[]).await?;
    print_document(&fields(&answer["document"])?, as_json)
}
