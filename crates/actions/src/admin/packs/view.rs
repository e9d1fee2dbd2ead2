//! Packs as callers see them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_engine::{ActionError, CallerTools, Catalog, CatalogPack};
use toolcrib_registry::{ActionMeta, Category, Format, Tool, digest, estimated_tokens, nearest, render};
use toolcrib_store::packs::PackRow;

/// A pack of this build.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PackView {
    /// Prefix of the names of its actions, and resource of their permissions.
    pub slug: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// What the pack is for.
    pub description: &'static str,
    /// Whether the pack is on in this workspace.
    pub enabled: bool,
    /// Whether the operator lets workspaces switch it on.
    pub offered: bool,
    /// Number of actions.
    pub actions: usize,
    /// About how many tokens the promoted actions cost in a tool list.
    pub tokens: usize,
    /// The workspace's settings, or the defaults; null if the pack has none.
    pub settings: Option<Value>,
    /// JSON Schema of the settings; null if the pack has none.
    pub settings_schema: Option<Value>,
    /// Version of switch and settings: the value of `ETag` and of `If-Match`.
    pub version: String,
}

impl PackView {
    /// Describes a pack with the switch and the settings of the workspace.
    pub fn of(tools: &CallerTools<'_>, pack: &CatalogPack, enabled: bool, row: Option<&PackRow>) -> Self {
        let metas: Vec<&ActionMeta> = actions(tools.catalog, pack);
        let promoted: Vec<Tool<'_>> =
            metas.iter().filter(|meta| meta.spec.promoted).map(|meta| Tool::of(meta)).collect();
        let stored = row.and_then(|row| row.settings.as_deref());
        let settings = pack.pack.settings.as_ref().map(|settings| {
            stored
                .and_then(|text| serde_json::from_str(text).ok())
                .unwrap_or_else(|| settings.default().clone())
        });
        let version = digest(&json!([enabled, settings, row.map(|row| row.version)]));
        Self {
            slug: pack.slug(),
            title: pack.pack.info.title,
            description: pack.pack.info.description,
            enabled,
            offered: pack.offered,
            actions: metas.len(),
            tokens: if promoted.is_empty() {
                0
            } else {
                estimated_tokens(&render(Format::Openai, &promoted))
            },
            settings,
            settings_schema: pack.pack.settings.as_ref().map(|settings| settings.schema().clone()),
            version: version.chars().take(32).collect(),
        }
    }
}

fn actions<'c>(catalog: &'c Catalog, pack: &CatalogPack) -> Vec<&'c ActionMeta> {
    let own = |meta: &&std::sync::Arc<ActionMeta>| meta.spec.category == Category::Pack(pack.pack.info);
    catalog.registry().compiled().filter(own).map(AsRef::as_ref).collect()
}

/// Returns the pack with this slug, or 404 with the nearest.
pub fn find<'c>(catalog: &'c Catalog, slug: &str) -> Result<&'c CatalogPack, ActionError> {
    catalog.packs().iter().find(|pack| pack.slug() == slug).ok_or_else(|| {
        let known: Vec<&str> = catalog.packs().iter().map(|pack| pack.slug()).collect();
        let error = ActionError::not_found("pack", slug);
        match nearest(slug, &known) {
            Some(near) => error.hint(format!("did you mean `{near}`")),
            None if known.is_empty() => error.hint("this build has no packs"),
            None => error.hint(format!("this build has {}", known.join(", "))),
        }
    })
}
