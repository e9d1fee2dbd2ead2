//! Sets the secret with which an upstream is called for all callers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::{upstreams, upstreams::UpstreamSecretRow};
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

/// Omits the secret.
impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("name", &self.name).finish_non_exhaustive()
    }
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
        let upstream = rules::with_owner(cx.tx, rules, (&input.name, SecretOwner::Workspace)).await?;
        rules::secret(&upstream, &input.secret)?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<UpstreamView, ActionError> {
        guard::lock(cx).await?;
        let rules = cx.tools.catalog.rules();
        let upstream = rules::with_owner(cx.tx, rules, (&input.name, SecretOwner::Workspace)).await?;
        let secret = rules::secret(&upstream, &input.secret)?;
        let owner = (cx.tx.workspace(), None);
        let row = UpstreamSecretRow {
            upstream: upstream.reference.clone(),
            user_id: None,
            sealed: upstream.seal(&rules.datasources.secret_cipher, cx.ids, owner, &secret)?,
            set_by: cx.caller.principal.user(),
            set_at: cx.now,
        };
        upstreams::put_secret(cx.tx, &row).await?;
        cx.emit("upstream.changed", "integrations:manage", json!({ "name": row.upstream, "secret": "set" }));
        UpstreamView::read(cx.tx, &row.upstream).await
    }

    fn describe(_: &Input, output: &UpstreamView) -> String {
        format!("Set the secret of the upstream `{}`", output.name)
    }
}
