//! The project of a call: the argument, else the setting. Never guessed. A header of the request can bind a call to one
//! project.

use sha2::{Digest as _, Sha256};
use toolcrib_engine::{pack_settings, prelude::*};
use toolcrib_model::name_key;
use toolcrib_store::Tx;

use crate::{
    INFO,
    shared::{Ref, SOURCE, with_nearest},
    tables::projects::{self, Lock, ProjectRow, ProjectStatus},
};

/// What a workspace sets for the pack.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// ID or exact name of the project that calls mean which name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_project: Option<Ref>,
}

/// The header that binds the calls of a request to one project, by ID or exact name.
pub const HEADER: &str = "X-Project-Id";

pub async fn of(cx: &mut ReadCx<'_>, reference: Option<&Ref>) -> Result<ProjectRow, ActionError> {
    if let Some(row) = bound(cx).await? {
        return if reference.is_none_or(|given| means(given, &row)) { Ok(row) } else { Err(outside()) };
    }
    if let Some(reference) = reference {
        return find(cx.tx, reference).await;
    }
    match usual(cx).await? {
        Some(row) => Ok(row),
        None => Err(required(&projects::names(cx.tx).await?)),
    }
}

/// Returns the project that calls mean which name none; `None` where they must name one.
pub async fn usual(cx: &mut ReadCx<'_>) -> Result<Option<ProjectRow>, ActionError> {
    if let Some(row) = bound(cx).await? {
        return Ok(Some(row));
    }
    let settings: Settings = pack_settings(cx.tx, &INFO).await?;
    match settings.default_project {
        Some(reference) => match look_up(cx.tx, &reference).await? {
            None => Err(no_default(&reference)),
            found => Ok(found),
        },
        None => Ok(None),
    }
}

/// Returns the project that the header binds a call to; `None` without the header. 403 if there is no such project.
pub async fn bound(cx: &mut ReadCx<'_>) -> Result<Option<ProjectRow>, ActionError> {
    let Some(value) = cx.caller.pack_contexts.get(INFO.slug) else { return Ok(None) };
    let row = look_up(cx.tx, &Ref(value.to_owned())).await?;
    row.map(Some).ok_or_else(nowhere)
}

/// Refuses a call that the header binds to a project, of an action that is about none.
pub fn refuse_bound(cx: &ReadCx<'_>) -> Result<(), ActionError> {
    if cx.caller.pack_contexts.get(INFO.slug).is_none() {
        return Ok(());
    }
    let hint = "this action is not about that project: it needs a call without the header";
    Err(fenced("binds this call to one project").hint(hint))
}

/// Returns the 403 of a call that would leave its project. It says nothing about other projects, not even whether they
/// exist.
fn outside() -> ActionError {
    fenced("binds this call to one project")
        .hint("leave out `project`, or name the one that the header names")
}

/// Returns the 403 of a call whose header names no project.
fn nowhere() -> ActionError {
    fenced("names no project of this workspace")
        .hint("whoever sends the header has to give the ID of a project; no argument helps")
}

/// Returns a 403 because of the header.
fn fenced(what: &str) -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, format!("`{HEADER}` {what}")).because("project")
}

/// Returns the 404 of a setting that names a project which is gone or was renamed.
fn no_default(reference: &Ref) -> ActionError {
    let text =
        format!("there is no project `{}`, which the pack's setting `default_project` names", reference.0);
    ActionError::new(ErrorCode::NotFound, text)
        .hint("give `project`; an admin corrects the setting with `PATCH /v1/packs/game`")
}

fn means(reference: &Ref, row: &ProjectRow) -> bool {
    match reference.id() {
        Some(id) => id == row.id,
        None => name_key(&reference.0) == name_key(&row.name),
    }
}

async fn find(tx: &mut Tx, reference: &Ref) -> Result<ProjectRow, ActionError> {
    if let Some(row) = look_up(tx, reference).await? {
        return Ok(row);
    }
    let names = projects::names(tx).await?;
    let error = ActionError::not_found("project", &reference.0);
    Err(with_nearest(error, &reference.0, &names, "game_list_projects"))
}

async fn look_up(tx: &mut Tx, reference: &Ref) -> Result<Option<ProjectRow>, ActionError> {
    Ok(match reference.id() {
        Some(id) => projects::get(tx, id).await?,
        None => projects::by_name(tx, &reference.0).await?,
    })
}

fn required(names: &[String]) -> ActionError {
    let error = ActionError::invalid("/project", "required", "is required");
    if names.is_empty() {
        return error.hint("there are no projects yet");
    }
    let some: Vec<String> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
    error.quoting(SOURCE).hint(format!("there are {}; `game_list_projects` lists them all", some.join(", ")))
}

/// Resolves the project of a write that an archived project refuses, and replaces the reference by its ID.
pub async fn to_change(cx: &mut ReadCx<'_>, reference: &mut Option<Ref>) -> Result<ProjectRow, ActionError> {
    let row = of(cx, reference.as_ref()).await?;
    *reference = Some(row.id.into());
    refuse_archived(row)
}

/// Locks the project that [`to_change`] resolved.
pub async fn lock(
    cx: &mut WriteCx<'_>,
    reference: Option<&Ref>,
    lock: Lock,
) -> Result<ProjectRow, ActionError> {
    refuse_archived(lock_any(cx, reference, lock).await?)
}

/// Locks the resolved project, archived or not.
pub async fn lock_any(
    cx: &mut WriteCx<'_>,
    reference: Option<&Ref>,
    lock: Lock,
) -> Result<ProjectRow, ActionError> {
    let id = reference.and_then(Ref::id);
    let id = id.ok_or_else(|| ActionError::internal("the project was not resolved"))?;
    let row = projects::lock(cx.tx, id, lock).await?;
    row.ok_or_else(|| ActionError::not_found("project", &id.to_string()))
}

fn refuse_archived(row: ProjectRow) -> Result<ProjectRow, ActionError> {
    if row.status != ProjectStatus::Archived {
        return Ok(row);
    }
    Err(ActionError::conflict(format!("project `{}` is archived, and read only", row.name))
        .quoting(SOURCE)
        .because("archived")
        .hint("an editor can change its status"))
}

/// Returns the target of a write in a project, such as ``system `Combat` ``. Its detail names the project, and says
/// `about`.
pub fn target(what: &str, name: &str, project: &ProjectRow, about: Option<&str>) -> Target {
    let about = about.map(|about| format!(": {about}")).unwrap_or_default();
    let detail = Some(format!("in project `{}`{about}", project.name));
    let target = Target { label: format!("{what} `{name}`"), detail, ..Target::default() };
    target.naming("project", &project.name)
}

/// Binds a confirmation to what its card says and to the version of the row: when one of them changes, it is void.
pub fn bound_to_card(target: Target, version: i64) -> Target {
    let card = format!("{version} {} {}", target.label, target.detail.as_deref().unwrap_or_default());
    let digest = Sha256::digest(card.as_bytes());
    let start: [u8; 8] = std::array::from_fn(|at| digest[at]);
    Target { version: Some(i64::from_be_bytes(start)), ..target }
}
