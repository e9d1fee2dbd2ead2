//! Where an added title goes: a library of the settings, its folder and its quality profile. Nothing is guessed.

use toolcrib_engine::prelude::*;
use toolcrib_model::visible;

use super::{BEFORE, Wish};
use crate::{
    kind, language,
    server::Server,
    settings::{Kind, Library, Settings},
    text::Text,
    title::Title,
    tmdb,
};

/// How many names an error lists.
const MAX_LISTED: usize = 20;
/// The longest name in such a list, in characters.
const MAX_LISTED_CHARS: usize = 100;
/// The longest path of a root folder, in characters, as in the settings. A plan has it twice, and has at most 16 KiB.
const MAX_PATH_CHARS: usize = 500;
/// The part of a profile's name that decides if there are several and no libraries.
const USUAL_PROFILE: &str = "1080";

/// A library, and why it was chosen.
#[derive(Clone, Copy)]
pub struct Chosen<'s> {
    pub library: &'s Library,
    because: Because<'s>,
}

#[derive(Clone, Copy)]
enum Because<'s> {
    /// The call named it.
    Named,
    Fits {
        language: Option<&'s str>,
        genre: Option<&'s str>,
    },
    /// Nothing else fits.
    Default,
}

/// Where a title goes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Place {
    pub library: Option<String>,
    pub folder: String,
    pub profile_id: i64,
    pub profile: String,
    /// Why it goes there.
    pub reason: String,
}

#[derive(Deserialize)]
struct RootFolder {
    path: String,
    #[serde(default)]
    accessible: bool,
}

#[derive(Deserialize)]
struct Profile {
    id: i64,
    name: String,
}

/// Chooses the library: the one that the call names, else the first whose conditions fit, else the last without
/// conditions. `None` if the settings have none of this kind. 409 if nothing fits.
pub async fn library<'s>(
    cx: &ExternalCx<'_>,
    settings: &'s Settings,
    title: &Title,
    wish: &Wish<'_>,
) -> Result<Option<Chosen<'s>>, ActionError> {
    let all: Vec<&Library> = settings.libraries.iter().filter(|library| library.kind == wish.kind).collect();
    let names = || listed(all.iter().map(|library| &*library.name));
    if let Some(name) = wish.library {
        let named = all.iter().find(|library| library.name.to_lowercase() == name.to_lowercase());
        let library = named.ok_or_else(|| {
            let kind = wish.kind.as_str();
            let text = if all.is_empty() {
                format!("must be left out: the settings have no library of the kind `{kind}`")
            } else {
                format!("must be a library of the kind `{kind}`: {}", names())
            };
            ActionError::invalid("/library", "library", text)
        })?;
        return Ok(Some(Chosen { library, because: Because::Named }));
    }
    if all.is_empty() {
        return Ok(None);
    }
    let asks_language = all.iter().any(|library| conditions(library).0.is_some());
    let language = if asks_language { language_of(cx, title, wish.kind).await } else { None };
    let fitting = all.iter().find_map(|library| fits(library, language.as_deref(), &title.genres));
    let default = || all.iter().rfind(|library| conditions(library) == (None, None));
    let chosen = fitting.or_else(|| default().map(|library| Chosen { library, because: Because::Default }));
    chosen.map(Some).ok_or_else(|| {
        ActionError::conflict(format!("no library fits this {}: {}", wish.kind.noun(), names())).hint(
            "name one as `library`, or let an admin add one without conditions with `PATCH /v1/packs/media`",
        )
    })
}

/// Returns the conditions of a library, without empty ones.
fn conditions(library: &Library) -> (Option<&[String]>, Option<&[String]>) {
    let filled = |list: &'_ Option<Vec<String>>| list.as_ref().is_some_and(|list| !list.is_empty());
    let when = library.when.as_ref();
    let languages = when.filter(|when| filled(&when.languages)).and_then(|when| when.languages.as_deref());
    let genres = when.filter(|when| filled(&when.genres)).and_then(|when| when.genres.as_deref());
    (languages, genres)
}

/// Returns a library with conditions if all of them fit.
fn fits<'s>(library: &'s Library, language: Option<&str>, genres: &[String]) -> Option<Chosen<'s>> {
    let (languages, wanted) = conditions(library);
    let same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
    let spoken = |list: &'s [String]| list.iter().find(|one| language.is_some_and(|own| same(one, own)));
    let found = |list: &'s [String]| list.iter().find(|one| genres.iter().any(|own| same(one, own)));
    let (language, genre) = (languages.map(spoken), wanted.map(found));
    let fits = language.is_none_or(|found| found.is_some()) && genre.is_none_or(|found| found.is_some());
    let (language, genre) = (language.flatten(), genre.flatten());
    let because = Because::Fits { language: language.map(|text| &**text), genre: genre.map(|text| &**text) };
    (fits && (language.is_some() || genre.is_some())).then_some(Chosen { library, because })
}

