//! What a role may call: `actions` and `tools`.

use clap::{Args, Subcommand};

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
    /// The role: viewer, member, editor, admin or owner
    #[arg(long)]
    pub role: String,
    /// The kind of application that calls
    #[arg(long, value_name = "NAME", default_value = "api")]
    pub caller_type: String,
    /// The agent that calls: its slug, as actions name it
    #[arg(long, value_name = "SLUG")]
    pub caller_name: Option<String>,
}

/// `tools`
#[derive(Debug, Args)]
pub struct ToolsArgs {
    /// The role: viewer, member, editor, admin or owner
    #[arg(long)]
    pub role: String,
    /// The format: openai, `openai_responses`, anthropic, gemini or mcp
    #[arg(long, default_value = "openai")]
    pub format: String,
    /// The strategy: full, filtered, `dispatcher_only`, all or none
    #[arg(long, default_value = "full")]
    pub strategy: String,
    /// The user's message, for filtered
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Whether tools are strict: off or, within the provider's limits, auto
    #[arg(long, default_value = "off")]
    pub strict: String,
    /// How much the dispatcher says about its actions: signatures or names
    #[arg(long, default_value = "signatures")]
    pub detail: String,
    /// The most tokens that the list may cost
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<u32>,
    /// The kind of application that asks
    #[arg(long, value_name = "NAME", default_value = "api")]
    pub caller_type: String,
}
