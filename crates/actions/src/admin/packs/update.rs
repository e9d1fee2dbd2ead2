//! Switches a pack on or off in this workspace, and sets its settings.

use serde_json::Value;
use toolcrib_access::EnabledPacks;
use toolcrib_engine::{CatalogPack, prelude::*};
use toolcrib_store::{AccessRow, ActorIds, Tx, packs, packs::PackRow};

use super::view::{PackView, added_tokens, admins_tools, find};
use crate::admin::guard;

pub struct UpdatePack;

/// Arguments of the operation. An omitted field keeps its value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the pack.
    pub slug: String,
    /// Whether the pack is on in this workspace. Off keeps its data; calls of it that wait for a person become void.
    pub enabled: Option<bool>,
    /// Settings of the pack, by its `settings_schema`. Replaces all of them.
    #[schemars(extend("type" = "object", "x-free" = true, "maxProperties" = 100))]
    pub settings: Option<Value>,
    /// `version` of the pack that you read. The call is refused if it has changed since.
    pub if_match: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The pack as it is now.
    #[serde(flatten)]
    pub pack: PackView,
    /// Whether anything changed.
    pub changed: bool,
}

impl WriteAction for UpdatePack {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("packs.update", Level::Write, Permission::SETTINGS_MANAGE)
            .describe("Switch a pack on or off in this workspace, and set its settings.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let pack = find(cx.tools.catalog, &input.slug)?;
        check(pack, input)?;
        Ok(Target { label: format!("pack `{}`", input.slug), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let pack = find(cx.tools.catalog, &input.slug)?;
        let slug = pack.slug();
        // The policy of the call was read before the lock.
        let (enabled, row) = (enabled_now(cx.tx).await?, packs::get(cx.tx, slug).await?);
        let tokens = added_tokens(&admins_tools(&mut cx.reading()).await?, slug)?;
        let is_on = enabled.contains(slug);
        let now = PackView::of(&mut cx.reading(), pack, is_on, row.as_ref(), tokens).await?;
        matches(&now, input.if_match.as_deref())?;
        let mut settings = input.settings.clone();
        if let (Some(checked), Some(settings)) = (&pack.pack.settings, &mut settings) {
            checked.check(settings);
        }
        let on = input.enabled.unwrap_or(now.enabled);
        if on == now.enabled && apply_now(pack, settings.as_ref(), &now) {
            return Ok(Output { pack: now, changed: false });
        }
        let kept = row.and_then(|row| row.settings);
        let mut row = PackRow {
            slug: slug.to_owned(),
            version: 0,
            settings: settings.map(|settings| settings.to_string()).or(kept),
            updated_at: cx.now,
            updated_by: cx.caller.principal.user(),
        };
        row.version = packs::put(cx.tx, &row).await?;
        if on != now.enabled {
            let enabled = enabled.with(slug, on.then_some(row.version));
            packs::set_enabled(cx.tx, enabled.as_str(), cx.now).await?;
        }
        if now.enabled && !on {
            cx.void_confirmations_of_pack(slug).await?;
        }
        cx.emit("pack.updated", "toolsets:read", json!({ "slug": slug, "enabled": on }));
        let pack = PackView::of(&mut cx.reading(), pack, on, Some(&row), tokens).await?;
        Ok(Output { pack, changed: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let PackView { slug, enabled, .. } = &output.pack;
        format!("The pack `{slug}` is {}", if *enabled { "on" } else { "off" })
    }
}

/// Refuses a pack that the operator does not offer, and every defect of the settings.
fn check(pack: &CatalogPack, input: &Input) -> Result<(), ActionError> {
    let slug = pack.slug();
    if input.enabled == Some(true) && !pack.offered {
        return Err(ActionError::conflict(format!("the operator does not offer the pack `{slug}`"))
            .hint("ask the operator of this service to offer it with `packs`"));
    }
    let Some(mut settings) = input.settings.clone() else { return Ok(()) };
    let Some(checked) = &pack.pack.settings else {
        return Err(ActionError::invalid(
            "/settings",
            "unknown",
            "must be left out: the pack has no settings",
        )
        .hint("set `enabled` alone"));
    };
    let mut errors = checked.check(&mut settings);
    for error in &mut errors {
        error.pointer = format!("/settings{}", error.pointer);
    }
    if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors)) }
}

/// Returns whether the settings that were given apply already.
fn apply_now(pack: &CatalogPack, given: Option<&Value>, now: &PackView) -> bool {
    match (&pack.pack.settings, given) {
        (Some(checked), Some(given)) => now.settings == Some(checked.with_defaults(given)),
        _ => true,
    }
}

async fn enabled_now(tx: &mut Tx) -> Result<EnabledPacks, ActionError> {
    let row = AccessRow::read(tx, ActorIds::default()).await?;
    Ok(row.map(|row| EnabledPacks::of_stored(&row.packs)).unwrap_or_default())
}

/// Refuses another version. A version may have the quotes of an `ETag`.
fn matches(now: &PackView, if_match: Option<&str>) -> Result<(), ActionError> {
    let is_now = |tag: &str| tag == "*" || tag.trim_matches('"') == now.version;
    if if_match.is_none_or(|wanted| wanted.split(',').map(str::trim).any(is_now)) {
        return Ok(());
    }
    Err(ActionError::new(ErrorCode::PreconditionFailed, "the pack changed since it was read")
        .hint("read it again with `GET /v1/packs`, and send its `version`"))
}
