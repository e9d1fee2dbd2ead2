//! Finds what a removal names: by one of three references, in the library alone.

use toolcrib_engine::ActionError;
use toolcrib_model::{ErrorCode, name_key};

use crate::{
    add::named,
    answer::Failure,
    server::Server,
    settings::Kind,
    title::{self, Title},
};

/// How many titles an error lists.
const MAX_LISTED: usize = 10;

/// What a call names: exactly one of the first three, and a year with a title alone.
#[derive(Clone, Copy)]
pub struct Wanted<'i> {
    pub library_id: Option<i64>,
    pub foreign_id: Option<i64>,
    pub title: Option<&'i str>,
    pub year: Option<i64>,
}

/// Which title of the library is meant.
pub enum Reference<'i> {
    Library(i64),
    Foreign(i64),
    Title(&'i str, Option<i64>),
}

impl<'i> Wanted<'i> {
    /// Returns the one reference. 422 if there are none or several.
    pub fn reference(self, kind: Kind) -> Result<Reference<'i>, ActionError> {
        let Self { library_id, foreign_id, title, year } = self;
        if year.is_some() && title.is_none() {
            return Err(ActionError::invalid("/year", "title", "is for calls with `title` alone"));
        }
        match (library_id, foreign_id, title) {
            (Some(id), None, None) => Ok(Reference::Library(id)),
            (None, Some(id), None) => Ok(Reference::Foreign(id)),
            (None, None, Some(title)) => Ok(Reference::Title(title, year)),
            _ => {
                let names = format!("`library_id`, `{}` and `title`", kind.id_argument());
                Err(ActionError::invalid("", "reference", format!("needs exactly one of {names}")))
            }
        }
    }
}

/// Reads the title of the library as it is now. 404 if it is not there, 409 if several fit.
pub async fn find(server: &Server, kind: Kind, wanted: &Reference<'_>) -> Result<Title, ActionError> {
    let (id, what) = match *wanted {
        Reference::Library(id) => return with_id(server, kind, id).await,
        Reference::Foreign(id) => (id, format!("the {} {id}", kind.id_argument())),
        // What the look-up says of the library may be old.
        Reference::Title(title, year) => {
            (called(server, kind, title, year).await?.foreign_id(kind), "this title".to_owned())
        }
    };
    let found = title::in_library(server, kind, id).await?;
    found.ok_or_else(|| absent(server, kind, &what))
}

async fn with_id(server: &Server, kind: Kind, id: i64) -> Result<Title, ActionError> {
    let found: Result<Title, Failure> = server.ask(&format!("{}/{id}", kind.path()), &[]).await;
    match found {
        Ok(title) if title.id == id && title.foreign_id(kind) > 0 => Ok(title),
        Ok(_) => Err(server.error(Failure::Unreadable)),
        Err(Failure::Unknown) => Err(absent(server, kind, &format!("the library id {id}"))),
        Err(failure) => Err(server.error(failure)),
    }
}

/// Returns the only title of the library with this name. The server's look-up asks the internet, and says which titles
/// are in the library.
async fn called(server: &Server, kind: Kind, name: &str, year: Option<i64>) -> Result<Title, ActionError> {
    let found: Result<Vec<Title>, Failure> =
        server.ask(&format!("{}/lookup", kind.path()), &[("term", name)]).await;
    let found = found.map_err(|failure| {
        let is_ill = matches!(failure, Failure::Metadata(..));
        let error = server.error(failure);
        let ids = format!("give `library_id` or `{}` instead of a title", kind.id_argument());
        if is_ill { error.hint(ids) } else { error }
    })?;
    let fits = |title: &Title| {
        title.id > 0
            && name_key(title.title.trim()) == name_key(name.trim())
            && year.is_none_or(|year| title.year == year)
    };
    let mut fitting: Vec<Title> = found.into_iter().filter(fits).collect();
    match fitting.len() {
        0 => Err(absent(server, kind, "this title")),
        1 => Ok(fitting.remove(0)),
        _ => Err(several(server, kind, &fitting)),
    }
}

fn absent(server: &Server, kind: Kind, what: &str) -> ActionError {
    let detail = format!("{} has no {} with {what} in its library", server.title(), kind.noun());
    ActionError::new(ErrorCode::NotFound, detail)
        .hint(format!("`{}` says what is in the library, with its ids", kind.search()))
}

fn several(server: &Server, kind: Kind, titles: &[Title]) -> ActionError {
    let one = |title: &Title| format!("{} ({})", named(&title.name(), title.year()), title.id);
    let listed: Vec<String> = titles.iter().take(MAX_LISTED).map(one).collect();
    let detail = format!(
        "{} has several of this title, with their library ids: {}",
        server.title(),
        listed.join(", ")
    );
    let hint = format!("give `year`, `library_id` or `{}`", kind.id_argument());
    ActionError::conflict(detail).hint(hint).quoting("answers of services")
}
