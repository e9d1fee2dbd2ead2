//! `config show` and `config schema`.

use toolcrib_config::{Loaded, schema, show};

use crate::{
    cli::ConfigCommand,
    failure::{Failure, Ran},
    output,
};

pub fn run(command: ConfigCommand, loaded: &Loaded) -> Result<Ran, Failure> {
    match command {
        ConfigCommand::Show => output::print(&show(loaded))?,
        ConfigCommand::Schema => output::json(&schema())?,
    }
    Ok(Ran::Done)
}
