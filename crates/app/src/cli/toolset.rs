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
    /// Store a document in a workspace, whole or not at all; exit code 1 where it has a defect
    Apply {
        /// A document in TOML, or in JSON where the name ends in `.json`
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The workspace's ID or external ID
        #[arg(long, value_name = "ID")]
        workspace: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the document of a workspace's toolset as TOML
    Export {
        /// The slug of the toolset
        #[arg(value_name = "SLUG")]
        slug: String,
        /// The workspace's ID or external ID
        #[arg(long, value_name = "ID")]
        workspace: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

impl ToolsetCommand {
    /// Whether the command reads or writes a workspace.
    pub fn needs_database(&self) -> bool {
        matches!(self, Self::Apply { .. } | Self::Export { .. })
    }
}
