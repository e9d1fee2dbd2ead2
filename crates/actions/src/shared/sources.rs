//! Code that registering and querying datasources share.

use toolcrib_model::Id;

/// Returns the associated data of an encrypted connection URL: it can only be decrypted for the same row.
pub fn associated_data(workspace: Id, datasource: Id) -> [u8; 32] {
    let (workspace, datasource) = (workspace.into_bytes(), datasource.into_bytes());
    std::array::from_fn(|at| if at < 16 { workspace[at] } else { datasource[at - 16] })
}
