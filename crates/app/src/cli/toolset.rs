//! The arguments of `toolset …`.

use std::path::PathBuf;

use clap::Subcommand;

/// `toolset …`
#[derive(Debug, Subcommand)]
pub enum ToolsetCommand {
    /// Check toolset documents; exit code 1 where one has a defect, 2 where one can't be read
    Check {
        /// Documents in TOML, or in JSON where the name ends in `.json`
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Check them as documents that a workspace uploads, not as an operator's files
        #[arg(long)]
        workspace: bool,
        /// With every note, as JSON
        #[arg(long)]
        json: bool,
    },
    /// Which callers reach which tool, and with which role at least, as Markdown
    Matrix {
        /// A document in TOML, or in JSON where the name ends in `.json`
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of the document
    Schema,
}
