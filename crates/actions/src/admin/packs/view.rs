//! Packs as callers see them.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_engine::{
    CallerTools, Catalog, CatalogPack, UpstreamNeed, is_service_set,
    lists::{ListPlan, ListRequest, make_list},
    prelude::*,
};
use toolcrib_model::Role;
use toolcrib_registry::{ActionMeta, digest, nearest};
use toolcrib_store::packs::PackRow;

use crate::admin::access::words::imagined;

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
    /// About how many tokens the pack adds to a tool list when it is on: to the list `full` that `GET /v1/tools` answers an admin
    /// of the caller type `api`, with what the workspace promotes for it.
    pub tokens: usize,
    /// Settings of the workspace, with the defaults of those that it left out; null if the pack has none.
    pub settings: Option<Value>,
    /// JSON Schema of the settings; null if the pack has none.
    pub settings_schema: Option<Value>,
    /// Services that the actions ask: upstreams of the workspace.
    pub upstreams: Vec<UpstreamView>,
    /// Version of switch and settings: the value of `ETag` and of `If-Match`.
    pub version: String,
}

/// A service that the actions of a pack ask.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UpstreamView {
    /// Name of the upstream.
    pub name: &'static str,
    /// What the pack asks it for.
    pub purpose: &'static str,
    /// Usual address; null for a server of one's own.
    pub base_url: Option<&'static str>,
    /// Header in which the secret is sent; null for a bearer token.
    pub auth_header: Option<&'static str>,
    /// Whether the workspace has the upstream and its secret. The service itself was not asked.
    pub set: bool,
}

impl PackView {
    /// Describes a pack with the switch, the settings and the upstreams of the workspace. `tokens` is from
    /// [`added_tokens`].
    pub async fn of(
        cx: &mut ReadCx<'_>,
        pack: &CatalogPack,
        enabled: bool,
        row: Option<&PackRow>,
        tokens: usize,
    ) -> Result<Self, ActionError> {
        let mut upstreams = Vec::new();
        for need in pack.pack.upstreams {
            let UpstreamNeed { name, purpose, base_url, auth_header, .. } = *need;
            let set = is_service_set(cx, name).await?;
            upstreams.push(UpstreamView { name, purpose, base_url, auth_header, set });
        }
        let stored = row.and_then(|row| row.settings.as_deref());
        let stored: Value = stored.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        let settings = pack.pack.settings.as_ref().map(|settings| settings.with_defaults(&stored));
        let version = digest(&json!([enabled, settings, row.map(|row| row.version)]));
        Ok(Self {
            upstreams,
            slug: pack.slug(),
            title: pack.pack.info.title,
            description: pack.pack.info.description,
            enabled,
            offered: pack.offered,
            actions: actions(cx.tools.catalog, pack),
            tokens,
            settings,
            settings_schema: pack.pack.settings.as_ref().map(|settings| settings.schema().clone()),
            version: version.chars().take(32).collect(),
        })
    }
}

fn actions(catalog: &Catalog, pack: &CatalogPack) -> usize {
    let own = |meta: &&Arc<ActionMeta>| meta.spec.category == Category::Pack(pack.pack.info);
    catalog.registry().compiled().filter(own).count()
}

/// Returns the tools of an admin of the workspace, with which tokens are counted.
pub async fn admins_tools<'c>(cx: &mut ReadCx<'c>) -> Result<CallerTools<'c>, ActionError> {
    let admin = imagined(cx.caller.workspace, Id::nil(), Some(Role::Admin), "api", None);
    cx.tools_of(&admin).await
}

/// Returns how many tokens an admin's list has more with the pack on than with it off.
pub fn added_tokens(tools: &CallerTools<'_>, slug: &str) -> Result<usize, ActionError> {
    let tokens = |on: bool| {
        let tools = tools.with_pack(slug, on);
        make_list(&tools, &ListPlan::of(&tools, &ListRequest::default())).map(|list| list.tokens)
    };
    tools.catalog.compute(|| Ok(tokens(true)?.saturating_sub(tokens(false)?)))
}

/// Returns the pack with this slug, or 404 with the nearest.
pub fn find<'c>(catalog: &'c Catalog, slug: &str) -> Result<&'c CatalogPack, ActionError> {
    catalog.packs().iter().find(|pack| pack.slug() == slug).ok_or_else(|| {
        let known: Vec<&str> = catalog.packs().iter().map(CatalogPack::slug).collect();
        let error = ActionError::new(ErrorCode::NotFound, format!("this build has no pack `{slug}`"));
        match nearest(slug, &known) {
            Some(near) => error.hint(format!("did you mean `{near}`")),
            None if known.is_empty() => error,
            None => error.hint(format!("this build has {}", known.join(", "))),
        }
    })
}
