//! The settings that a workspace gives the pack.
#![deny(missing_docs)]

use std::collections::HashSet;

use toolcrib_engine::{pack_settings, prelude::*};
use toolcrib_model::{time_zone, visible};
use toolcrib_registry::ArgError;

use crate::{INFO, zone::Zone};

/// Settings of the pack `media`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Libraries, in order: the first whose conditions fit takes what is added. The last one of a kind without conditions is
    /// the default of that kind.
    #[schemars(length(max = 50))]
    pub libraries: Vec<Library>,
    /// Which episodes of an added series are monitored.
    pub monitor: Monitor,
    /// When an added film counts as available.
    pub minimum_availability: Availability,
    /// Whether the server searches at once for what is added.
    pub search_on_add: bool,
    /// Time zone of the household as an IANA name, such as `Europe/Berlin`. Default: `UTC`.
    #[schemars(length(min = 1, max = 64))]
    pub time_zone: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            libraries: Vec::new(),
            monitor: Monitor::default(),
            minimum_availability: Availability::default(),
            search_on_add: true,
            time_zone: None,
        }
    }
}

/// A place for films or series on a server.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Library {
    /// Name of the library, such as `anime`.
    #[schemars(length(min = 1, max = 60))]
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Root folder, exactly as the server lists it.
    #[schemars(length(min = 1, max = 500))]
    pub root_folder: String,
    /// Name of the quality profile, exactly as the server lists it.
    #[schemars(length(min = 1, max = 100))]
    pub quality_profile: String,
    /// Type of the series in it. Default: `standard`.
    pub series_type: Option<SeriesType>,
    /// What belongs into it. Without conditions, everything of its kind does.
    pub when: Option<Conditions>,
}

/// Conditions of a library. What fits all of them belongs into it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Conditions {
    /// Original languages as ISO 639-1 codes, such as `ja`; one of them must fit.
    #[schemars(length(max = 50), inner(length(min = 2, max = 2)))]
    pub languages: Option<Vec<String>>,
    /// Names of genres, such as `Animation`; one of them must fit.
    #[schemars(length(max = 50), inner(length(min = 1, max = 60)))]
    pub genres: Option<Vec<String>>,
}

toolcrib_model::closed_set! {
    "a kind of library",
    /// Kind of a library.
    Kind {
        /// Films, on Radarr.
        Movie = "movie",
        /// Series, on Sonarr.
        Series = "series",
    }
}

/// Type of a series, which decides how its episodes are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum SeriesType {
    /// By season and episode.
    Standard,
    /// By date.
    Daily,
    /// By absolute number.
    Anime,
}

/// Which episodes are monitored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Monitor {
    /// All but specials.
    #[default]
    All,
    /// Those that have not aired yet.
    Future,
    /// The first season.
    FirstSeason,
    /// The latest season.
    LatestSeason,
    /// The first episode.
    Pilot,
    /// None.
    None,
}

/// When a film counts as available.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Availability {
    /// As soon as it is announced.
    Announced,
    /// When it is in cinemas.
    InCinemas,
    /// When it is released on disc or as a stream.
    #[default]
    Released,
}

/// Returns the defects of settings that fit their schema: a time zone that there is not, a type of series for films,
/// and libraries that can't be named because their name has characters that nobody sees, or another one of their kind
/// has it.
pub fn defects(settings: &Settings) -> Vec<ArgError> {
    let zone = settings.time_zone.as_deref().and_then(|name| time_zone(name).err());
    let zone = zone.map(|error| ArgError::new("/time_zone", "time_zone", error.to_string()));
    let (mut seen, mut errors) = (HashSet::new(), Vec::from_iter(zone));
    for (at, library) in settings.libraries.iter().enumerate() {
        let (kind, name) = (library.kind, library.name.to_lowercase());
        let mut wrong = |field: &str, code: &str, text: &str| {
            errors.push(ArgError::new(&format!("/libraries/{at}/{field}"), code, text));
        };
        if visible(&name) != name {
            wrong("name", "name", "must have no control, direction-changing or invisible characters");
        }
        if kind == Kind::Movie && library.series_type.is_some() {
            wrong("series_type", "unexpected", "is for libraries of the kind `series` alone");
        }
        if !seen.insert((kind, name)) {
            let text = "must be another name: a library of the same kind before it has this one";
            wrong("name", "duplicate", text);
        }
    }
    errors
}

/// Returns the settings of the workspace.
pub async fn load(cx: &ExternalCx<'_>) -> Result<Settings, ActionError> {
    cx.read(|tx| Box::pin(pack_settings::<Settings>(tx, &INFO))).await
}

/// Returns the household's time zone.
pub async fn zone(cx: &ExternalCx<'_>) -> Result<Zone, ActionError> {
    let settings = load(cx).await?;
    Zone::named(settings.time_zone.as_deref().unwrap_or("UTC"))
}
