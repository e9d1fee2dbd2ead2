//! The arguments of `toolset …`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::WorkspaceArgs;

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
        /// Read it as a document that a workspace uploads, not as an operator's file
        #[arg(long)]
        workspace: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of the document
    Schema,
    /// Make a document of drafts from the description of a service
    #[command(subcommand)]
    Import(ImportCommand),
    /// Store a document in a workspace, whole or not at all; exit code 1 where it has a defect
    Apply {
        /// A document in TOML, or in JSON where the name ends in `.json`
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        workspace: WorkspaceArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// The toolsets of a workspace, one a line; over the API
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        workspace: WorkspaceArgs,
    },
    /// Print the document of a workspace's toolset as TOML
    Export {
        /// The slug of the toolset
        #[arg(value_name = "SLUG")]
        slug: String,
        #[command(flatten)]
        workspace: WorkspaceArgs,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

/// `toolset import …`
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import the operations of an OpenAPI 3.0 or 3.1 document; exit code 1 where none fits, 2 where it can't be read
    Openapi(ImportOpenApiArgs),
}

/// `toolset import openapi`
#[derive(Debug, Args)]
pub struct ImportOpenApiArgs {
    /// An OpenAPI document in YAML or JSON
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The slug of the toolset, which is the name of its upstream too
    #[arg(long)]
    pub slug: String,
    /// The base URL of the service [default: the first server of the document]
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// Only the operations with this name or path, or with this beginning where it ends in `*`
    #[arg(long, value_name = "NAME")]
    pub include: Vec<String>,
    /// Not the operations with this name or path, or with this beginning where it ends in `*`
    #[arg(long, value_name = "NAME")]
    pub exclude: Vec<String>,
    /// Make a document that a workspace uploads, which declares no upstream
    #[arg(long)]
    pub workspace: bool,
    /// The document, what was left out and the notes, as JSON
    #[arg(long)]
    pub json: bool,
}

impl ToolsetCommand {
    /// Whether the command reads or writes a workspace.
    pub fn needs_workspace(&self) -> bool {
        matches!(self, Self::Apply { .. } | Self::List { .. } | Self::Export { .. })
    }
}
