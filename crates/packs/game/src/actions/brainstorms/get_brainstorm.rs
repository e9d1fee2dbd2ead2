//! Shows a brainstorm with the systems that were made from it.

use toolcrib_engine::prelude::*;

use crate::{
    find,
    inputs::OfBrainstorm,
    permissions, project,
    tables::{
        brainstorms::Brainstorm,
        systems::{self, SystemRow},
    },
};

pub struct GetBrainstorm;

/// A brainstorm and what came of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    #[serde(flatten)]
    pub brainstorm: Brainstorm,
    /// Systems that were made from it, oldest first.
    pub outputs: Vec<SystemRow>,
}

impl ReadAction for GetBrainstorm {
    type Input = OfBrainstorm;
    type Output = Output;

    fn spec() -> Spec {
        permissions::read("game_get_brainstorm")
            .describe(
                "Get a brainstorm of a game project with its content and the systems that were made from it.",
            )
            .tags(&["game", "brainstorm", "ideas", "details"])
            .examples(&[
                "Show that brainstorm",
                "What came of the brainstorm?",
                "Read the brainstorm about combat",
            ])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &OfBrainstorm) -> Result<Output, ActionError> {
        let project = project::of(cx, input.project.as_ref()).await?.id;
        let brainstorm = find::brainstorm(cx.tx, project, input.brainstorm).await?;
        let outputs = systems::of_brainstorm(cx.tx, project, input.brainstorm).await?;
        Ok(Output { brainstorm, outputs })
    }

    fn describe(_: &OfBrainstorm, output: &Output) -> String {
        format!("Read brainstorm `{}`", output.brainstorm.row.title)
    }
}
