//! Searches films by title, and says which are in the library.

use toolcrib_engine::prelude::*;

use crate::{
    arr::{self, Movie},
    kind::Kind,
    server::{REMOTE, Server},
    text::Text,
};

/// How many films are returned.
const MAX_ITEMS: usize = 10;

pub struct SearchMovies;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Title of the film. A year helps, such as `Heat 1995`.
    #[schemars(length(min = 1, max = 200))]
    pub query: String,
}

/// A film.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Title.
    pub title: Text,
    /// Year; null if unknown.
    pub year: Option<i64>,
    /// ID of the film at TMDB; null if it has none.
    pub tmdb_id: Option<i64>,
    /// Beginning of the overview; null if there is none.
    pub overview: Option<Text>,
    /// Whether it is in the library.
    pub in_library: bool,
    /// ID in the library; null if it is not there.
    pub library_id: Option<i64>,
    /// Status, such as `inCinemas` or `released`; null if unknown.
    pub status: Option<Text>,
    /// Studio; null if unknown.
    pub studio: Option<Text>,
}

/// Result of `media_search_movies`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Up to 10 films, best match first.
    pub items: Vec<Item>,
}

impl ExternalAction for SearchMovies {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_search_movies")
            .describe("Search films by title: year, TMDB ID, overview, and whether each is in the library (Radarr).")
            .tags(&["movie", "film", "radarr", "library", "title"])
            .examples(&["Do we have Arrival?", "Find the film Heat from 1995"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let radarr = Server::of(cx, Kind::Radarr, REMOTE).await?;
        let query = [("term", &*input.query)];
        let found: Vec<Movie> =
            radarr.get_with_hint("/api/v3/movie/lookup", &query, "ask with a longer query").await?;
        Ok(Output { items: found.into_iter().take(MAX_ITEMS).map(Item::from).collect() })
    }

    fn services(&self) -> &'static [&'static str] {
        &["radarr"]
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} for `{}`", count(output.items.len(), "film"), input.query)
    }
}

impl From<Movie> for Item {
    fn from(movie: Movie) -> Self {
        let library_id = arr::known(movie.id);
        Self {
            title: Text::name(&movie.title),
            year: arr::known(movie.year),
            tmdb_id: arr::known(movie.tmdb_id),
            overview: Text::overview(&movie.overview),
            in_library: library_id.is_some(),
            library_id,
            status: Text::word(&movie.status),
            studio: Text::word(&movie.studio),
        }
    }
}
