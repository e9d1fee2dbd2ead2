//! Changes the address, the authentication or the models of an upstream.

use toolcrib_engine::{prelude::*, upstreams::CatalogUpstream};
use toolcrib_store::{upstream_tools, upstreams, upstreams::UpstreamRow};
use toolcrib_toolset::UpstreamKind;

use super::{
    create::owner,
    models, rules,
    view::{AuthInput, UpstreamView},
};
use crate::{admin::guard, shared::present};

pub struct UpdateUpstream;

/// Arguments of the operation. An omitted field keeps its value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream.
    pub name: String,
    /// Address that every path starts from. Another origin deletes all secrets of the upstream, and the definitions of
    /// its tools.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub base_url: Option<String>,
    /// How requests are authenticated, as a whole. Another `kind` or `owner` deletes all secrets of the upstream.
    pub auth: Option<AuthInput>,
    /// Models that people may choose, as a whole. Only an upstream with language models has them.
    #[schemars(length(min = 1, max = 50), inner(length(min = 1, max = 200)))]
    pub models: Option<Vec<String>>,
    /// Tokens that fit into a request to one of the models and its answer; null if they are not known.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<u32>", range(min = 1_000, max = 100_000_000), extend("x-nullable" = true))]
    #[expect(clippy::option_option, reason = "left out, null and a number are three wishes")]
    pub context_tokens: Option<Option<u32>>,
    /// `version` of the upstream that you read. The call is refused if the upstream has changed since.
    pub if_match: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The upstream as it is now.
    #[serde(flatten)]
    pub upstream: UpstreamView,
    /// Whether anything changed.
    pub changed: bool,
    /// Number of secrets that were deleted because they were set for another origin, kind or owner. Set them again.
    pub secrets_deleted: u64,
}

impl WriteAction for UpdateUpstream {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.update", Level::Write, Permission::INTEGRATIONS_MANAGE).describe(
            "Change the address, the authentication or the models of an upstream. Confirmations and grants of tools that call it \
             become void with another address.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let rules = cx.tools.catalog.rules();
        rules::permitted(rules)?;
        let row = rules::own(cx.tx, rules, &input.name).await?;
        rules::matches(&row, input.if_match.as_deref())?;
        check(cx, &row, input)?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let rules = cx.tools.catalog.rules();
        let old = rules::own(cx.tx, rules, &input.name).await?;
        rules::matches(&old, input.if_match.as_deref())?;
        check(&cx.reading(), &old, input)?;
        let new = changed(&old, input);
        if new == old {
            let upstream = UpstreamView::read(cx.tx, &input.name).await?;
            return Ok(Output { upstream, changed: false, secrets_deleted: 0 });
        }
        let row = UpstreamRow { updated_at: cx.now, updated_by: cx.caller.principal.user(), ..new };
        if !upstreams::update(cx.tx, &row, old.version).await? {
            return Err(rules::changed_meanwhile());
        }
        let secrets_deleted =
            if keeps_secrets(&old, &row) { 0 } else { upstreams::delete_secrets(cx.tx, &row.name).await? };
        if !is_same_server(&old, &row) {
            upstream_tools::delete(cx.tx, &row.name).await?;
        }
        let data = json!({ "name": row.name, "secrets_deleted": secrets_deleted });
        cx.emit("upstream.changed", "integrations:manage", data);
        Ok(Output { upstream: UpstreamView::read(cx.tx, &row.name).await?, changed: true, secrets_deleted })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let name = &output.upstream.name;
        match (output.changed, usize::try_from(output.secrets_deleted).unwrap_or(usize::MAX)) {
            (false, _) => format!("Nothing to change: the upstream `{name}` is already so"),
            (true, 0) => format!("Changed the upstream `{name}`"),
            (true, deleted) => format!(
                "Changed the upstream `{name}` and deleted {}: set for what it was before",
                count(deleted, "secret")
            ),
        }
    }
}

/// Checks what the input would change.
fn check(cx: &ReadCx<'_>, row: &UpstreamRow, input: &Input) -> Result<(), ActionError> {
    if let Some(base_url) = &input.base_url {
        let kind = row.kind.parse().unwrap_or(UpstreamKind::Http);
        rules::address(cx.tools.catalog.rules(), kind, base_url)?;
        models::check_format(kind, base_url, "/base_url")?;
    }
    input.auth.as_ref().map_or(Ok(()), rules::auth)?;
    models::check(&changed(row, input))
}

fn changed(old: &UpstreamRow, input: &Input) -> UpstreamRow {
    let mut row = old.clone();
    if let Some(base_url) = &input.base_url {
        row.base_url.clone_from(base_url);
    }
    if let Some(auth) = &input.auth {
        auth.kind.as_str().clone_into(&mut row.auth_kind);
        row.auth_name.clone_from(&auth.name);
        owner(Some(auth)).as_str().clone_into(&mut row.auth_owner);
    }
    if let Some(names) = &input.models {
        row.models = Some(json!(names).to_string());
    }
    if let Some(tokens) = input.context_tokens {
        row.context_tokens = tokens.map(i64::from);
    }
    row
}

/// Returns whether what was learned of the old upstream's tools is still about the same server.
fn is_same_server(old: &UpstreamRow, new: &UpstreamRow) -> bool {
    let origin = |row| CatalogUpstream::of_row(row, false).map(|upstream| upstream.base_url.origin());
    origin(old).is_some_and(|before| origin(new) == Some(before))
}

/// Returns whether the secrets of the old upstream are secrets of the new one: it has the same origin, and sends
/// secrets of the same owner in the same way.
fn keeps_secrets(old: &UpstreamRow, new: &UpstreamRow) -> bool {
    let secrets = |row| {
        let upstream = CatalogUpstream::of_row(row, false)?;
        Some((upstream.base_url.origin(), upstream.auth, upstream.owner))
    };
    secrets(old).is_some_and(|before| secrets(new) == Some(before))
}
