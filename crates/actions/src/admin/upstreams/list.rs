//! Lists the upstreams of the workspace and of the operator's toolsets.

use toolcrib_engine::prelude::*;
use toolcrib_store::upstreams;

use super::view::{SecretFacts, UpstreamView};
use crate::shared::NoArguments;

pub struct ListUpstreams;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Upstreams of the operator's toolsets, then those of the workspace by name.
    pub items: Vec<UpstreamView>,
}

impl ReadAction for ListUpstreams {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.list", Level::Read, Permission::INTEGRATIONS_MANAGE)
            .describe("List the services that declared tools call, and those with language models. Secrets are never shown.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let facts = SecretFacts::read(cx.tx).await?;
        let operators = cx.tools.catalog.rules().upstreams.iter();
        let mut items: Vec<UpstreamView> =
            operators.map(|upstream| UpstreamView::of_operator(upstream, &facts)).collect();
        let rows = upstreams::list(cx.tx).await?;
        items.extend(rows.into_iter().map(|row| UpstreamView::of(row, &facts)));
        Ok(Output { items })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("Listed {}", count(output.items.len(), "upstream"))
    }
}
