//! Adds an upstream.

use toolcrib_engine::prelude::*;
use toolcrib_store::{upstreams, upstreams::UpstreamRow};
use toolcrib_toolset::{AuthKind, SecretOwner, UPSTREAM_PATTERN, UpstreamKind};

use super::{
    models, rules,
    view::{AuthInput, UpstreamView},
};
use crate::admin::{guard, toolsets};

/// The most upstreams of a workspace.
const MAX_UPSTREAMS: usize = 50;

pub struct CreateUpstream;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name by which tools refer to the upstream. It can't be changed later.
    #[schemars(length(min = 1, max = 40), regex(pattern = UPSTREAM_PATTERN))]
    pub name: String,
    /// Protocol. It can't be changed later. Tools call `http` and `mcp`. The others are formats of services with
    /// language models: Chat Completions and what is compatible with it, Responses, and Messages.
    #[schemars(extend("x-plain-words" = true))]
    pub kind: UpstreamKind,
    /// Address that every path starts from: public and `https`. Ends with `/` for `http`.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub base_url: String,
    /// How requests are authenticated. Default: not at all.
    pub auth: Option<AuthInput>,
    /// Models that people may choose, by the names that the service has for them. Required for the kinds `openai`,
    /// `openai_responses` and `anthropic`, and for no other.
    #[schemars(length(min = 1, max = 50), inner(length(min = 1, max = 200)))]
    pub models: Option<Vec<String>>,
    /// Tokens that fit into a request to one of the models and its answer.
    #[schemars(range(min = 1_000, max = 100_000_000))]
    pub context_tokens: Option<u32>,
}

impl WriteAction for CreateUpstream {
    type Input = Input;
    type Output = UpstreamView;

    fn spec() -> Spec {
        Spec::program("upstreams.create", Level::Write, Permission::INTEGRATIONS_MANAGE).creates().describe(
            "Add a service that declared tools may call, or one with language models. Its secret is set with a request of its own.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let rules = cx.tools.catalog.rules();
        rules::permitted(rules)?;
        rules::address(rules, input.kind, &input.base_url)?;
        models::check_format(input.kind, &input.base_url, "/kind")?;
        input.auth.as_ref().map_or(Ok(()), rules::auth)?;
        models::check(&row(input, cx.now, None, 0))?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<UpstreamView, ActionError> {
        guard::lock(cx).await?;
        if upstreams::list(cx.tx).await?.len() >= MAX_UPSTREAMS {
            let text = format!("this workspace has {MAX_UPSTREAMS} upstreams, the most it may have");
            return Err(ActionError::conflict(text).hint("delete one that no tool uses"));
        }
        let version = toolsets::first_version(cx.tx).await?;
        let row = row(input, cx.now, cx.caller.principal.user(), version);
        if !upstreams::insert(cx.tx, &row).await? {
            return Err(ActionError::conflict(format!("there is an upstream `{}` already", row.name))
                .hint("choose another name, or `PATCH` that one"));
        }
        // Secrets of an earlier upstream with this name were deleted with it.
        let data = json!({ "name": row.name, "created": true });
        cx.emit("upstream.changed", "integrations:manage", data);
        UpstreamView::read(cx.tx, &row.name).await
    }

    fn describe(_: &Input, output: &UpstreamView) -> String {
        format!("Added the upstream `{}`", output.name)
    }
}

fn row(input: &Input, updated_at: Ts, updated_by: Option<Id>, version: i64) -> UpstreamRow {
    let auth = input.auth.as_ref();
    UpstreamRow {
        name: input.name.clone(),
        kind: input.kind.as_str().to_owned(),
        base_url: input.base_url.clone(),
        auth_kind: auth.map_or(AuthKind::None, |auth| auth.kind).as_str().to_owned(),
        auth_name: auth.and_then(|auth| auth.name.clone()),
        auth_owner: owner(auth).as_str().to_owned(),
        models: input.models.as_ref().map(|models| json!(models).to_string()),
        context_tokens: input.context_tokens.map(i64::from),
        version,
        updated_at,
        updated_by,
    }
}

/// Returns whose secret is sent.
pub fn owner(auth: Option<&AuthInput>) -> SecretOwner {
    auth.and_then(|auth| auth.owner).unwrap_or(SecretOwner::Workspace)
}
