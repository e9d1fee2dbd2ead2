//! The arguments of `approvals …` and `packs …`, which work over the API.

use clap::Subcommand;

/// `approvals …`
#[derive(Debug, Subcommand)]
pub enum ApprovalsCommand {
    /// The calls that wait for a person, one a line
    List {
        /// Only those that you may decide now
        #[arg(long)]
        decidable: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// One call with its arguments and who asks for it
    Show {
        /// The id of the confirmation
        id: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a call, ask, and run it; exit code 1 where you say no
    Approve {
        /// The id of the confirmation
        id: String,
        /// Approve without asking, which is required without a terminal
        #[arg(long)]
        yes: bool,
        /// The phrase of a typed confirmation, which is asked for on a terminal
        #[arg(long, value_name = "TEXT")]
        phrase: Option<String>,
        /// The answer as JSON
        #[arg(long)]
        json: bool,
    },
    /// Refuse a call
    Deny {
        /// The id of the confirmation
        id: String,
        /// What goes back to whoever asked
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// The answer as JSON
        #[arg(long)]
        json: bool,
    },
}

/// `packs …`
#[derive(Debug, Subcommand)]
pub enum PacksCommand {
    /// The packs of the service, and whether each is on in the workspace
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Switch a pack on in the workspace
    On {
        /// The slug of the pack
        slug: String,
    },
    /// Switch a pack off in the workspace; its data stays, and its calls that wait become void
    Off {
        /// The slug of the pack
        slug: String,
    },
}
