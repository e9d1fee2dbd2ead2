//! The subcommands: the larger ones have a file each.

mod actions;
pub mod audit;
mod backup;
mod doctor;
mod formats;
mod import_openapi;
mod invite;
pub mod key;
mod migrate;
mod report;
mod restore;
mod shell;
pub mod stored_toolset;
mod token;
mod toolset;
mod verify;
mod workspace;

use std::{fs, path::Path, sync::Arc, time::Duration};

use toolcrib_config::Loaded;
use toolcrib_engine::Pack;
use toolcrib_model::Id;
use toolcrib_store::{Db, lookup, workspaces};

use crate::{
    cli::{
        AuditCommand, Command, ConfigCommand, ConsoleCommand, KeyCommand, MemberCommand, TokenCommand,
        WorkspaceCommand,
    },
    context::{self, AppContext},
    failure::{Failure, Ran},
    output, serve, telemetry,
};

/// How long a finished command waits for running blocking tasks.
const END: Duration = Duration::from_secs(1);

pub fn run(command: Command, loaded: Loaded, packs: Arc<[Pack]>) -> Result<Ran, Failure> {
    match command {
        Command::Config(command) => config(command, &loaded),
        Command::Actions(command) => actions::run(&command, &packs, &loaded.settings),
        Command::Openapi => {
            output::json(&toolcrib_http::openapi(context::catalog(&packs, &loaded.settings)?.as_ref()))?;
            Ok(Ran::Done)
        }
        Command::Tools(args) => actions::tools(args, &packs, &loaded.settings),
        Command::Completion { shell } => shell::completion(shell),
        Command::Man { directory } => shell::man(&directory),
        Command::Toolset(command) if !command.needs_workspace() => {
            toolset::run(&command, &loaded.settings.caller_types, &packs)
        }
        other => {
            let context = AppContext::new(loaded.settings, packs);
            let watched = matches!(other, Command::Serve(_)).then_some(&context.journal);
            telemetry::start_log(&context.settings, watched)?;
            let runtime = tokio::runtime::Runtime::new()?;
            let ran = runtime.block_on(with_runtime(other, context.clone()));
            // No task that still runs has a caller that waits for it. Queued writes of SQLite are not
            // affected: a separate thread writes them.
            runtime.shutdown_timeout(END);
            ran
        }
    }
}

/// Runs `config show` or `config schema`.
fn config(command: ConfigCommand, loaded: &Loaded) -> Result<Ran, Failure> {
    match command {
        ConfigCommand::Show => output::print(&toolcrib_config::show(loaded))?,
        ConfigCommand::Schema => output::json(&toolcrib_config::schema())?,
    }
    Ok(Ran::Done)
}

/// The failure of a command that works over the API alone and has no service.
fn over_api_alone() -> Failure {
    Failure::Usage("this command works over the API: name the service with `--url` or `TOOLCRIB_URL`".into())
}

fn read_text(file: &Path) -> Result<String, Failure> {
    fs::read_to_string(file)
        .map_err(|error| Failure::could_not(&format!("`{}` can't be read", file.display()), error))
}

async fn with_runtime(command: Command, context: AppContext) -> Result<Ran, Failure> {
    match command {
        Command::Serve(args) => serve::run(args, context).await,
        Command::Migrate => migrate::run(&context).await,
        Command::Backup(args) => backup::run(&context, &args).await,
        Command::Restore(args) => restore::run(&context, args).await,
        Command::Doctor => doctor::run(&context).await,
        Command::Workspace(WorkspaceCommand::List { json }) => workspace::list(&context, json).await,
        Command::Workspace(WorkspaceCommand::Create { name, external_id, owner }) => {
            workspace::create(&context, name, external_id, owner).await
        }
        Command::Member(MemberCommand::Add { workspace, user, role, name }) => {
            workspace::add_user(&context, &workspace, user, &role, name).await
        }
        Command::Invite(args) => invite::run(&context, args).await,
        Command::Key(KeyCommand::Create(args)) => key::create(&context, args).await,
        Command::Token(TokenCommand::Mint { user, workspace, system_admin, ttl }) => {
            token::mint(&context, user, workspace, system_admin, ttl)
        }
        Command::Console(ConsoleCommand::Link { user }) => token::link(&context, &user),
        Command::Audit(AuditCommand::Tail { workspace, rows }) => {
            audit::tail(&context, workspace.in_database()?, rows).await
        }
        Command::Audit(AuditCommand::Export { workspace, from, to, after_seq }) => {
            let part = audit::Part { from: from.as_deref(), to: to.as_deref(), after_seq };
            audit::export(&context, workspace.in_database()?, part).await
        }
        Command::Audit(AuditCommand::Verify { workspace, against, head, after_seq, strict }) => {
            let known = verify::Known { against: against.as_deref(), head, after_seq };
            verify::run(&context, workspace.as_deref(), known, strict).await
        }
        Command::Audit(AuditCommand::Key) => audit::key(&context),
        Command::Toolset(command) => stored_toolset::run(&context, command).await,
        // `run` has handled these commands, because they need neither a runtime nor a log.
        Command::Config(_)
        | Command::Actions(_)
        | Command::Openapi
        | Command::Tools(_)
        | Command::Completion { .. }
        | Command::Man { .. } => Ok(Ran::Done),
        Command::Key(KeyCommand::List { .. } | KeyCommand::Revoke { .. })
        | Command::Packs(_)
        | Command::Approvals(_) => Err(over_api_alone()),
    }
}

/// Returns the ID of a workspace for reading its audit log. A deleted workspace keeps its log, and the log of
/// the nil ID has the rows that belong to no workspace.
async fn log_id(db: &Db, text: &str) -> Result<Id, Failure> {
    let Ok(id) = Id::try_parse(text) else { return workspace_id(db, text).await };
    let mut tx = db.read(id).await?;
    let found = workspaces::is_deleted(&mut tx).await?;
    tx.end().await?;
    if found.is_none() && !id.is_nil() {
        return Err(Failure::Usage(format!("there is no workspace `{text}`, and there never was one")));
    }
    Ok(id)
}

/// Returns the ID of an existing workspace from its ID or external ID.
async fn workspace_id(db: &Db, text: &str) -> Result<Id, Failure> {
    let unknown = || Failure::Usage(format!("there is no workspace `{text}`"));
    let id = match Id::try_parse(text) {
        Ok(id) => id,
        Err(_) => lookup::workspace_by_external(db, text).await?.ok_or_else(unknown)?,
    };
    let mut tx = db.read(id).await?;
    let found = workspaces::get(&mut tx).await?;
    tx.end().await?;
    found.map(|row| row.id).ok_or_else(unknown)
}
