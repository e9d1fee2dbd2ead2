//! Asks an upstream whether it answers.

use toolcrib_engine::{ProbeProblem, prelude::*, upstreams::find_upstream};

pub struct TestUpstream;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream.
    pub name: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Whether it answered, and did not refuse the secret. An address where nothing is (404) is an answer too.
    pub ok: bool,
    /// Status of the answer; null if there was none.
    pub status: Option<u16>,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What is wrong: the `address` may not be called; no `connection`; the `certificate` is not valid; `timeout` after 5
    /// seconds; the `secret` was refused; or the `answer` is an error, a redirect, or not of the upstream's protocol.
    pub problem: Option<ProbeProblem>,
}

impl ExternalAction for TestUpstream {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.test", Level::Read, Permission::INTEGRATIONS_MANAGE).tests().describe(
            "Ask an upstream whether it answers, with the secret of your calls: `GET` of its address, `server/discover` of \
             an MCP server, or the list of language models. Its answer is not shown. At most five tests a minute.",
        )
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let (catalog, name) = (cx.tools.catalog.clone(), input.name.clone());
        let find =
            cx.read(move |tx| Box::pin(async move { find_upstream(tx, catalog.rules(), &name).await }));
        let probed = cx.probe(&find.await?).await?;
        Ok(Output {
            ok: probed.problem.is_none(),
            status: probed.status,
            ms: u64::try_from(probed.took.as_millis()).unwrap_or(u64::MAX),
            problem: probed.problem,
        })
    }

    fn describe(input: &Input, output: &Output) -> String {
        match output.problem {
            None => format!("The upstream `{}` answers", input.name),
            Some(problem) => format!("The upstream `{}` has a problem: {problem}", input.name),
        }
    }
}
