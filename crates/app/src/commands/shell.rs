//! `completion` and `man`, which packages install.

use std::{fs, path::Path};

use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use crate::{
    cli::Cli,
    failure::{Failure, Ran},
    output,
};

pub fn completion(shell: Shell) -> Result<Ran, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "toolcrib", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Ran::Done)
}

/// Writes a manual page for each command into a directory, which is made if it is missing.
pub fn man(directory: &Path) -> Result<Ran, Failure> {
    let mut command = command().disable_help_subcommand(true);
    command.build();
    let written = fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(with_short_synopsis(command), directory));
    written.map_err(|error| {
        Failure::could_not(&format!("the manual can't be written into {}", directory.display()), error)
    })?;
    Ok(Ran::Done)
}

/// Gives each command the usage line of its help as its synopsis, which has every setting otherwise.
fn with_short_synopsis(mut command: Command) -> Command {
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").to_owned();
    command.override_usage(usage).mut_subcommands(with_short_synopsis)
}

fn command() -> Command {
    toolcrib_config::with_flags(Cli::command())
}
