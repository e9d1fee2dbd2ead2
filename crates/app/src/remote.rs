//! Commands over the API of a service, for people without access to its database. They print what the commands
//! in `commands` print.

mod answer;
mod api;
mod approvals;
mod audit;
mod keys;
mod packs;
mod service_url;
mod token;
mod toolsets;

use toolcrib_model::Ts;

use crate::{
    cli::{AuditCommand, Command, KeyCommand, PacksCommand, PlaceArgs, ToolsetCommand},
    failure::{Failure, Ran},
};

/// Runs a command whose place has a service.
pub async fn run(service: &PlaceArgs, command: Command, now: Ts) -> Result<Ran, Failure> {
    let api = api::Api::new(service)?;
    match command {
        Command::Toolset(ToolsetCommand::Apply { file, json, .. }) => {
            toolsets::apply(&api, &file, json).await
        }
        Command::Toolset(ToolsetCommand::List { json, .. }) => toolsets::list(&api, json).await,
        Command::Toolset(ToolsetCommand::Export { slug, json, .. }) => {
            toolsets::export(&api, &slug, json).await
        }
        Command::Audit(AuditCommand::Tail { rows, .. }) => audit::tail(&api, rows.into()).await,
        Command::Audit(AuditCommand::Export { from, to, after_seq, .. }) => {
            audit::export(&api, (from, to), after_seq).await
        }
        Command::Key(KeyCommand::Create(args)) => keys::create(&api, &args, now).await,
        Command::Key(KeyCommand::List { json, .. }) => keys::list(&api, json).await,
        Command::Key(KeyCommand::Revoke { id, .. }) => keys::revoke(&api, &id).await,
        Command::Packs(PacksCommand::List { json, .. }) => packs::list(&api, json).await,
        Command::Packs(PacksCommand::On { slug, .. }) => packs::switch(&api, &slug, true).await,
        Command::Packs(PacksCommand::Off { slug, .. }) => packs::switch(&api, &slug, false).await,
        Command::Approvals(command) => approvals::run(&api, command).await,
        // No other command has a place.
        _ => Ok(Ran::Done),
    }
}
