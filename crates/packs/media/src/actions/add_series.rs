//! Adds a series to the library.

use toolcrib_engine::{
    effect::{EffectAction, EffectCall, Found, Resolved, Sent},
    prelude::*,
};

use crate::{
    add::{self, Added, Plan, Wish},
    settings::{Kind, Monitor},
};

pub struct AddSeries;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID of the series at `TheTVDB`, as `media_search_series` and `media_discover` return it.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub tvdb_id: i64,
    /// Name of a library of the settings. Default: the one whose conditions fit.
    #[schemars(length(min = 1, max = 60))]
    pub library: Option<String>,
    /// Which episodes are monitored. Default: as in the settings.
    pub monitor: Option<Monitor>,
}

impl EffectAction for AddSeries {
    type Input = Input;
    type Output = Added;
    type Plan = Plan;

    fn spec() -> Spec {
        crate::add_spec("media_add_series")
            .describe("Add a series to the household's library by its TVDB ID, so that its episodes are downloaded (Sonarr).")
            .tags(&["series", "show", "tv", "sonarr", "request", "download", "library"])
            .examples(&["Add Severance to our series", "Please get the show Frieren", "Request this series"])
    }

    async fn resolve(
        &self,
        cx: &ExternalCx<'_>,
        input: &Input,
    ) -> Result<Resolved<Plan, Added>, ActionError> {
        let (library, monitor) = (input.library.as_deref(), input.monitor);
        add::resolve(cx, Wish { kind: Kind::Series, foreign_id: input.tvdb_id, library, monitor }).await
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
        &["sonarr"]
    }

    fn describe(_: &Input, output: &Added) -> String {
        output.describe(Kind::Series)
    }
}
