//! Finds films and series by genre, person, keyword, year and language.

use futures_util::future::{OptionFuture, join_all};
use toolcrib_engine::prelude::*;

use crate::{
    arr,
    kind::Kind,
    server::{REMOTE, Server},
    settings,
    text::Text,
    tmdb::{self, Credits, ExternalIds, Found, Named, Title},
};

/// How many titles are returned.
const MAX_ITEMS: usize = 8;
/// The votes that a title needs: ratings of fewer say little.
const MIN_VOTES: u64 = 50;

/// Where posters are, in a width of 500 pixels.
const POSTERS: &str = "https://image.tmdb.org/t/p/w500";

pub struct Discover;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Films or series.
    #[serde(rename = "type")]
    #[schemars(extend("x-plain-words" = true))]
    pub kind: settings::Kind,
    /// Name of a genre in English, such as `Science Fiction`.
    #[schemars(length(min = 1, max = 60))]
    pub genre: Option<String>,
    /// Name of a person who acted or worked in it.
    #[schemars(length(min = 1, max = 100))]
    pub person: Option<String>,
    /// Keyword in English, such as `time travel`. Not for series together with `person`.
    #[schemars(length(min = 1, max = 100))]
    pub keyword: Option<String>,
    /// First year.
    #[schemars(range(min = 1880, max = 2100))]
    pub year_from: Option<i64>,
    /// Last year.
    #[schemars(range(min = 1880, max = 2100))]
    pub year_to: Option<i64>,
    /// Original language as an ISO 639-1 code, such as `ja`.
    #[schemars(length(min = 2, max = 2))]
    pub language: Option<String>,
}

/// A film or a series.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Title.
    pub title: Text,
    /// Year; null if unknown.
    pub year: Option<i64>,
    /// ID at TMDB.
    pub tmdb_id: i64,
    /// ID of a series at `TheTVDB`; null for films, and if it is unknown.
    pub tvdb_id: Option<i64>,
    /// Beginning of the overview; null if there is none.
    pub overview: Option<Text>,
    /// Rating from 0 to 10.
    pub rating: f64,
    /// Address of the poster; null if there is none.
    pub poster: Option<Text>,
    /// Original language as an ISO 639-1 code; null if unknown.
    pub language: Option<Text>,
}

/// Result of `media_discover`. This product uses the TMDB API but is not endorsed or certified by TMDB.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Up to 8 titles with at least 50 votes, most popular first.
    pub items: Vec<Item>,
    /// Number of titles that fit.
    pub total: u64,
    /// Name of the person that was meant, the best known of this name; null without `person`.
    pub person: Option<Text>,
    /// Number of other persons whose names fit.
    pub other_persons: usize,
}

/// What TMDB has ids for.
struct Ids {
    genre: Option<i64>,
    person: Option<i64>,
    keyword: Option<i64>,
}

impl ExternalAction for Discover {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_discover")
            .describe("Find popular films or series by genre, person, keyword, years and language (TMDB), for ideas what to watch.")
            .tags(&["movie", "series", "genre", "actor", "director", "recommend", "tmdb"])
            .examples(&["Which films has Denis Villeneuve made?", "Popular Japanese animation of the nineties"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        input.check()?;
        let tmdb = Server::of(cx, Kind::Tmdb, REMOTE).await?;
        let (ids, person) = ids(input, &tmdb).await?;
        let (titles, total) = match &person {
            Some((person, _)) if input.is_series() => input.of_person(&tmdb, person.id, &ids).await?,
            _ => input.discover(&tmdb, &ids).await?,
        };
        let items = join_all(titles.into_iter().take(MAX_ITEMS).map(|title| input.item(&tmdb, title))).await;
        let (person, other_persons) =
            person.map_or((None, 0), |(person, others)| (Some(Text::name(&person.name)), others));
        Ok(Output { items, total, person, other_persons })
    }

    fn services(&self) -> &'static [&'static str] {
        &["tmdb"]
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {} of {}", output.items.len(), count(output.total, "title"))
    }
}

impl Input {
    fn is_series(&self) -> bool {
        self.kind == settings::Kind::Series
    }

