//! Lists episodes that air in the next days.

use std::collections::BTreeMap;

use jiff::Timestamp;
use toolcrib_engine::prelude::*;

use crate::{
    arr::Episode,
    kind::Kind,
    server::{LOCAL, Server},
    settings,
    text::Text,
};

/// How many days one request covers. With its series, an episode has some 10 kB.
const WINDOW_DAYS: i64 = 7;
/// How many episodes are returned.
const MAX_ITEMS: usize = 200;

pub struct GetUpcomingEpisodes;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Number of days, from today on. Default: 7.
    #[schemars(range(min = 1, max = 30))]
    pub days: Option<i64>,
}

/// An episode.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Title of the series.
    pub series: Text,
    /// Number of the season; 0 are specials.
    pub season: i64,
    /// Number of the episode in the season.
    pub episode: i64,
    /// Title of the episode; null if unknown.
    pub title: Option<Text>,
    /// Time at which it airs, in the household's time zone.
    #[schemars(extend("format" = "date-time"))]
    pub airs_at: String,
    /// Whether the library has its file.
    pub has_file: bool,
}

/// Result of `media_get_upcoming_episodes`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Up to 200 episodes of monitored series, soonest first.
    pub items: Vec<Item>,
    /// Number of episodes in these days.
    pub total: usize,
    /// Time zone of the times: the setting `time_zone`. `UTC` without it.
    #[schemars(extend("x-ours" = true))]
    pub time_zone: String,
}

impl ExternalAction for GetUpcomingEpisodes {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_get_upcoming_episodes")
            .describe("List episodes of the household's series that air today and in the next days (Sonarr's calendar).")
            .tags(&["series", "episode", "calendar", "airs", "sonarr", "tonight"])
            .examples(&["What airs tonight?", "When is the next episode of Severance?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let zone = settings::zone(cx).await?;
        let days = zone.days(cx.now, input.days.unwrap_or(7));
        let sonarr = Server::of(cx, Kind::Sonarr, LOCAL).await?;
        let mut found = BTreeMap::new();
        // The windows overlap, so that an episode can come twice.
        for (start, end) in days.windows(WINDOW_DAYS) {
            let query = [("start", &*start), ("end", &*end), ("includeSeries", "true")];
            let window: Vec<Episode> =
                sonarr.get_with_hint("/api/v3/calendar", &query, "ask for fewer days").await?;
            let airing = window.into_iter().filter_map(|episode| Some((episode.air_date_utc?, episode)));
            let within = airing.filter(|(at, _)| days.contains(zone.day(*at)));
            found.extend(within.map(|(at, episode)| ((at, episode.id), episode)));
        }
        let total = found.len();
        let item = |((at, _), episode): ((Timestamp, i64), Episode)| Item {
            series: Text::name(&episode.series.unwrap_or_default().title),
            season: episode.season_number,
            episode: episode.episode_number,
            title: Text::word(&episode.title),
            airs_at: zone.time(at),
            has_file: episode.has_file,
        };
        let items = found.into_iter().take(MAX_ITEMS).map(item).collect();
        Ok(Output { items, total, time_zone: zone.name })
    }

    fn services(&self) -> &'static [&'static str] {
        &["sonarr"]
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {}", count(output.total, "upcoming episode"))
    }
}
