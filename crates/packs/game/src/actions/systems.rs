//! Systems of a project.

mod create_game_system;
mod delete_game_system;
mod get_game_system;
mod import_system_from_markdown;
mod list_game_systems;
mod update_game_system;

use toolcrib_engine::prelude::*;
use toolcrib_registry::ArgError;
use toolcrib_store::Tx;

use crate::{
    find, permissions,
    shared::{actor, within},
    system::{MAX_TEXT, Texts},
    tables::systems::{self, ChangeKind, ChangeRow, SystemRow},
};

/// The number of systems of a project.
const MAX_SYSTEMS: i64 = 2_000;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_game_systems::ListGameSystems),
        Action::read(get_game_system::GetGameSystem),
        Action::write(create_game_system::CreateGameSystem),
        Action::write(update_game_system::UpdateGameSystem),
        Action::write(delete_game_system::DeleteGameSystem),
        Action::write(import_system_from_markdown::ImportSystemFromMarkdown),
    ]
}

/// Checks the lengths of texts, which the schema counts in characters.
fn check_texts(texts: &Texts) -> Result<(), ActionError> {
    let long = Texts::FIELDS
        .iter()
        .zip(texts.all())
        .filter(|(_, text)| text.is_some_and(|text| text.len() > MAX_TEXT));
    let errors: Vec<ArgError> = long
        .map(|((field, _), _)| {
            ArgError::new(&format!("/{field}"), "maxLength", "must be at most 32 KiB of UTF-8")
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors)) }
}

/// Checks that the brainstorm of a system is there. While the project is locked for a change, it stays.
async fn check_brainstorm(tx: &mut Tx, project: Id, brainstorm: Option<Id>) -> Result<(), ActionError> {
    match brainstorm {
        Some(brainstorm) => find::brainstorm(tx, project, brainstorm).await.map(drop),
        None => Ok(()),
    }
}

/// Returns the 409 of too many systems.
fn within_systems(wanted: i64) -> Result<(), ActionError> {
    let hint = "delete systems that are no longer needed, with `game_delete_game_system`; those of finalized plans stay";
    within(wanted, MAX_SYSTEMS, "systems of a project", hint)
}

/// Records a change of a system.
pub async fn record(
    cx: &mut WriteCx<'_>,
    project: Id,
    system: &SystemRow,
    kind: ChangeKind,
    summary: Option<String>,
    fields: Vec<String>,
) -> Result<(), ActionError> {
    let row = ChangeRow {
        kind,
        summary,
        fields,
        changed_by: actor(cx.caller),
        changed_at: cx.now,
        id: cx.new_id(),
        system_id: system.id,
        system_name: system.name.clone(),
    };
    Ok(systems::insert_change(cx.tx, project, &row).await?)
}

/// Announces that the systems or dependencies of a project changed.
pub fn announce(cx: &mut WriteCx<'_>, project: Id, systems: &[Id]) {
    let data = json!({ "project_id": project, "system_ids": systems });
    cx.emit("game.graph_changed", permissions::EVENTS, data);
}
