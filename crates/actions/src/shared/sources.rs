//! What registering a datasource and asking it share.

use toolcrib_model::Id;

/// The row that a sealed connection string belongs to: elsewhere it can't be opened.
pub fn place(workspace: Id, datasource: Id) -> [u8; 32] {
    let (workspace, datasource) = (workspace.into_bytes(), datasource.into_bytes());
    std::array::from_fn(|at| if at < 16 { workspace[at] } else { datasource[at - 16] })
}
