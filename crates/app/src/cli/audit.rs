//! `audit`.

use clap::Subcommand;

use super::WorkspaceArgs;

/// `audit …`
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// The last rows, oldest first
    Tail {
        #[command(flatten)]
        workspace: WorkspaceArgs,
        /// How many
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        rows: u16,
    },
    /// Every sealed row as a line of JSON in the order of the chain, then the checkpoints
    Export {
        #[command(flatten)]
        workspace: WorkspaceArgs,
        /// From this time on, such as 2026-01-31T00:00:00Z
        #[arg(long, value_name = "TIME")]
        from: Option<String>,
        /// Before this time
        #[arg(long, value_name = "TIME")]
        to: Option<String>,
        /// Only what stands behind this place of the chain
        #[arg(long, value_name = "SEQ", default_value_t = 0, value_parser = clap::value_parser!(i64).range(0..))]
        after_seq: i64,
    },
    /// Check that no row was changed, removed, inserted, reordered or cut off; exit code 1 where one was
    Verify {
        /// The workspace: its id or external id; all of them unless given
        #[arg(long, value_name = "ID")]
        workspace: Option<String>,
        /// An earlier export of this workspace, or what `--audit-anchor` kept: what it holds must still be there
        #[arg(long, value_name = "FILE", requires = "workspace")]
        against: Option<std::path::PathBuf>,
        /// The hash of an earlier head of this workspace's log, as `audit verify` printed it
        #[arg(long, value_name = "HASH", requires = "workspace")]
        head: Option<String>,
        /// Only what stands behind this place of the chain
        #[arg(long, value_name = "SEQ", requires = "workspace", default_value_t = 0,
            value_parser = clap::value_parser!(i64).range(0..))]
        after_seq: i64,
        /// Exit code 1 also where rows were sealed late
        #[arg(long)]
        strict: bool,
    },
    /// Print the public key that verifies checkpoints
    Key,
}
