//! Lists films that come out in the next days.

use jiff::{Timestamp, civil::Date, tz::TimeZone};
use toolcrib_engine::prelude::*;

use crate::{
    arr::{self, Movie},
    kind::Kind,
    server::{LOCAL, Server},
    settings,
    text::Text,
    zone::Days,
};

/// How many days one request covers.
const WINDOW_DAYS: i64 = 100;
/// How many films are returned.
const MAX_ITEMS: usize = 200;

pub struct GetUpcomingMovies;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Number of days, from today on. Default: 30.
    #[schemars(range(min = 1, max = 90))]
    pub days: Option<i64>,
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
    /// Day in cinemas; null if it is not in these days.
    #[schemars(extend("format" = "date"))]
    pub in_cinemas: Option<String>,
    /// Day of the release as a stream or a download; null if it is not in these days.
    #[schemars(extend("format" = "date"))]
    pub digital: Option<String>,
    /// Day of the release on disc; null if it is not in these days.
    #[schemars(extend("format" = "date"))]
    pub physical: Option<String>,
    /// Status, such as `announced` or `inCinemas`; null if unknown.
    pub status: Option<Text>,
    /// Whether the library has its file.
    pub has_file: bool,
}

/// Result of `media_get_upcoming_movies`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Up to 200 monitored films of the library, soonest first.
    pub items: Vec<Item>,
    /// Number of films in these days.
    pub total: usize,
    /// Time zone in which today begins: the setting `time_zone`. `UTC` without it.
    #[schemars(extend("x-ours" = true))]
    pub time_zone: String,
}

impl ExternalAction for GetUpcomingMovies {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_get_upcoming_movies")
            .describe("List films of the household's library that come to cinemas, streams or discs soon (Radarr's calendar).")
            .tags(&["movie", "film", "release", "cinema", "calendar", "radarr"])
            .examples(&["Which films come out this month?", "When can we stream the new Dune?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let zone = settings::zone(cx).await?;
        let days = zone.days(cx.now, input.days.unwrap_or(30));
        let radarr = Server::of(cx, Kind::Radarr, LOCAL).await?;
        let mut items = Vec::new();
        for (start, end) in days.windows(WINDOW_DAYS) {
            let query = [("start", &*start), ("end", &*end)];
            let found: Vec<Movie> =
                radarr.get_with_hint("/api/v3/calendar", &query, "ask for fewer days").await?;
            items.extend(found.iter().filter_map(|movie| item(movie, &days)));
        }
        items.sort_by(|(a, first), (b, second)| (a, &first.title).cmp(&(b, &second.title)));
        let total = items.len();
        let items = items.into_iter().take(MAX_ITEMS).map(|(_, item)| item).collect();
        Ok(Output { items, total, time_zone: zone.name })
    }

    fn services(&self) -> &'static [&'static str] {
        &["radarr"]
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {}", count(output.total, "upcoming film"))
    }
}

/// Returns a film and its first release in these days. The server lists it for any of three, and says all.
fn item(movie: &Movie, days: &Days) -> Option<(Date, Item)> {
    let within = |at: Option<Timestamp>| at.map(day).filter(|day| days.contains(*day));
    let releases = [movie.in_cinemas, movie.digital_release, movie.physical_release].map(within);
    let first = releases.into_iter().flatten().min()?;
    let [in_cinemas, digital, physical] = releases.map(|day| day.map(|day| day.to_string()));
    let item = Item {
        title: Text::name(&movie.title),
        year: arr::known(movie.year),
        tmdb_id: arr::known(movie.tmdb_id),
        in_cinemas,
        digital,
        physical,
        status: Text::word(&movie.status),
        has_file: movie.has_file,
    };
    Some((first, item))
}

/// Returns the day of a release. It is a day everywhere, written as its midnight in UTC.
fn day(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}
