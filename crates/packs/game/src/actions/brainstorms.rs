//! Brainstorms: texts that systems are made from. They never change.

mod create_brainstorm;
mod delete_brainstorm;
mod get_brainstorm;
mod list_brainstorms;

use toolcrib_engine::prelude::*;
use toolcrib_store::WriteTx;

use crate::{
    shared::within,
    tables::{
        brainstorms::{self, Brainstorm},
        projects,
    },
};

/// The number of brainstorms of a project.
const MAX_BRAINSTORMS: i64 = 1_000;
/// The number of bytes of all brainstorms of a project.
const MAX_BYTES: i64 = 64 * 1024 * 1024;
/// The number of bytes of one.
pub const MAX_CONTENT: usize = 256 * 1024;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_brainstorms::ListBrainstorms),
        Action::read(get_brainstorm::GetBrainstorm),
        Action::write(create_brainstorm::CreateBrainstorm),
        Action::write(delete_brainstorm::DeleteBrainstorm),
    ]
}

/// Stores a brainstorm of a project that has room for it.
pub async fn store(tx: &mut WriteTx, project: Id, brainstorm: &Brainstorm) -> Result<(), ActionError> {
    let counts = projects::counts(tx, project).await?;
    let hint = "delete brainstorms that are no longer needed, with `game_delete_brainstorm`";
    within(counts.brainstorms + 1, MAX_BRAINSTORMS, "brainstorms of a project", hint)?;
    let bytes = counts.brainstorm_bytes + brainstorm.row.bytes;
    within(bytes, MAX_BYTES, "bytes of brainstorms of a project", hint)?;
    Ok(brainstorms::insert(tx, project, brainstorm).await?)
}