    /// Returns `tv` or `movie`, as TMDB's paths have it.
    fn path(&self) -> &'static str {
        if self.is_series() { "tv" } else { "movie" }
    }

    /// Returns the language as TMDB writes it.
    fn language(&self) -> Option<String> {
        self.language.as_deref().map(str::to_ascii_lowercase)
    }

    fn check(&self) -> Result<(), ActionError> {
        if let (Some(from), Some(to)) = (self.year_from, self.year_to)
            && from > to
        {
            return Err(ActionError::invalid(
                "/year_to",
                "too_small",
                format!("is {to}, before `year_from` {from}"),
            ));
        }
        let is_code = |text: &str| text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if self.language.as_deref().is_some_and(|text| !is_code(text)) {
            let problem = "must be two letters of ISO 639-1, such as `ja`";
            return Err(ActionError::invalid("/language", "language", problem));
        }
        if self.is_series() && self.person.is_some() && self.keyword.is_some() {
            let problem =
                "can't be combined with `person` for series, because TMDB does not filter series by person";
            return Err(
                ActionError::invalid("/keyword", "conflict", problem).hint("leave one of the two out")
            );
        }
        Ok(())
    }

    /// Asks for a page of titles, most popular first.
    async fn discover(&self, tmdb: &Server, ids: &Ids) -> Result<(Vec<Title>, u64), ActionError> {
        let date = if self.is_series() { "first_air_date" } else { "primary_release_date" };
        let mut query = vec![
            ("sort_by".to_owned(), "popularity.desc".to_owned()),
            ("include_adult".to_owned(), "false".to_owned()),
            ("vote_count.gte".to_owned(), MIN_VOTES.to_string()),
        ];
        let mut add = |name: String, value: Option<String>| query.extend(value.map(|value| (name, value)));
        add("with_genres".into(), ids.genre.map(|id| id.to_string()));
        add("with_people".into(), ids.person.map(|id| id.to_string()));
        add("with_keywords".into(), ids.keyword.map(|id| id.to_string()));
        add("with_original_language".into(), self.language());
        add(format!("{date}.gte"), self.year_from.map(|year| format!("{year}-01-01")));
        add(format!("{date}.lte"), self.year_to.map(|year| format!("{year}-12-31")));
        let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (&**name, &**value)).collect();
        let found: Found<Title> = tmdb.get(&format!("/discover/{}", self.path()), &query).await?;
        Ok((found.results, found.total_results))
    }

    /// Returns the series of a person. TMDB ignores persons in a search for series, so that their credits are filtered
    /// here.
    async fn of_person(
        &self,
        tmdb: &Server,
        person: i64,
        ids: &Ids,
    ) -> Result<(Vec<Title>, u64), ActionError> {
        let credits: Credits = tmdb.get(&format!("/person/{person}/tv_credits"), &[]).await?;
        let language = self.language();
        let fits = |title: &Title| {
            let year = title.year();
            title.vote_count >= MIN_VOTES
                && !title.is_appearance()
                && ids.genre.is_none_or(|genre| title.genre_ids.contains(&genre))
                && self.year_from.is_none_or(|from| year.is_some_and(|year| year >= from))
                && self.year_to.is_none_or(|to| year.is_some_and(|year| year <= to))
                && language.as_ref().is_none_or(|language| title.original_language.as_ref() == Some(language))
        };
        let mut titles: Vec<Title> = credits.cast.into_iter().chain(credits.crew).filter(fits).collect();
        titles.sort_by(|a, b| b.popularity.total_cmp(&a.popularity).then(a.id.cmp(&b.id)));
        // A person has several credits in one series.
        titles.dedup_by_key(|title| title.id);
        let total = titles.len() as u64;
        Ok((titles, total))
    }

    /// Makes an item. The id of a series at `TheTVDB` is asked for; without an answer the item has none.
    async fn item(&self, tmdb: &Server, title: Title) -> Item {
        let tvdb_id = if self.is_series() {
            let ids = tmdb.ask::<ExternalIds>(&format!("/tv/{}/external_ids", title.id), &[]).await;
            ids.ok().and_then(|ids| ids.tvdb_id).and_then(arr::known)
        } else {
            None
        };
        let year = title.year();
        Item {
            title: Text::name(title.title.as_deref().or(title.name.as_deref()).unwrap_or_default()),
            year,
            tmdb_id: title.id,
            tvdb_id,
            overview: Text::overview(title.overview.as_deref().unwrap_or_default()),
            rating: (title.vote_average * 10.0).round() / 10.0,
            poster: title.poster_path.map(|path| Text::cut(&format!("{POSTERS}{path}"), 200)),
            language: title.original_language.as_deref().and_then(Text::word),
        }
    }
}

/// Looks up the ids of names, side by side, and the person with the number of others.
async fn ids(input: &Input, tmdb: &Server) -> Result<(Ids, Option<(Named, usize)>), ActionError> {
    let genre = input.genre.as_deref().map(|name| tmdb::genre(tmdb, input.path(), name));
    let person = input.person.as_deref().map(|name| tmdb::person(tmdb, name));
    let keyword = input.keyword.as_deref().map(|name| tmdb::keyword(tmdb, name));
    let (genre, person, keyword) =
        tokio::join!(OptionFuture::from(genre), OptionFuture::from(person), OptionFuture::from(keyword));
    let person = person.transpose()?;
    let id = person.as_ref().map(|(person, _)| person.id);
    Ok((Ids { genre: genre.transpose()?, person: id, keyword: keyword.transpose()? }, person))
}
