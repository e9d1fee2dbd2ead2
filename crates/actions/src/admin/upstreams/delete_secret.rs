//! Deletes the secret with which an upstream is called for all callers.

use toolcrib_engine::prelude::*;
use toolcrib_store::upstreams;

use super::{rules, view::UpstreamView};
use crate::admin::guard;

pub struct DeleteUpstreamSecret;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream.
    pub name: String,
}

impl WriteAction for DeleteUpstreamSecret {
    type Input = Input;
    type Output = UpstreamView;

    fn spec() -> Spec {
        Spec::program("upstreams.delete_secret", Level::Write, Permission::INTEGRATIONS_MANAGE).describe(
            "Delete the secret with which an upstream is called. Its tools can't be called without one.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        rules::own(cx.tx, cx.tools.catalog.rules(), &input.name).await?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<UpstreamView, ActionError> {
        guard::lock(cx).await?;
        let row = rules::own(cx.tx, cx.tools.catalog.rules(), &input.name).await?;
        if !upstreams::delete_secret(cx.tx, &row.name, None).await? {
            return Err(ActionError::not_found("secret of the upstream", &row.name));
        }
        cx.emit("upstream.changed", "integrations:manage", json!({ "name": row.name, "secret": "deleted" }));
        UpstreamView::read(cx.tx, &row.name).await
    }

    fn describe(_: &Input, output: &UpstreamView) -> String {
        format!("Deleted the secret of the upstream `{}`", output.name)
    }
}
