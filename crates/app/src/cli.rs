//! The subcommands and their arguments. `toolcrib_config` adds the flags of the settings.

mod actions;
mod approvals;
mod credentials;
mod toolset;
mod workspace_args;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub use actions::{ActionsCommand, HypotheticalCaller, ToolsArgs};
pub use approvals::{ApprovalsCommand, PacksCommand};
pub use credentials::{ConsoleCommand, KeyArgs, KeyCommand, KeyKind, TokenCommand};
pub use toolset::{ImportCommand, ImportOpenApiArgs, ToolsetCommand};
pub use workspace_args::{OverApi, WorkspaceArgs};

const EXAMPLES: &str = "\
Examples:
  toolcrib serve --demo                              a workspace with data, a link to its console, and curl lines
  toolcrib serve --database postgres://app@db/tools --jwks-url https://issuer.example/keys \\
                 --issuer https://issuer.example --audience tools
  toolcrib workspace create \"Harbour Goods\" --owner owner
  toolcrib invite --workspace ID --email ann@example.com
  toolcrib token mint --user owner --ttl 8h
  toolcrib actions report --role member
  toolcrib actions explain delete_agent --role editor
  toolcrib audit export --workspace ID > audit.jsonl
  toolcrib audit verify --workspace ID --against audit.jsonl
  toolcrib backup --to toolcrib-backup.db
  toolcrib toolset apply desk.toml --url https://tools.example
  toolcrib approvals approve ID --url https://tools.example

Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 could not run.
Every setting (toolcrib --help) is also a variable (TOOLCRIB_DATA_DIR) and a key of the settings file (data_dir).
With --url a command works over the API, with the token in TOOLCRIB_TOKEN.";

/// Returns the version, with the commit that a release was built from.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("BUILD_COMMIT").filter(|commit| !commit.is_empty()) {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    }
}

/// Platform actions for AI agents: one registry, one executor, one audit trail.
#[derive(Debug, Parser)]
#[command(name = "toolcrib", version = version(), after_help = EXAMPLES, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the HTTP API
    Serve(ServeArgs),
    /// Bring the database up to date, and make it where it is missing
    Migrate,
    /// Copy the SQLite database into a file, also while it is served
    Backup(BackupArgs),
    /// Put a backup back: first held, then accepted, then resumed
    Restore(RestoreArgs),
    /// Check settings, library versions, the database and the identity provider
    Doctor,
    /// Show the settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print the OpenAPI document
    Openapi,
    /// Print the tool list that a user with a role would get
    Tools(ToolsArgs),
    /// Show the catalogue of actions
    #[command(subcommand)]
    Actions(ActionsCommand),
    /// Workspaces
    #[command(subcommand)]
    Workspace(WorkspaceCommand),
    /// Members of a workspace
    #[command(subcommand)]
    Member(MemberCommand),
    /// Invite the first owner of a workspace, who signs in through your identity provider
    Invite(InviteArgs),
    /// Keys of agents, services and operators
    #[command(subcommand)]
    Key(KeyCommand),
    /// Tokens of the local issuer
    #[command(subcommand)]
    Token(TokenCommand),
    /// The web console
    #[command(subcommand)]
    Console(ConsoleCommand),
    /// The audit trail
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Documents of declared tools
    #[command(subcommand)]
    Toolset(ToolsetCommand),
    /// Packs of a workspace, over the API
    Packs(OverApi<PacksCommand>),
    /// Calls that wait for a person, over the API
    Approvals(OverApi<ApprovalsCommand>),
    /// Print the completion of a shell
    Completion {
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Write the manual pages into a directory
    Man {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// `invite`
#[derive(Clone, Debug, Args)]
pub struct InviteArgs {
    /// The workspace: its id or external id
    #[arg(long, value_name = "ID")]
    pub workspace: String,
    /// The role: viewer, member, editor, admin or owner
    #[arg(long, default_value = "owner")]
    pub role: String,
    /// The only e-mail address that may use it, as the provider verified it
    #[arg(long, value_name = "ADDRESS")]
    pub email: Option<String>,
    /// End this invitation, instead of making one
    #[arg(long, value_name = "INVITATION", conflicts_with_all = ["role", "email"])]
    pub revoke: Option<String>,
}

/// `serve`
#[derive(Clone, Copy, Debug, Args)]
pub struct ServeArgs {
    /// Make two workspaces with a few weeks of data if there are none; print their credentials
    #[arg(long)]
    pub demo: bool,
    /// Serve the demo on an address that others reach, with its weak limits and its credentials on the screen
    #[arg(long, requires = "demo")]
    pub demo_on_network: bool,
    /// Refuse to serve a database or an audit log that is damaged
    #[arg(long)]
    pub strict_start: bool,
}

/// `config …`
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// The settings in force, and where each came from
    Show,
    /// The JSON Schema of the settings file
    Schema,
}

/// `workspace …`
#[derive(Debug, Subcommand)]
pub enum WorkspaceCommand {
    /// Every workspace, one a line: id, name, external id, and when it was deleted
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Make a workspace
    Create {
        /// What people call it
        name: String,
        /// Its id at the identity provider
        #[arg(long, value_name = "ID")]
        external_id: Option<String>,
        /// `sub` of its first owner
        #[arg(long, value_name = "SUBJECT")]
        owner: Option<String>,
    },
}

/// `member …`
#[derive(Debug, Subcommand)]
pub enum MemberCommand {
    /// Make somebody a member
    Add {
        /// The workspace: its id or external id
        #[arg(long, value_name = "ID")]
        workspace: String,
        /// `sub` of their tokens
        #[arg(long, value_name = "SUBJECT")]
        user: String,
        /// The role: viewer, member, editor, admin or owner
        #[arg(long)]
        role: String,
        /// What people call them
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
    },
}

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
        against: Option<PathBuf>,
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
