//! The subcommands and their arguments. `toolcrib_config` adds the flags of the settings.

mod toolset;

use clap::{Args, Parser, Subcommand, ValueEnum};
pub use toolset::ToolsetCommand;

const EXAMPLES: &str = "\
Examples:
  toolcrib serve --demo                              a workspace with data, and curl lines to try it
  toolcrib serve --database postgres://app@db/tools --jwks-url https://issuer.example/keys \\
                 --issuer https://issuer.example --audience tools
  toolcrib workspace create \"Harbour Goods\" --owner owner
  toolcrib token mint --user owner --ttl 8h
  toolcrib actions report --role member
  toolcrib actions explain delete_agent --role editor
  toolcrib audit export --workspace ID > audit.jsonl
  toolcrib audit verify --workspace ID --against audit.jsonl

Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 could not run.
Every setting is also a variable (TOOLCRIB_DATA_DIR) and a key of the settings file (data_dir).";

/// Platform actions for AI agents: one registry, one executor, one audit trail.
#[derive(Debug, Parser)]
#[command(name = "toolcrib", version, after_help = EXAMPLES, propagate_version = true)]
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
    /// Check settings, library versions and the database
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
    /// Keys of agents, services and operators
    #[command(subcommand)]
    Key(KeyCommand),
    /// Tokens of the local issuer
    #[command(subcommand)]
    Token(TokenCommand),
    /// The audit trail
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Documents of declared tools
    #[command(subcommand)]
    Toolset(ToolsetCommand),
}

/// `serve`
#[derive(Clone, Copy, Debug, Args)]
pub struct ServeArgs {
    /// Make two workspaces with a few weeks of data where there are none, and print credentials
    #[arg(long)]
    pub demo: bool,
    /// Serve the demo on an address that others reach, with its weak limits and its credentials on the screen
    #[arg(long, requires = "demo")]
    pub demo_on_network: bool,
    /// Refuse to serve a database or an audit log that is damaged
    #[arg(long)]
    pub strict_start: bool,
}

/// `tools`
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// viewer, member, editor, admin or owner
    #[arg(long)]
    pub role: String,
    /// `openai`, `openai_responses`, anthropic, gemini or mcp
    #[arg(long, default_value = "openai")]
    pub format: String,
    /// full, filtered, `dispatcher_only`, all or none
    #[arg(long, default_value = "full")]
    pub strategy: String,
    /// The user's message, for filtered
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// off, or auto: strict where the provider's limits allow
    #[arg(long, default_value = "off")]
    pub strict: String,
    /// signatures or names: how much the dispatcher says about its actions
    #[arg(long, default_value = "signatures")]
    pub detail: String,
    /// The most tokens that the list may cost
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    /// The kind of application that asks
    #[arg(long, value_name = "NAME", default_value = "api")]
    pub caller_type: String,
}

/// `config …`
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigCommand {
    /// The settings in force, and where each came from
    Show,
    /// The JSON Schema of the settings file
    Schema,
}

/// `actions …`
#[derive(Debug, Subcommand)]
pub enum ActionsCommand {
    /// Every action, one a line
    List {
        /// With everything that is declared, as JSON
        #[arg(long)]
        json: bool,
    },
    /// One action with its schemas, as JSON
    Show {
        /// Its name; the prefix may be left out
        name: String,
    },
    /// Print every description, warning and parameter text
    Texts,
    /// Check the catalogue; exit code 1 where something is wrong
    Lint {
        /// What each provider's format can't carry of which action, and where that went
        #[arg(long)]
        formats: bool,
    },
    /// What one role may call, as Markdown
    Report(HypotheticalCaller),
    /// Why one role may call an action or not, rule by rule
    Explain {
        /// Its name; the prefix may be left out
        name: String,
        #[command(flatten)]
        caller: HypotheticalCaller,
    },
    /// Which role may call what, as Markdown
    Matrix,
}

/// A caller who is only thought of.
#[derive(Debug, Args)]
pub struct HypotheticalCaller {
    /// viewer, member, editor, admin or owner
    #[arg(long)]
    pub role: String,
    /// The kind of application that calls
    #[arg(long, value_name = "NAME", default_value = "api")]
    pub caller_type: String,
    /// The agent that calls: its slug, as actions name it
    #[arg(long, value_name = "SLUG")]
    pub caller_name: Option<String>,
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
        /// viewer, member, editor, admin or owner
        #[arg(long)]
        role: String,
        /// What people call them
        #[arg(long, value_name = "TEXT")]
        name: Option<String>,
    },
}

