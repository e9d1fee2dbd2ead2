//! Adds an upstream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{upstreams, upstreams::UpstreamRow};
use toolcrib_toolset::{AuthKind, SecretOwner, UPSTREAM_PATTERN, UpstreamKind};

use super::{
    rules,
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
    /// Protocol. It can't be changed later.
    #[schemars(extend("x-plain-words" = true))]
    pub kind: UpstreamKind,
    /// Address that every path starts from: public and `https`. Ends with `/` for `http`.
    #[schemars(length(min = 1, max = 2_000), extend("x-sensitive-query" = true))]
    pub base_url: String,
    /// How requests are authenticated. Default: not at all.
    pub auth: Option<AuthInput>,
}

impl WriteAction for CreateUpstream {
    type Input = Input;
    type Output = UpstreamView;

    fn spec() -> Spec {
        Spec::program("upstreams.create", Level::Write, Permission::INTEGRATIONS_MANAGE).creates().describe(
            "Add a service that declared tools may call. Its secret is set with a request of its own.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let rules = cx.tools.catalog.rules();
        rules::permitted(rules)?;
        rules::address(rules, input.kind, &input.base_url)?;
        input.auth.as_ref().map_or(Ok(()), rules::auth)?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<UpstreamView, ActionError> {
        guard::lock(cx).await?;
        if upstreams::list(cx.tx).await?.len() >= MAX_UPSTREAMS {
            let text = format!("this workspace has {MAX_UPSTREAMS} upstreams, the most it may have");
            return Err(ActionError::conflict(text).hint("delete one that no tool uses"));
        }
        let auth = input.auth.as_ref();
        let row = UpstreamRow {
            name: input.name.clone(),
            kind: input.kind.as_str().to_owned(),
            base_url: input.base_url.clone(),
            auth_kind: auth.map_or(AuthKind::None, |auth| auth.kind).as_str().to_owned(),
            auth_name: auth.and_then(|auth| auth.name.clone()),
            auth_owner: owner(auth).as_str().to_owned(),
            version: toolsets::first_version(cx.tx).await?,
            updated_at: cx.now,
            updated_by: cx.caller.principal.user(),
        };
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

/// Returns whose secret is sent.
pub fn owner(auth: Option<&AuthInput>) -> SecretOwner {
    auth.and_then(|auth| auth.owner).unwrap_or(SecretOwner::Workspace)
}
