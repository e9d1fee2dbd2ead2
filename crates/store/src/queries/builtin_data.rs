//! The built-in data: marketplace items and models, from the two files in `data`.
//!
//! Loaded when a database is opened and a file has changed since it was last loaded. Rows that a system admin
//! changed are not overwritten.

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use toolcrib_model::{Id, Ts};

use crate::{
    backend::{Connection, StoreError},
    tables::marketplace::search_key,
};

const MARKETPLACE: &str = include_str!("../../data/marketplace.json");
const MODELS: &str = include_str!("../../data/models.json");

/// The lock of the process that loads. Several processes may open one PostgreSQL database at the same time.
const LOCK: &str = "SELECT pg_advisory_xact_lock(8389772276739563619)";

#[derive(Deserialize)]
struct File<T> {
    /// The date of the file, such as `2026-11-21`.
    version: String,
    items: Vec<T>,
}

#[derive(Deserialize)]
struct BuiltinItem {
    kind: String,
    slug: String,
    name: String,
    category: String,
    description: String,
    tags: Vec<String>,
    status: String,
    version: String,
    author: String,
    content: Value,
}

#[derive(Deserialize)]
struct Model {
    model: String,
    provider: String,
    name: String,
    context_tokens: i64,
    max_output_tokens: i64,
    input_microusd_per_mtok: i64,
    output_microusd_per_mtok: i64,
    capabilities: Vec<String>,
    tier: String,
}

/// The connection of the tables' owner, with the method that `with_backend!` needs.
struct Owner<'c>(Connection<'c>);

impl Owner<'_> {
    #[expect(clippy::unnecessary_wraps, reason = "as that of a transaction")]
    fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        Ok(match &mut self.0 {
            Connection::Sqlite(conn) => Connection::Sqlite(conn),
            Connection::Pg(session) => Connection::Pg(session.reborrow()),
        })
    }

    async fn statement(&mut self, sql: &'static str) -> Result<(), StoreError> {
        with_backend!(self, c => sqlx::query(sql).execute(c).await.map(|_| ()))?;
        Ok(())
    }
}

