//! The arguments of `backup` and `restore`.

use std::path::PathBuf;

use clap::Args;

/// `backup`
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The new file
    #[arg(long, value_name = "FILE")]
    pub to: PathBuf,
}

/// `restore`
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RestoreArgs {
    /// A file of `toolcrib backup`, for a data directory without a database. Without it, the database is
    /// restored that is there already: the one that `pg_restore` filled
    #[arg(long, value_name = "FILE", conflicts_with_all = ["snapshot", "list", "accept", "resume"])]
    pub from: Option<PathBuf>,
    /// The database that is there is an older state of itself, such as a snapshot of its disk
    #[arg(long, conflicts_with_all = ["list", "accept", "resume"])]
    pub snapshot: bool,
    /// List what changed since the backup; this changes nothing
    #[arg(long, conflicts_with = "accept")]
    pub list: bool,
    /// Take away again what was revoked and removed since the backup, and let callers in
    #[arg(long)]
    pub accept: bool,
    /// Let webhooks and due work run
    #[arg(long)]
    pub resume: bool,
    /// The audit log as it was exported after the backup; several files for several workspaces
    #[arg(long, value_name = "FILE")]
    pub audit_export: Vec<PathBuf>,
    /// The signed heads of the audit logs [default: the file of `--audit-anchor`]
    #[arg(long, value_name = "FILE")]
    pub heads: Option<PathBuf>,
    /// Accept although nobody knows what changed
    #[arg(long, requires = "accept")]
    pub unknown_changes: bool,
}
