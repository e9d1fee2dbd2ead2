//! `completion` and `man`, which packages install.

use std::path::Path;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{
    cli::Cli,
    failure::{Failure, Ran},
    output,
};

/// Prints the completion of a shell.
pub fn completion(shell: Shell) -> Result<Ran, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "toolcrib", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Ran::Done)
}

/// Writes a manual page for each command into a directory.
pub fn man(directory: &Path) -> Result<Ran, Failure> {
    clap_mangen::generate_to(command(), directory).map_err(|error| {
        Failure::could_not(&format!("the manual can't be written into {}", directory.display()), error)
    })?;
    Ok(Ran::Done)
}

fn command() -> clap::Command {
    toolcrib_config::with_flags(Cli::command())
}
