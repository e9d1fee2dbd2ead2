//! Adds of films and series: what both have in common.

mod choose;
mod record;
mod send;

use std::time::Duration;

use serde_json::Value;
use toolcrib_engine::{
    effect::{Ready, Resolved},
    prelude::*,
};
use toolcrib_model::visible;

pub use record::record;
pub use send::{look_up, send};

use crate::{
    server::Server,
    settings::{Availability, Kind, Monitor, SeriesType, Settings, load},
    text::Text,
    title::{self, Title},
};
use choose::Place;

/// The time of a call for everything before its request.
const BEFORE: Duration = Duration::from_secs(12);
/// The time limit of a call, in seconds: 12 before the request, 60 for it, the rest for looking up what became of it.
pub const TIMEOUT_SECONDS: u8 = 90;

/// What a call wants to add.
pub struct Wish<'i> {
    pub kind: Kind,
    pub foreign_id: i64,
    /// Name of a library of the settings.
    pub library: Option<&'i str>,
    /// Which episodes of a series are monitored.
    pub monitor: Option<Monitor>,
}

/// What an add sends, and what its record says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    kind: Kind,
    address: String,
    foreign_id: i64,
    title: String,
    year: Option<i64>,
    place: Place,
    body: Value,
}

/// Whether a call added something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Status {
    /// The call added it.
    Added,
    /// It was there before, and nothing was changed.
    AlreadyInLibrary,
}

/// What a call added, or found in the library.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Added {
    /// Whether the call added it, or it was there.
    pub status: Status,
    /// Title.
    pub title: Text,
    /// Year; null if unknown.
    pub year: Option<i64>,
    /// ID in the server's library; null if unknown.
    pub library_id: Option<i64>,
    /// Whether a file is there.
    pub has_file: bool,
    /// Whether the server looks for it.
    pub monitored: bool,
    /// Library of the settings into which it went; null if it was there or the settings have none.
    pub library: Option<Text>,
    /// Root folder; null if it was there.
    pub root_folder: Option<Text>,
    /// Quality profile; null if it was there.
    pub quality_profile: Option<Text>,
    /// Why it went there; null if it was there.
    pub reason: Option<Text>,
}

impl Added {
    fn already(title: &Title) -> Self {
        Self {
            status: Status::AlreadyInLibrary,
            title: Text::name(&title.title),
            year: title.year(),
            library_id: Some(title.id),
            has_file: title.has_file(),
            monitored: title.monitored,
            library: None,
            root_folder: None,
            quality_profile: None,
            reason: None,
        }
    }

    fn of(plan: &Plan, title: &Title) -> Self {
        let place = &plan.place;
        Self {
            status: Status::Added,
            library: place.library.as_deref().map(Text::name),
            root_folder: Some(Text::name(&place.folder)),
            quality_profile: Some(Text::name(&place.profile)),
            reason: Some(Text::name(&place.reason)),
            ..Self::already(title)
        }
    }

    /// Returns one sentence about it.
    pub fn describe(&self, kind: Kind) -> String {
        let named = named(self.title.as_str(), self.year);
        match (self.status, &self.library) {
            (Status::AlreadyInLibrary, _) => format!("The {} {named} is in the library already", kind.noun()),
            (Status::Added, Some(library)) => {
                format!("Added the {} {named} to `{}`", kind.noun(), library.visible())
            }
            (Status::Added, None) => format!("Added the {} {named}", kind.noun()),
        }
    }
}

/// Returns a title with its year, as people write it in a sentence.
pub fn named(title: &str, year: Option<i64>) -> String {
    let title = visible(title);
    match year {
        Some(year) => format!("*{title}* ({year})"),
        None => format!("*{title}*"),
    }
}

/// Looks up what a call would add, and where.
pub async fn resolve(cx: &ExternalCx<'_>, wish: Wish<'_>) -> Result<Resolved<Plan, Added>, ActionError> {
    let kind = wish.kind;
    let server = Server::of(cx, kind.server(), BEFORE).await?;
    if let Some(there) = title::in_library(&server, kind, wish.foreign_id).await? {
        return Ok(Resolved::AlreadyTrue(Added::already(&there)));
    }
    let title = title::look_up(&server, kind, wish.foreign_id).await?;
    let settings = load(cx).await?;
    let chosen = choose::library(cx, &settings, &title, &wish).await?;
    let place = choose::place(&server, chosen).await?;
    let series_type = chosen.and_then(|chosen| chosen.library.series_type);
    let body = body(&wish, &settings, &title, &place, series_type);
    let plan = Plan {
        kind,
        address: server.address().to_owned(),
        foreign_id: wish.foreign_id,
        title: title.name(),
        year: title.year(),
        place,
        body,
    };
    let target = Target {
        label: format!("{} {}", kind.noun(), named(&plan.title, plan.year)),
        detail: Some(format!(
            "into {} on {}, with the quality profile {}",
            Text::name(&plan.place.folder).visible(),
            kind.server().title(),
            visible(&plan.place.profile)
        )),
        ..Target::default()
    };
    Ok(Resolved::Ready(Ready { target, key: kind.key(wish.foreign_id), plan }))
}

/// Makes the whole body of the request: what is left out has other defaults in each version.
fn body(
    wish: &Wish<'_>,
    settings: &Settings,
    title: &Title,
    place: &Place,
    series_type: Option<SeriesType>,
) -> Value {
    let search = settings.search_on_add;
    match wish.kind {
        Kind::Movie => json!({
            "tmdbId": wish.foreign_id, "title": title.name(), "qualityProfileId": place.profile_id,
            "rootFolderPath": place.folder, "monitored": true,
            "minimumAvailability": match settings.minimum_availability {
                Availability::Announced => "announced",
                Availability::InCinemas => "inCinemas",
                Availability::Released => "released",
            },
            "addOptions": { "searchForMovie": search, "monitor": "movieOnly" },
        }),
        Kind::Series => json!({
            "tvdbId": wish.foreign_id, "title": title.name(), "qualityProfileId": place.profile_id,
            "rootFolderPath": place.folder, "monitored": true, "seasonFolder": true,
            "seriesType": series_type.unwrap_or(SeriesType::Standard),
            "addOptions": {
                "monitor": match wish.monitor.unwrap_or(settings.monitor) {
                    Monitor::All => "all",
                    Monitor::Future => "future",
                    Monitor::FirstSeason => "firstSeason",
                    Monitor::LatestSeason => "lastSeason",
                    Monitor::Pilot => "pilot",
                    Monitor::None => "none",
                },
                "searchForMissingEpisodes": search, "searchForCutoffUnmetEpisodes": false,
            },
        }),
    }
}
