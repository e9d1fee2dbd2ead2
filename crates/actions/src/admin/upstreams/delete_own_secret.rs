//! Deletes the acting user's own secret of an upstream.

use toolcrib_engine::{prelude::*, upstreams::find_upstream};
use toolcrib_store::upstreams;

use super::{rules, view::OwnSecretView};

pub struct DeleteOwnSecret;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream. `<slug>.<name>` for one of an operator's toolset.
    pub name: String,
}

impl WriteAction for DeleteOwnSecret {
    type Input = Input;
    type Output = OwnSecretView;

    fn spec() -> Spec {
        Spec::program("upstreams.delete_own_secret", Level::Write, Permission::INTEGRATIONS_READ)
            .describe("Delete your own secret of an upstream.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        rules::own_user(cx.caller)?;
        find_upstream(cx.tx, cx.tools.catalog.rules(), &input.name).await?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<OwnSecretView, ActionError> {
        let user_id = rules::own_user(cx.caller)?;
        upstreams::lock(cx.tx).await?;
        if !upstreams::delete_secret(cx.tx, &input.name, Some(user_id)).await? {
            return Err(ActionError::not_found("secret of yours for the upstream", &input.name));
        }
        Ok(OwnSecretView { name: input.name.clone(), has_secret: false, replaced: true })
    }

    fn describe(_: &Input, output: &OwnSecretView) -> String {
        format!("Deleted your secret of the upstream `{}`", output.name)
    }
}
