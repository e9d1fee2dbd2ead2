//! The marketplace: items that are visible to every workspace, and each workspace's installations.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{JsonText, StoreError, Tx, WriteTx, json, like};

/// An item.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct ItemRow {
    /// ID.
    pub id: Id,
    /// `agent`, `skill` or `plugin`.
    pub kind: String,
    /// Slug. Unique among items of the same kind.
    pub slug: String,
    /// Display name.
    pub name: String,
    /// A tag, such as `support`.
    pub category: String,
    /// Description.
    pub description: String,
    /// Tags for search.
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// `pending`, `approved` or `withdrawn`.
    pub status: String,
    /// Version of the content.
    pub version: String,
    /// Author.
    pub author: String,
    /// Number of workspaces that installed it.
    pub install_count: i64,
    /// Time of publication.
    #[sqlx(try_from = "i64")]
    pub published_at: Ts,
    /// A JSON object whose fields depend on the kind.
    #[serde(skip)]
    pub content: String,
    /// Whether this workspace installed the item; for a template, whether it has an agent with the template's
    /// name.
    #[serde(skip)]
    pub installed: bool,
}

/// An item that this workspace installed.
#[derive(Clone, Debug, FromRow)]
pub struct InstalledRow {
    #[sqlx(flatten)]
    pub item: ItemRow,
    #[sqlx(try_from = "i64")]
    pub installed_at: Ts,
    /// The number of agents of this workspace to which the item is assigned.
    pub agents: i64,
}

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct ItemFilter {
    /// A category, in lower case.
    pub category: Option<String>,
    /// Words, each of which is contained in the slug, name, description or tags. Words after the fourth are
    /// ignored.
    pub search: Option<String>,
}

#[derive(Clone, Debug)]
pub struct NewItem {
    pub id: Id,
    /// `agent`, `skill` or `plugin`.
    pub kind: String,
    /// The slug: unique among items of the same kind.
    pub slug: String,
    /// The name, for people.
    pub name: String,
    /// The category, such as `support`.
    pub category: String,
    /// A description of what the item does.
    pub description: String,
    /// Words for the search.
    pub tags: Vec<String>,
    /// `pending` or `approved`.
    pub status: String,
    pub version: String,
    pub author: String,
    /// A JSON object whose fields depend on the kind.
    pub content: String,
}

macro_rules! select_items {
    ($rest:literal) => {
        concat!(select!(marketplace_items "i." ", CASE WHEN i.kind = 'agent' \
             THEN EXISTS (SELECT 1 FROM agents a WHERE a.workspace_id = $1 AND a.name_key = i.name_key) \
             ELSE EXISTS (SELECT 1 FROM installs n WHERE n.workspace_id = $1 AND n.item_id = i.id) END AS installed \
             FROM marketplace_items i WHERE i.kind = $2 AND "),
            $rest
        )
    };
}

/// Lists at most `limit` approved items of a kind after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    kind: &str,
    filter: &ItemFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ItemRow>, StoreError> {
    const SQL: &str = select_items!(
        "i.status = 'approved' AND ($3 IS NULL OR i.category = $3) \
         AND i.search_key LIKE $4 ESCAPE '\\' AND i.search_key LIKE $5 ESCAPE '\\' \
         AND i.search_key LIKE $6 ESCAPE '\\' AND i.search_key LIKE $7 ESCAPE '\\' \
         AND (i.published_at, i.id) < ($8, $9) ORDER BY i.published_at DESC, i.id DESC LIMIT $10"
    );
    let mut words = filter.search.as_deref().unwrap_or_default().split_whitespace().map(like);
    let [a, b, c, d] = std::array::from_fn(|_| words.next().unwrap_or_else(|| "%".to_owned()));
    with_backend!(tx, workspace, conn => sqlx::query_as(SQL).bind(workspace).bind(kind)
        .bind(&filter.category).bind(&a).bind(&b).bind(&c).bind(&d).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(conn).await)
}

/// Returns the items of a kind whose id, slug or name is `reference`, regardless of case, and that are
/// approved or installed in this workspace; at most three.
pub async fn find(tx: &mut Tx, kind: &str, reference: &str) -> Result<Vec<ItemRow>, StoreError> {
    const SQL: &str = select_items!(
        "(i.id = $3 OR i.slug = $4 OR i.name_key = $4) AND (i.status = 'approved' OR EXISTS \
         (SELECT 1 FROM installs m WHERE m.workspace_id = $1 AND m.item_id = i.id)) \
         ORDER BY i.published_at DESC, i.id DESC LIMIT 3"
    );
    let (id, key) = (Id::try_parse(reference).ok(), reference.to_lowercase());
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(kind).bind(id).bind(&key)
        .fetch_all(c).await)
}

