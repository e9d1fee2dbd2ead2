//! The program `toolcrib`: reads the settings, creates the services, serves, and has the commands for
//! administration. It is the only crate that depends on all others. [`run`] is its `main`, for builds with packs of
//! one's own.
//!
//! To add a subcommand: a variant in `cli.rs`, a function or a file in `commands/`, a line in `commands.rs`; then
//! `UPDATE_GOLDEN=1 cargo test -p toolcrib golden`.

mod administration;
mod cli;
mod commands;
mod context;
mod demo;
mod failure;
mod instance;
mod output;
mod private;
mod remote;
mod serve;
mod services;
mod telemetry;
mod toolset_files;

use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, error::ErrorKind};
use toolcrib_engine::Pack;

use crate::{cli::Cli, failure::Failure};

/// Many threads, SQLite's among them, make many small allocations, and contend in the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the program with these packs beside the platform's actions.
pub fn run(packs: impl IntoIterator<Item = Pack>) -> ExitCode {
    let packs: Vec<Pack> = packs.into_iter().collect();
    let matches = matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(error) => error.exit(),
    };
    let names = std::env::vars_os().map(|(name, _)| name);
    let ran =
        toolcrib_config::load(&matches, names).map_err(|error| Failure::Usage(error.to_string())).and_then(
            |loaded| match cli.command.workspace().filter(|workspace| workspace.url.is_some()).cloned() {
                Some(service) => remote::run(&service, cli.command, &loaded),
                None => commands::run(cli.command, loaded, packs.into()),
            },
        );
    match ran {
        Ok(answer) => answer.into(),
        Err(failure) => {
            eprintln!("toolcrib: {failure}");
            failure.code()
        }
    }
}

/// Parses the arguments. Prints the help or the error of others, and exits.
fn matches() -> ArgMatches {
    let command = toolcrib_config::with_flags(Cli::command());
    command.clone().try_get_matches().unwrap_or_else(|error| {
        let command = match error.kind() {
            // The settings are longer than the commands and the examples.
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
                command.mut_args(|setting| setting.env(None).hide(true))
            }
            // The usage line of an error has every setting that is given, by a variable too.
            _ if error.use_stderr() => command.mut_args(|setting| setting.env(None)),
            _ => error.exit(),
        };
        command.try_get_matches().err().unwrap_or(error).exit()
    })
}