/// `key …`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; its secret is printed once
    Create(KeyArgs),
}

/// Which kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KeyKind {
    /// Of an application.
    Service,
    /// Of an agent.
    Agent,
}

/// `key create`
#[derive(Debug, Args)]
pub struct KeyArgs {
    /// For the platform's operator: belongs to no workspace
    #[arg(long, conflicts_with_all = ["workspace", "kind", "agent", "runs_as", "mission", "role", "key_caller_types"])]
    pub operator: bool,
    /// The workspace: its id or external id
    #[arg(long, value_name = "ID", required_unless_present = "operator")]
    pub workspace: Option<String>,
    /// What kind of key
    #[arg(long, value_enum, default_value = "service")]
    pub kind: KeyKind,
    /// What people call it
    #[arg(long, value_name = "TEXT")]
    pub name: String,
    /// What it may do, such as `tasks:use,*:read,act_as`
    #[arg(long, value_name = "SCOPE,…", value_delimiter = ',', required = true)]
    pub scopes: Vec<String>,
    /// The agent that holds it: id or name
    #[arg(long, value_name = "AGENT", required_if_eq("kind", "agent"))]
    pub agent: Option<String>,
    /// The member whose role bounds the agent: user id or `sub`
    #[arg(long, value_name = "USER", required_if_eq("kind", "agent"))]
    pub runs_as: Option<String>,
    /// The mission that the agent works in: its field calls reach no other
    #[arg(long, value_name = "MISSION", requires = "agent")]
    pub mission: Option<String>,
    /// The role of a service key: viewer, member or editor
    #[arg(long, default_value = "viewer")]
    pub role: String,
    /// Which kinds of applications may use it; the first is the default [default: api, of agents mission]
    #[arg(id = "key_caller_types", long = "for", value_name = "NAME,…", value_delimiter = ',')]
    pub caller_types: Vec<String>,
    /// When it ends, such as 90d; never unless given
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub expires_in: Option<u32>,
}

/// `token …`
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Sign a token with the key in the data directory
    Mint {
        /// Its `sub`
        #[arg(long, value_name = "SUBJECT")]
        user: String,
        /// The workspace it is bound to
        #[arg(long, value_name = "ID")]
        workspace: Option<String>,
        /// Makes its holder an administrator of the platform
        #[arg(long)]
        system_admin: bool,
        /// How long it is good, such as 900s, 30m, 8h or 30d
        #[arg(long, value_name = "TIME", default_value = "1h", value_parser = seconds)]
        ttl: u32,
    },
}

/// `audit …`
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// The last rows, oldest first
    Tail {
        /// The workspace: its id or external id
        #[arg(long, value_name = "ID")]
        workspace: String,
        /// How many
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        rows: u16,
    },
    /// Every sealed row as a line of JSON in the order of the chain, then the checkpoints
    Export {
        /// The workspace: its id or external id
        #[arg(long, value_name = "ID")]
        workspace: String,
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
        /// A head that this workspace's log had before, as verifying printed it: its hash
        #[arg(long, value_name = "HASH", requires = "workspace")]
        head: Option<String>,
    },
    /// Print the public key that verifies checkpoints
    Key,
}

/// Parses a duration such as `900s`, `30m`, `8h` or `30d` into seconds.
fn seconds(text: &str) -> Result<u32, String> {
    let wrong = || "must be a number with s, m, h or d, such as 8h".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(wrong()),
    };
    let number: u32 = text.strip_suffix(unit).unwrap_or(text).parse().map_err(|_| wrong())?;
    number.checked_mul(factor).filter(|seconds| *seconds > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_time_are_read() {
        assert_eq!(
            [seconds("900s"), seconds("30m"), seconds("8h"), seconds("1d")],
            [Ok(900), Ok(1_800), Ok(28_800), Ok(86_400)]
        );
        for bad in ["", "h", "8", "0s", "-1h", "1.5h", "99999999d", "8hh"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
