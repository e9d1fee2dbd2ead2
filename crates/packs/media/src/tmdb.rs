//! What TMDB answers, and how names become its ids.

use jiff::civil::Date;
use toolcrib_engine::prelude::*;
use toolcrib_registry::{edit_distance, nearest};

use crate::{server::Server, text::Text};

/// How many names an error suggests.
const MAX_SUGGESTIONS: usize = 5;
/// The longest list of names in an error, in characters: its 19 genres fit.
const MAX_NEAR_CHARS: usize = 400;

/// A page of films, series, persons or keywords.
#[derive(Debug, Deserialize)]
pub struct Found<T> {
    pub results: Vec<T>,
    #[serde(default)]
    pub total_results: u64,
}

/// A film or a series, also in the credits of a person.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Title {
    pub id: i64,
    /// Title of a film.
    pub title: Option<String>,
    /// Title of a series.
    pub name: Option<String>,
    pub release_date: Option<String>,
    pub first_air_date: Option<String>,
    pub original_language: Option<String>,
    pub genre_ids: Vec<i64>,
    pub overview: Option<String>,
    pub vote_average: f64,
    pub vote_count: u64,
    pub popularity: f64,
    pub poster_path: Option<String>,
    /// The person's part in it, in credits.
    pub character: Option<String>,
}

impl Title {
    /// Returns the year. TMDB writes an unknown date as an empty text.
    pub fn year(&self) -> Option<i64> {
        let date = self.release_date.as_deref().or(self.first_air_date.as_deref())?;
        date.parse::<Date>().ok().map(|date| i64::from(date.year()))
    }

    /// Returns whether the person appears as themselves, as in talk shows.
    pub fn is_appearance(&self) -> bool {
        let part = self.character.as_deref().unwrap_or_default();
        ["Self", "Himself", "Herself", "Themselves"].iter().any(|word| part.starts_with(word))
    }
}

/// The series of a person.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Credits {
    pub cast: Vec<Title>,
    pub crew: Vec<Title>,
}

#[derive(Debug, Deserialize)]
pub struct ExternalIds {
    pub tvdb_id: Option<i64>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Named {
    pub id: i64,
    pub name: String,
    /// Popularity of a person.
    #[serde(default)]
    pub popularity: f64,
}

#[derive(Debug, Deserialize)]
struct Genres {
    genres: Vec<Named>,
}

/// Returns the id of a genre. `path` is `movie` or `tv`, which have different genres.
pub async fn genre(tmdb: &Server, path: &str, name: &str) -> Result<i64, ActionError> {
    let Genres { genres } = tmdb.get(&format!("/genre/{path}/list"), &[]).await?;
    if let Some(genre) = same(&genres, name) {
        return Ok(genre.id);
    }
    let names: Vec<&str> = genres.iter().map(|genre| &*genre.name).collect();
    let near = nearest(name, &names).map_or_else(|| names.join(", "), str::to_owned);
    Err(unknown("genre", name, &near))
}

pub async fn keyword(tmdb: &Server, name: &str) -> Result<i64, ActionError> {
    let found: Found<Named> = tmdb.get("/search/keyword", &[("query", name)]).await?;
    if let Some(keyword) = same(&found.results, name) {
        return Ok(keyword.id);
    }
    let mut names: Vec<&str> = found.results.iter().map(|keyword| &*keyword.name).collect();
    names.sort_by_key(|near| edit_distance(near, name));
    names.truncate(MAX_SUGGESTIONS);
    Err(unknown("keyword", name, &names.join(", ")))
}

/// Returns the best known person of a name, and how many other persons were found.
pub async fn person(tmdb: &Server, name: &str) -> Result<(Named, usize), ActionError> {
    let query = [("query", name), ("include_adult", "false")];
    let found: Found<Named> = tmdb.get("/search/person", &query).await?;
    let is_same = |person: &&Named| person.name.to_lowercase() == name.to_lowercase();
    let known = |persons: &mut dyn Iterator<Item = &Named>| {
        persons.max_by(|a, b| a.popularity.total_cmp(&b.popularity)).cloned()
    };
    let persons = &found.results;
    let person = known(&mut persons.iter().filter(is_same)).or_else(|| known(&mut persons.iter()));
    let person = person.ok_or_else(|| unknown("person", name, ""))?;
    Ok((person, found.results.len() - 1))
}

fn same<'n>(known: &'n [Named], name: &str) -> Option<&'n Named> {
    known.iter().find(|one| one.name.to_lowercase() == name.to_lowercase())
}

/// Makes the error for a name that TMDB does not know. `near` are names that it knows.
fn unknown(parameter: &str, name: &str, near: &str) -> ActionError {
    let error = ActionError::invalid(
        &format!("/{parameter}"),
        "unknown",
        format!("is `{name}`, which TMDB does not know"),
    );
    let error = error.quoting("answers of services");
    if near.is_empty() {
        return error.hint(format!("leave `{parameter}` out, or spell it in full and in English"));
    }
    error.hint(format!("TMDB knows: {}", Text::cut(near, MAX_NEAR_CHARS).visible()))
}
