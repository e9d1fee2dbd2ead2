//! Operations for programs: administration and records. They are called over REST and the command line and
//! are never offered to models.

pub(crate) mod access;
mod audit;
mod client_tokens;
pub(crate) mod command_line;
mod connections;
mod datasources;
mod grants;
mod guard;
mod invitations;
mod keys;
mod marketplace;
mod me;
mod members;
mod missions;
mod notifications;
mod packs;
mod promotions;
mod records;
mod server_tools;
mod settings;
pub(crate) mod toolsets;
mod upstreams;
mod webhooks;
mod workspaces;

use std::sync::Arc;

use toolcrib_assistant::Providers;
use toolcrib_engine::Action;

/// Returns every operation, in order.
pub fn operations(models: &Arc<Providers>) -> Vec<Action> {
    let mut operations = me::operations();
    operations.extend(workspaces::operations());
    operations.extend(members::operations());
    operations.extend(invitations::operations());
    operations.extend(keys::operations());
    operations.extend(client_tokens::operations());
    operations.extend(settings::operations(models));
    operations.extend(connections::operations());
    operations.extend(datasources::operations());
    operations.extend(notifications::operations());
    operations.extend(webhooks::operations());
    operations.extend(grants::operations());
    operations.extend(promotions::operations());
    operations.extend(toolsets::operations());
    operations.extend(upstreams::operations());
    operations.extend(packs::operations());
    operations.extend(marketplace::operations());
    operations.extend(missions::operations());
    operations.extend(audit::operations());
    operations.extend(access::operations());
    operations.extend(records::operations());
    operations
}