/// Loads both files. Does nothing if both were loaded already.
pub(crate) async fn load(conn: Connection<'_>) -> Result<(), StoreError> {
    let mut owner = Owner(conn);
    if both_current(&mut owner).await? {
        return Ok(());
    }
    owner.statement("BEGIN").await?;
    let loaded = load_both(&mut owner).await;
    owner.statement(if loaded.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    loaded
}

/// Whether both files of this version were loaded. Needs only the privileges of the requests' role.
pub(crate) async fn loaded(conn: Connection<'_>) -> Result<bool, StoreError> {
    both_current(&mut Owner(conn)).await
}

async fn both_current(owner: &mut Owner<'_>) -> Result<bool, StoreError> {
    Ok(is_current(owner, "marketplace", MARKETPLACE).await? && is_current(owner, "models", MODELS).await?)
}

async fn load_both(owner: &mut Owner<'_>) -> Result<(), StoreError> {
    if let Connection::Pg(_) = owner.0 {
        owner.statement(LOCK).await?;
    }
    let file: File<BuiltinItem> = parse(MARKETPLACE)?;
    let at = day(&file.version)?;
    for item in &file.items {
        put_item(owner, item, at).await?;
    }
    note(owner, "marketplace", &file.version, MARKETPLACE).await?;
    let file: File<Model> = parse(MODELS)?;
    let at = day(&file.version)?;
    for model in &file.items {
        put_model(owner, model, at).await?;
    }
    note(owner, "models", &file.version, MODELS).await
}

async fn is_current(owner: &mut Owner<'_>, catalogue: &str, text: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT digest FROM catalogue_versions WHERE catalogue = $1";
    let stored: Option<String> =
        with_backend!(owner, c => sqlx::query_scalar(SQL).bind(catalogue).fetch_optional(c).await)?;
    Ok(stored.is_some_and(|stored| stored == digest(text)))
}

async fn note(owner: &mut Owner<'_>, catalogue: &str, version: &str, text: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO catalogue_versions (catalogue, version, digest) VALUES ($1, $2, $3) \
        ON CONFLICT (catalogue) DO UPDATE SET version = excluded.version, digest = excluded.digest";
    let digest = digest(text);
    with_backend!(owner, c => sqlx::query(SQL).bind(catalogue).bind(version).bind(&digest)
        .execute(c).await.map(|_| ()))
}

async fn put_item(owner: &mut Owner<'_>, item: &BuiltinItem, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO marketplace_items (id, kind, slug, name, name_key, category, description, tags, \
        search_key, status, version, author, content, built_in, install_count, published_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, TRUE, 0, $14, $14) \
        ON CONFLICT (kind, slug) DO UPDATE SET name = excluded.name, name_key = excluded.name_key, \
        category = excluded.category, description = excluded.description, tags = excluded.tags, \
        search_key = excluded.search_key, status = excluded.status, version = excluded.version, \
        author = excluded.author, content = excluded.content, updated_at = excluded.updated_at \
        WHERE marketplace_items.built_in";
    let id = item_id(&item.kind, &item.slug);
    let (key, tags) = (item.name.to_lowercase(), Value::from(item.tags.clone()).to_string());
    let search = search_key(&item.slug, &item.name, &item.description, &item.tags);
    let content = item.content.to_string();
    with_backend!(owner, c => sqlx::query(SQL).bind(id).bind(&item.kind).bind(&item.slug).bind(&item.name)
        .bind(&key).bind(&item.category).bind(&item.description).bind(&tags).bind(&search).bind(&item.status)
        .bind(&item.version).bind(&item.author).bind(&content).bind(at.as_micros()).execute(c).await.map(|_| ()))
}

async fn put_model(owner: &mut Owner<'_>, model: &Model, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO models (model, provider, name, context_tokens, max_output_tokens, \
        input_microusd_per_mtok, output_microusd_per_mtok, capabilities, tier, built_in, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, TRUE, $10) \
        ON CONFLICT (model) DO UPDATE SET provider = excluded.provider, name = excluded.name, \
        context_tokens = excluded.context_tokens, max_output_tokens = excluded.max_output_tokens, \
        input_microusd_per_mtok = excluded.input_microusd_per_mtok, \
        output_microusd_per_mtok = excluded.output_microusd_per_mtok, capabilities = excluded.capabilities, \
        tier = excluded.tier, updated_at = excluded.updated_at WHERE models.built_in";
    let capabilities = Value::from(model.capabilities.clone()).to_string();
    with_backend!(owner, c => sqlx::query(SQL).bind(&model.model).bind(&model.provider).bind(&model.name)
        .bind(model.context_tokens).bind(model.max_output_tokens).bind(model.input_microusd_per_mtok)
        .bind(model.output_microusd_per_mtok).bind(&capabilities).bind(&model.tier).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Returns the id of a built-in item, which is the same in every database: a `UUIDv7` of 2026-01-01 whose
/// random part is a hash of kind and slug.
pub fn item_id(kind: &str, slug: &str) -> Id {
    const MILLIS: u128 = 1_767_225_600_000;
    const RANDOM: u128 = (0xfff << 64) | ((1 << 62) - 1);
    let hash = Sha256::digest(format!("{kind}/{slug}"));
    let tail = hash.iter().take(16).fold(0_u128, |all, byte| (all << 8) | u128::from(*byte));
    Id::from_u128((MILLIS << 80) | (7 << 76) | (2 << 62) | (tail & RANDOM))
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text))
}

fn parse<T: for<'de> Deserialize<'de>>(text: &str) -> Result<File<T>, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::Inconsistent(format!("a built-in catalogue: {error}")))
}

fn day(version: &str) -> Result<Ts, StoreError> {
    format!("{version}T00:00:00Z")
        .parse()
        .map_err(|_| StoreError::Inconsistent(format!("`{version}` is no day a catalogue was made")))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn built_in_ids_are_version_7_and_differ() {
        let file: File<BuiltinItem> = parse(MARKETPLACE).unwrap();
        let ids: HashSet<Id> = file.items.iter().map(|item| item_id(&item.kind, &item.slug)).collect();
        assert_eq!(ids.len(), file.items.len());
        // The RFC's variant is 10 in binary: the 17th hexadecimal digit is 8, 9, a or b.
        assert!(ids.iter().all(|id| id.get_version_num() == 7 && (id.as_u128() >> 62) & 3 == 2));
        assert_eq!(item_id("skill", "calm-reply"), item_id("skill", "calm-reply"));
        assert_ne!(item_id("skill", "calm-reply"), item_id("plugin", "calm-reply"));
    }

    #[test]
    fn every_model_has_a_tier_and_prices() {
        let file: File<Model> = parse(MODELS).unwrap();
        assert!(file.items.iter().all(|m| m.input_microusd_per_mtok >= 0 && m.context_tokens > 0));
        assert!(file.items.iter().any(|m| m.model == "gpt-4o-mini"));
        assert_eq!(day(&file.version).unwrap().to_string(), format!("{}T00:00:00.000000Z", file.version));
    }
}
