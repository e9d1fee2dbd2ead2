//! Commands over the API of a service, for people without access to its database. They print what the commands
//! in `commands` print.

mod answer;
mod api;
mod approvals;
mod audit;
mod keys;
mod packs;
mod service_url;
mod toolsets;

use toolcrib_config::{Loaded, SettingSource};
use toolcrib_model::{Clock as _, SystemClock};

use crate::{
    cli::{AuditCommand, Command, KeyCommand, PacksCommand, ToolsetCommand, WorkspaceArgs},
    failure::{Failure, Ran},
    telemetry,
};

/// Runs a command whose workspace is one of a service.
pub fn run(service: &WorkspaceArgs, command: Command, loaded: &Loaded) -> Result<Ran, Failure> {
    refuse_database(loaded)?;
    telemetry::start_log(&loaded.settings, None)?;
    let api = api::Api::new(service)?;
    tokio::runtime::Runtime::new()?.block_on(ask(api, command))
}

/// Refuses flags of the database beside a service. Variables and the settings file may name both.
fn refuse_database(loaded: &Loaded) -> Result<(), Failure> {
    const OF_DATABASE: [&str; 3] = ["data_dir", "database", "owner_database"];
    let mut flags = loaded.values.iter().filter(|value| value.source == SettingSource::Flag);
    match flags.find(|given| OF_DATABASE.contains(&&*given.setting.key)) {
        None => Ok(()),
        Some(given) => Err(Failure::Usage(format!(
            "`{}` names a database, and `--url` or `TOOLCRIB_URL` a service: leave one out",
            given.setting.flag()
        ))),
    }
}

async fn ask(api: api::Api, command: Command) -> Result<Ran, Failure> {
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
            audit::export(&api, from.as_deref(), to.as_deref(), after_seq).await
        }
        Command::Key(KeyCommand::Create(args)) => keys::create(&api, &args, SystemClock.now()).await,
        Command::Key(KeyCommand::List { json, .. }) => keys::list(&api, json).await,
        Command::Key(KeyCommand::Revoke { id, .. }) => keys::revoke(&api, &id).await,
        Command::Packs(packs) => match packs.command {
            PacksCommand::List { json } => packs::list(&api, json).await,
            PacksCommand::On { slug } => packs::switch(&api, &slug, true).await,
            PacksCommand::Off { slug } => packs::switch(&api, &slug, false).await,
        },
        Command::Approvals(approvals) => approvals::run(&api, approvals.command).await,
        // No other command has a workspace of a service.
        _ => Err(Failure::CouldNotRun("the command does not work over the API: leave out `--url`".into())),
    }
}
