//! Sets the secret with which an upstream is called for all callers.

use toolcrib_engine::prelude::*;
use toolcrib_toolset::SecretOwner;

use super::{rules, view::UpstreamView};
use crate::admin::guard;

pub struct SetUpstreamSecret;

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream.
    pub name: String,
    /// The secret: visible ASCII; `user:password` for the kind `basic`. Stored encrypted, never shown.
    #[schemars(length(min = 1, max = 4_096), extend("x-sensitive" = true))]
    pub secret: String,
}

impl WriteAction for SetUpstreamSecret {
    type Input = Input;
    type Output = UpstreamView;

    fn spec() -> Spec {
        Spec::program("upstreams.set_secret", Level::Write, Permission::INTEGRATIONS_MANAGE).describe(
            "Set the secret with which an upstream is called, in place of the one before. It is never shown again.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let rules = cx.tools.catalog.rules();
        rules::permitted(rules)?;
        let upstream = rules::with_owner(cx.tx, rules, &input.name, SecretOwner::Workspace).await?;
        rules::secret(cx.tools.catalog, &upstream, &input.secret)?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<UpstreamView, ActionError> {
        guard::lock(cx).await?;
        let (name, _) = rules::store_secret(cx, &input.name, None, &input.secret).await?;
        cx.emit("upstream.changed", "integrations:manage", json!({ "name": name, "secret": "set" }));
        UpstreamView::read(cx.tx, &name).await
    }

    fn describe(_: &Input, output: &UpstreamView) -> String {
        format!("Set the secret of the upstream `{}`", output.name)
    }
}
