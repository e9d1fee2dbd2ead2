//! The workspace of a command, in the database or over the API of a service.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{AuditCommand, Command, KeyCommand, ToolsetCommand};
use crate::failure::Failure;

/// The workspace of a command, and the service if it works over the API.
#[derive(Clone, Debug, Args)]
pub struct WorkspaceArgs {
    /// The workspace: its id or external id. With `--url` only for a token that names none
    #[arg(id = "workspace", long = "workspace", value_name = "ID")]
    pub id: Option<String>,
    /// Work over the API of the service at this address, without the database
    #[arg(long, value_name = "URL", env = "TOOLCRIB_URL", hide_env_values = true)]
    pub url: Option<String>,
    /// File with the token for the API, in place of the variable `TOOLCRIB_TOKEN`
    #[arg(long, value_name = "FILE", env = "TOOLCRIB_TOKEN_FILE", hide_env_values = true)]
    pub token_file: Option<PathBuf>,
}

impl WorkspaceArgs {
    /// The workspace of a command that works in the database.
    pub fn in_database(&self) -> Result<&str, Failure> {
        self.id.as_deref().ok_or_else(|| {
            Failure::Usage("name the workspace with `--workspace`, or a service with `--url`".into())
        })
    }
}

/// Commands that work over the API alone. Their workspace is before or after the name of the command.
#[derive(Debug, Args)]
#[command(mut_args(|arg| arg.global(true).display_order(100)))]
pub struct OverApi<C: Subcommand> {
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
    #[command(subcommand)]
    pub command: C,
}

impl Command {
    /// Returns the workspace of a command that can work over the API.
    pub fn workspace(&self) -> Option<&WorkspaceArgs> {
        match self {
            Self::Toolset(
                ToolsetCommand::Apply { workspace, .. }
                | ToolsetCommand::List { workspace, .. }
                | ToolsetCommand::Export { workspace, .. },
            )
            | Self::Audit(AuditCommand::Tail { workspace, .. } | AuditCommand::Export { workspace, .. })
            | Self::Key(KeyCommand::List { workspace, .. } | KeyCommand::Revoke { workspace, .. })
            | Self::Packs(OverApi { workspace, .. })
            | Self::Approvals(OverApi { workspace, .. }) => Some(workspace),
            // Keys of the operator belong to no workspace, so no API makes them.
            Self::Key(KeyCommand::Create(args)) if !args.operator => Some(&args.workspace),
            _ => None,
        }
    }
}
