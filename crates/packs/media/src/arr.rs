//! What Radarr and Sonarr answer. They leave out members without a value.

use jiff::Timestamp;
use serde::Deserialize;

/// A film of Radarr. `id` is 0 if it is not in the library.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Movie {
    pub id: i64,
    pub title: String,
    pub year: i64,
    pub tmdb_id: i64,
    pub overview: String,
    pub status: String,
    pub studio: String,
    pub has_file: bool,
    pub in_cinemas: Option<Timestamp>,
    pub digital_release: Option<Timestamp>,
    pub physical_release: Option<Timestamp>,
}

/// A series of Sonarr. `id` is 0 if it is not in the library.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Series {
    pub id: i64,
    pub title: String,
    pub year: i64,
    pub tvdb_id: i64,
    pub overview: String,
    pub status: String,
    pub network: String,
    pub seasons: Vec<Season>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Season {
    pub season_number: i64,
}

impl Series {
    /// Returns the number of seasons without the specials.
    pub fn season_count(&self) -> usize {
        self.seasons.iter().filter(|season| season.season_number > 0).count()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Episode {
    pub id: i64,
    pub season_number: i64,
    pub episode_number: i64,
    pub title: String,
    pub air_date_utc: Option<Timestamp>,
    pub has_file: bool,
    pub series: Option<Series>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueuePage {
    pub total_records: usize,
    pub records: Vec<QueueRecord>,
}

/// A download of a film, or of one episode. The episodes of a season pack share `download_id`, and each has the size of
/// all.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QueueRecord {
    /// Name of the release.
    pub title: String,
    pub size: f64,
    #[serde(alias = "sizeLeft")]
    pub sizeleft: f64,
    #[serde(alias = "timeLeft")]
    pub timeleft: Option<String>,
    pub status: String,
    pub tracked_download_status: String,
    pub tracked_download_state: String,
    pub status_messages: Vec<StatusMessage>,
    pub error_message: String,
    pub download_id: String,
    pub season_number: Option<i64>,
    pub movie: Option<Movie>,
    pub series: Option<Series>,
    pub episode: Option<Episode>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct StatusMessage {
    pub messages: Vec<String>,
}

/// Returns a year or an id, where 0 stands for none.
pub fn known(number: i64) -> Option<i64> {
    Some(number).filter(|number| *number > 0)
}
