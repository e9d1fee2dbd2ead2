//! Adds a film to the library.

use toolcrib_engine::{
    effect::{EffectAction, EffectCall, Found, Resolved, Sent},
    prelude::*,
};

use crate::{
    add::{self, Added, Plan, Wish},
    settings::Kind,
};

pub struct AddMovie;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the film at TMDB, as `media_search_movies` and `media_discover` return it.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub tmdb_id: i64,
    /// Name of a library of the settings. Default: the one whose conditions fit.
    #[schemars(length(min = 1, max = 60))]
    pub library: Option<String>,
}

impl EffectAction for AddMovie {
    type Input = Input;
    type Output = Added;
    type Plan = Plan;

    fn spec() -> Spec {
        crate::add_spec("media_add_movie")
            .describe(
                "Add a film to the household's library by its TMDB ID, so that it is downloaded (Radarr).",
            )
            .tags(&["movie", "film", "radarr", "request", "download", "library"])
            .examples(&["Add Arrival to our films", "Please get the film Heat", "Request this movie"])
    }

    async fn resolve(
        &self,
        cx: &ExternalCx<'_>,
        input: &Input,
    ) -> Result<Resolved<Plan, Added>, ActionError> {
        let library = input.library.as_deref();
        add::resolve(cx, Wish { kind: Kind::Movie, foreign_id: input.tmdb_id, library, monitor: None }).await
    }

    async fn send(&self, cx: &ExternalCx<'_>, _: &Input, plan: &Plan) -> Sent<Added> {
        add::send(cx, plan).await
    }

    async fn look_up(&self, cx: &ExternalCx<'_>, call: &EffectCall, _: &Input, plan: &Plan) -> Found<Added> {
        add::look_up(cx, call, plan).await
    }

    async fn record(
        &self,
        cx: &mut WriteCx<'_>,
        call: &EffectCall,
        plan: &Plan,
        output: &Added,
    ) -> Result<(), ActionError> {
        add::record(cx, call, plan, output).await
    }

    fn services(&self) -> &'static [&'static str] {
        &["radarr"]
    }

    fn describe(_: &Input, output: &Added) -> String {
        output.describe(Kind::Movie)
    }
}
