//! Removes a film from the library.

use toolcrib_engine::{
    effect::{EffectAction, EffectCall, Found, Resolved, Sent},
    prelude::*,
};

use crate::{
    remove::{self, Plan, Removed, Wanted, Wish},
    settings::Kind,
};

pub struct RemoveMovie;

/// Arguments: exactly one of `library_id`, `tmdb_id` and `title`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// ID in the library, as `media_search_movies` returns it.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub library_id: Option<i64>,
    /// ID at TMDB.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub tmdb_id: Option<i64>,
    /// The whole title.
    #[schemars(length(min = 1, max = 200))]
    pub title: Option<String>,
    /// Year, to tell several of one title apart.
    #[schemars(range(min = 1880, max = 2100))]
    pub year: Option<i64>,
    /// Also deletes the files from disk, for good. Default: false.
    pub delete_files: Option<bool>,
    /// Keeps the server's import lists from adding it again. Default: false.
    pub exclude_from_lists: Option<bool>,
}

impl EffectAction for RemoveMovie {
    type Input = Input;
    type Output = Removed;
    type Plan = Plan;

    fn spec() -> Spec {
        let warning =
            "The film leaves the library. With `delete_files`, its files are deleted from disk for good.";
        crate::remove_spec("media_remove_movie", warning)
            .describe("Remove a film from the household's library by exactly one of `library_id`, `tmdb_id` and `title`. Its files stay unless `delete_files` is true (Radarr).")
            .tags(&["movie", "film", "radarr", "library", "delete"])
            .examples(&["Remove Arrival from our films", "Delete the film Heat with its files", "We no longer need this movie"])
    }

    async fn resolve(
        &self,
        cx: &ExternalCx<'_>,
        input: &Input,
    ) -> Result<Resolved<Plan, Removed>, ActionError> {
        let wanted = Wanted {
            library_id: input.library_id,
            foreign_id: input.tmdb_id,
            title: input.title.as_deref(),
            year: input.year,
        };
        let Input { delete_files, exclude_from_lists, .. } = *input;
        remove::resolve(cx, Wish { kind: Kind::Movie, wanted, delete_files, exclude_from_lists }).await
    }

    async fn send(&self, cx: &ExternalCx<'_>, _: &Input, plan: &Plan) -> Sent<Removed> {
        remove::send(cx, plan).await
    }

    async fn look_up(&self, cx: &ExternalCx<'_>, _: &EffectCall, _: &Input, plan: &Plan) -> Found<Removed> {
        remove::look_up(cx, plan).await
    }

    async fn record(
        &self,
        cx: &mut WriteCx<'_>,
        call: &EffectCall,
        plan: &Plan,
        _: &Removed,
    ) -> Result<(), ActionError> {
        remove::record(cx, call, plan);
        Ok(())
    }

    fn services(&self) -> &'static [&'static str] {
        &["radarr"]
    }

    fn describe(_: &Input, output: &Removed) -> String {
        output.describe(Kind::Movie)
    }
}
