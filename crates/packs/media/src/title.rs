//! Films of Radarr and series of Sonarr, as adds and removes see them.

use jiff::Timestamp;
use toolcrib_engine::prelude::*;

use crate::{arr, kind, server::Server, settings::Kind, text::Text};

/// A film or a series. `id` is 0 if it is not in the library.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Title {
    pub id: i64,
    pub title: String,
    pub year: i64,
    pub tmdb_id: i64,
    pub tvdb_id: i64,
    pub monitored: bool,
    pub added: Option<Timestamp>,
    pub root_folder_path: Option<String>,
    pub path: String,
    pub quality_profile_id: i64,
    pub genres: Vec<String>,
    pub original_language: Option<Language>,
    has_file: bool,
    size_on_disk: i64,
    statistics: Statistics,
}

#[derive(Debug, Deserialize)]
pub struct Language {
    pub name: String,
}

/// What a server says about files. Of a film, Radarr says the size beside it too.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Statistics {
    episode_file_count: i64,
    size_on_disk: i64,
}

impl Title {
    /// Returns the id at TMDB of a film, and at `TheTVDB` of a series.
    pub const fn foreign_id(&self, kind: Kind) -> i64 {
        match kind {
            Kind::Movie => self.tmdb_id,
            Kind::Series => self.tvdb_id,
        }
    }

    pub const fn has_file(&self) -> bool {
        self.has_file || self.statistics.episode_file_count > 0
    }

    /// Returns the size of its files in bytes.
    pub fn size(&self) -> i64 {
        self.size_on_disk.max(self.statistics.size_on_disk)
    }

    pub fn year(&self) -> Option<i64> {
        arr::known(self.year)
    }

    /// Returns the title as it is shown and stored.
    pub fn name(&self) -> String {
        Text::name(&self.title).into_string()
    }

    /// Returns whether it lies in a root folder. Servers differ in the slash at the end.
    pub fn is_in(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches(['/', '\\']);
        match &self.root_folder_path {
            Some(own) => own.trim_end_matches(['/', '\\']) == folder,
            None => self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(['/', '\\'])),
        }
    }
}

impl Kind {
    pub const fn server(self) -> kind::Kind {
        match self {
            Self::Movie => kind::Kind::Radarr,
            Self::Series => kind::Kind::Sonarr,
        }
    }

    /// Returns the word for people.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Movie => "film",
            Self::Series => "series",
        }
    }

    pub const fn path(self) -> &'static str {
        match self {
            Self::Movie => "/api/v3/movie",
            Self::Series => "/api/v3/series",
        }
    }

    /// Returns the server's name of the foreign id.
    pub const fn id_name(self) -> &'static str {
        match self {
            Self::Movie => "tmdbId",
            Self::Series => "tvdbId",
        }
    }

    pub const fn search(self) -> &'static str {
        match self {
            Self::Movie => "media_search_movies",
            Self::Series => "media_search_series",
        }
    }

    pub const fn id_argument(self) -> &'static str {
        match self {
            Self::Movie => "tmdb_id",
            Self::Series => "tvdb_id",
        }
    }

    /// Returns the key of a title: one effect of a key is open at a time.
    pub fn key(self, foreign_id: i64) -> String {
        format!("{}/{foreign_id}", self.server().name())
    }
}

pub async fn in_library(server: &Server, kind: Kind, foreign_id: i64) -> Result<Option<Title>, ActionError> {
    let id = foreign_id.to_string();
    let found: Vec<Title> = server.get(kind.path(), &[(kind.id_name(), &id)]).await?;
    Ok(found.into_iter().find(|title| title.id > 0 && title.foreign_id(kind) == foreign_id))
}

/// Returns what the server finds under a foreign id. 404 if it finds nothing; an error if it finds something else
/// alone.
pub async fn look_up(server: &Server, kind: Kind, foreign_id: i64) -> Result<Title, ActionError> {
    let prefix = kind.id_name().trim_end_matches("Id");
    let term = format!("{prefix}:{foreign_id}");
    let found: Vec<Title> = server.get(&format!("{}/lookup", kind.path()), &[("term", &term)]).await?;
    let is_empty = found.is_empty();
    if let Some(title) = found.into_iter().find(|title| title.foreign_id(kind) == foreign_id) {
        return Ok(title);
    }
    let (noun, name) = (kind.noun(), kind.server().title());
    let search = kind.search();
    if is_empty {
        let detail = format!("{name} finds no {noun} with the {prefix} id {foreign_id}");
        return Err(ActionError::new(ErrorCode::NotFound, detail).hint(format!("`{search}` returns ids")));
    }
    let detail = format!("{name} answered another {noun} than the one with the {prefix} id {foreign_id}");
    Err(ActionError::new(ErrorCode::UpstreamError, detail)
        .hint(format!("nothing was sent; check the id with `{search}`")))
}