/// Returns the original language as the server says it, or else TMDB. `None` if nobody knows it.
async fn language_of(cx: &ExternalCx<'_>, title: &Title, kind: Kind) -> Option<String> {
    let said = title.original_language.as_ref().and_then(|language| language::code(&language.name));
    if let Some(code) = said {
        return Some(code.to_owned());
    }
    let path = match kind {
        Kind::Movie => "movie",
        Kind::Series => "tv",
    };
    if title.tmdb_id <= 0 {
        return None;
    }
    let tmdb = Server::of(cx, kind::Kind::Tmdb, BEFORE / 3).await.ok()?;
    let found: tmdb::Title = tmdb.get(&format!("/{path}/{}", title.tmdb_id), &[]).await.ok()?;
    found.original_language
}

/// Reads folders and profiles of the server, and returns those of the library. 409 if one is missing, or if there is no
/// library and more than one to choose from.
pub async fn place(server: &Server, chosen: Option<Chosen<'_>>) -> Result<Place, ActionError> {
    let folders: Vec<RootFolder> = server.get("/api/v3/rootfolder", &[]).await?;
    let profiles: Vec<Profile> = server.get("/api/v3/qualityprofile", &[]).await?;
    let folder = match chosen {
        Some(chosen) => folders.iter().find(|folder| folder.path == chosen.library.root_folder),
        None if folders.len() == 1 => folders.first(),
        None => None,
    };
    let folder = folder.ok_or_else(|| {
        let paths = listed(folders.iter().map(|folder| &*folder.path));
        unplaced(
            server,
            chosen.map(|chosen| ("root folder", &*chosen.library.root_folder)),
            "root folders",
            &paths,
        )
    })?;
    usable(server, folder)?;
    let profile = match chosen {
        Some(chosen) => profiles.iter().find(|profile| profile.name == chosen.library.quality_profile),
        None => usual(&profiles),
    };
    let profile = profile.ok_or_else(|| {
        let names = listed(profiles.iter().map(|profile| &*profile.name));
        unplaced(
            server,
            chosen.map(|chosen| ("quality profile", &*chosen.library.quality_profile)),
            "quality profiles",
            &names,
        )
    })?;
    Ok(Place {
        library: chosen.map(|chosen| chosen.library.name.clone()),
        folder: folder.path.clone(),
        profile_id: profile.id,
        profile: Text::name(&profile.name).into_string(),
        reason: reason(chosen, &profiles),
    })
}

/// Returns 409 if nothing can be added to a root folder.
fn usable(server: &Server, folder: &RootFolder) -> Result<(), ActionError> {
    let (title, path) = (server.title(), Text::name(&folder.path));
    let path = path.visible();
    let error = if folder.path.chars().count() > MAX_PATH_CHARS {
        ActionError::conflict(format!("the path of {title}'s root folder {path} is too long"))
            .hint(format!("an admin adds a root folder whose path has at most {MAX_PATH_CHARS} characters"))
    } else if !folder.accessible {
        ActionError::conflict(format!("{title} can't access its root folder {path}"))
            .hint("an admin checks the disk behind it")
    } else {
        return Ok(());
    };
    Err(error.quoting("answers of services"))
}

/// Returns the only profile, or the only one whose name holds 1080.
fn usual(profiles: &[Profile]) -> Option<&Profile> {
    if let [only] = profiles {
        return Some(only);
    }
    let mut usual = profiles.iter().filter(|profile| profile.name.contains(USUAL_PROFILE));
    usual.next().filter(|_| usual.next().is_none())
}

fn reason(chosen: Option<Chosen<'_>>, profiles: &[Profile]) -> String {
    match chosen.map(|chosen| chosen.because) {
        Some(Because::Named) => "named in the call".to_owned(),
        Some(Because::Default) => "the default library".to_owned(),
        Some(Because::Fits { language, genre }) => {
            let parts = [("language", language), ("genre", genre)];
            let parts: Vec<String> =
                parts.iter().filter_map(|(name, value)| Some(format!("{name} {}", (*value)?))).collect();
            parts.join(" and ")
        }
        None if profiles.len() == 1 => "the only folder and the only quality profile".to_owned(),
        None => format!("the only folder and the only quality profile with {USUAL_PROFILE} in its name"),
    }
}

/// Makes the 409 of a folder or a profile that can't be chosen.
fn unplaced(server: &Server, wanted: Option<(&str, &str)>, what: &str, there: &str) -> ActionError {
    let title = server.title();
    let error = match wanted {
        Some((what, name)) => {
            ActionError::conflict(format!("{title} has no {what} `{}`; there are {there}", visible(name)))
        }
        None => ActionError::conflict(format!("{title} has {what} to choose from: {there}")),
    };
    error
        .hint("an admin sets the library of this kind with `PATCH /v1/packs/media`: folder and profile exactly as listed")
        .quoting("answers of services")
}

fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(MAX_LISTED);
    let name = |name| format!("`{}`", Text::cut(name, MAX_LISTED_CHARS).visible());
    let mut names: Vec<String> = names.take(MAX_LISTED).map(name).collect();
    match (names.is_empty(), more) {
        (true, _) => return "none".to_owned(),
        (false, 0) => {}
        (false, more) => names.push(format!("and {more} more")),
    }
    names.join(", ")
}
