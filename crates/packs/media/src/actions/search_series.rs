//! Searches series by title, and says which are in the library.

use toolcrib_engine::prelude::*;

use crate::{
    arr::{self, Series},
    kind::Kind,
    server::{REMOTE, Server},
    text::Text,
};

/// How many series are returned.
const MAX_ITEMS: usize = 10;

pub struct SearchSeries;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Title of the series.
    #[schemars(length(min = 1, max = 200))]
    pub query: String,
}

/// A series.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Title.
    pub title: Text,
    /// Year in which it began; null if unknown.
    pub year: Option<i64>,
    /// ID of the series at `TheTVDB`; null if it has none.
    pub tvdb_id: Option<i64>,
    /// Beginning of the overview; null if there is none.
    pub overview: Option<Text>,
    /// Whether it is in the library.
    pub in_library: bool,
    /// ID in the library; null if it is not there.
    pub library_id: Option<i64>,
    /// Status, such as `continuing` or `ended`; null if unknown.
    pub status: Option<Text>,
    /// Network; null if unknown.
    pub network: Option<Text>,
    /// Number of seasons, without specials.
    pub seasons: usize,
}

/// Result of `media_search_series`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Up to 10 series, best match first.
    pub items: Vec<Item>,
}

impl ExternalAction for SearchSeries {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_search_series")
            .describe("Search series by title: year, TVDB ID, overview, seasons, and whether each is in the library (Sonarr).")
            .tags(&["series", "show", "tv", "sonarr", "library", "seasons"])
            .examples(&["Is Severance in our library?", "Find the series Frieren"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let sonarr = Server::of(cx, Kind::Sonarr, REMOTE).await?;
        let query = [("term", &*input.query)];
        let found: Vec<Series> =
            sonarr.get_with_hint("/api/v3/series/lookup", &query, "ask with a longer query").await?;
        Ok(Output { items: found.into_iter().take(MAX_ITEMS).map(Item::from).collect() })
    }

    fn services(&self) -> &'static [&'static str] {
        &["sonarr"]
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} series for `{}`", output.items.len(), input.query)
    }
}

impl From<Series> for Item {
    fn from(series: Series) -> Self {
        let library_id = arr::known(series.id);
        Self {
            title: Text::name(&series.title),
            year: arr::known(series.year),
            tvdb_id: arr::known(series.tvdb_id),
            overview: Text::overview(&series.overview),
            in_library: library_id.is_some(),
            library_id,
            status: Text::word(&series.status),
            network: Text::word(&series.network),
            seasons: series.season_count(),
        }
    }
}