/// Returns the names of up to 500 approved items of a kind, for suggestions of similar names.
pub async fn names(tx: &mut Tx, kind: &str) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM marketplace_items WHERE kind = $1 AND status = 'approved' ORDER BY name_key LIMIT 500";
    with_backend!(tx, c => sqlx::query_scalar(SQL).bind(kind).fetch_all(c).await)
}

/// Lists at most `limit` items of a kind that this workspace installed, after `cursor`, most recently
/// installed first.
pub async fn installed(
    tx: &mut Tx,
    kind: &str,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<InstalledRow>, StoreError> {
    const SQL: &str = select!(marketplace_items "i." ", TRUE AS installed, n.installed_at, CAST( \
        (SELECT COUNT(*) FROM agent_skills s WHERE s.workspace_id = $1 AND s.item_id = i.id) + \
        (SELECT COUNT(*) FROM agent_plugins p WHERE p.workspace_id = $1 AND p.item_id = i.id) AS BIGINT) AS agents \
        FROM installs n JOIN marketplace_items i ON i.id = n.item_id \
        WHERE n.workspace_id = $1 AND n.kind = $2 AND (n.installed_at, i.id) < ($3, $4) \
        ORDER BY n.installed_at DESC, i.id DESC LIMIT $5");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(kind)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Installs an item in this workspace that was not installed when it was read. Returns `false` if it is installed
/// meanwhile.
pub async fn install(
    tx: &mut WriteTx,
    item: Id,
    kind: &str,
    by: Option<Id>,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO installs (workspace_id, item_id, kind, installed_by, installed_at) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace_id, item_id) DO NOTHING";
    const COUNT: &str = "UPDATE marketplace_items SET install_count = install_count + 1 WHERE id = $1";
    let new = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(item).bind(kind).bind(by)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
        == 1;
    if new {
        with_backend!(tx, c => sqlx::query(COUNT).bind(item).execute(c).await.map(|_| ()))?;
    }
    Ok(new)
}

/// Publishes an item for all workspaces. Fails with [`StoreError::Duplicate`] if its slug is taken.
pub async fn publish(tx: &mut WriteTx, item: &NewItem, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO marketplace_items (id, kind, slug, name, name_key, category, description, tags, \
        search_key, status, version, author, content, built_in, install_count, published_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, FALSE, 0, $14, $14)";
    let (key, tags) = (item.name.to_lowercase(), serde_json::Value::from(item.tags.clone()).to_string());
    let search = search_key(&item.slug, &item.name, &item.description, &item.tags);
    with_backend!(tx, c => sqlx::query(SQL).bind(item.id).bind(&item.kind).bind(&item.slug)
        .bind(&item.name).bind(&key).bind(&item.category).bind(&item.description).bind(&tags)
        .bind(&search).bind(&item.status).bind(&item.version).bind(&item.author).bind(&item.content)
        .bind(at.as_micros()).execute(c).await.map(|_| ()))
}

/// Returns the item with this id, whatever its status. The field `installed` is always `false`.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ItemRow>, StoreError> {
    const SQL: &str = select!(marketplace_items "i." ", FALSE AS installed FROM marketplace_items i \
        WHERE i.id = $1");
    with_backend!(tx, c => sqlx::query_as(SQL).bind(id).fetch_optional(c).await)
}

/// Updates an item for all workspaces and detaches it from the built-in data, so that later releases don't
/// overwrite it. Returns `false` if the item does not exist.
pub async fn update(tx: &mut WriteTx, item: &ItemRow, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE marketplace_items SET name = $2, name_key = $3, category = $4, description = $5, \
        tags = $6, search_key = $7, status = $8, version = $9, content = $10, built_in = FALSE, updated_at = $11 \
        WHERE id = $1";
    let key = item.name.to_lowercase();
    let search = search_key(&item.slug, &item.name, &item.description, &item.tags);
    Ok(with_backend!(tx, c => sqlx::query(SQL).bind(item.id).bind(&item.name).bind(&key).bind(&item.category)
        .bind(&item.description).bind(json(&item.tags)?).bind(&search).bind(&item.status).bind(&item.version)
        .bind(&item.content).bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Sets an item's status for all workspaces and detaches it from the built-in data, so that later releases
/// don't overwrite it. Returns `false` if the item does not exist.
pub async fn set_status(tx: &mut WriteTx, id: Id, status: &str, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str =
        "UPDATE marketplace_items SET status = $2, built_in = FALSE, updated_at = $3 WHERE id = $1";
    Ok(with_backend!(tx, c => sqlx::query(SQL).bind(id).bind(status).bind(at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?
        == 1)
}

/// Returns the text in which [`list`] searches.
pub(crate) fn search_key(slug: &str, name: &str, description: &str, tags: &[String]) -> String {
    format!("{slug} {name} {description} {}", tags.join(" ")).to_lowercase()
}
