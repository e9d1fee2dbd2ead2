//! Sets the acting user's own secret of an upstream.

use toolcrib_engine::prelude::*;
use toolcrib_store::upstreams;
use toolcrib_toolset::SecretOwner;

use super::{rules, view::OwnSecretView};

/// The most user secrets of an upstream.
const MAX_USER_SECRETS: i64 = 10_000;

pub struct SetOwnSecret;

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream. `<slug>.<name>` for one of an operator's toolset.
    pub name: String,
    /// Your secret: visible ASCII; `user:password` for the kind `basic`. Stored encrypted, never shown.
    #[schemars(length(min = 1, max = 4_096), extend("x-sensitive" = true))]
    pub secret: String,
}

impl WriteAction for SetOwnSecret {
    type Input = Input;
    type Output = OwnSecretView;

    fn spec() -> Spec {
        Spec::program("upstreams.set_own_secret", Level::Write, Permission::INTEGRATIONS_READ).describe(
            "Set your own secret of an upstream whose owner is `user`. Your calls and those of your agents are sent \
             with it.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        rules::own_user(cx.caller)?;
        let rules = cx.tools.catalog.rules();
        let upstream = rules::with_owner(cx.tx, rules, &input.name, SecretOwner::User).await?;
        rules::secret(cx.tools.catalog, &upstream, &input.secret)?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<OwnSecretView, ActionError> {
        let user_id = rules::own_user(cx.caller)?;
        upstreams::lock(cx.tx).await?;
        let (name, replaced) = rules::store_secret(cx, &input.name, Some(user_id), &input.secret).await?;
        if !replaced && upstreams::count_user_secrets(cx.tx, &name).await? > MAX_USER_SECRETS {
            let text = format!("`{name}` has {MAX_USER_SECRETS} secrets of users, the most it may have");
            return Err(ActionError::conflict(text).hint("ask a workspace admin"));
        }
        Ok(OwnSecretView { name, has_secret: true, replaced })
    }

    fn describe(_: &Input, output: &OwnSecretView) -> String {
        format!("Set your secret of the upstream `{}`", output.name)
    }
}
