//! Keys, tokens and links: `key`, `token` and `console`.

use clap::{Args, Subcommand, ValueEnum};

use super::WorkspaceArgs;

/// `key …`
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make a key; its secret is printed once
    Create(KeyArgs),
    /// The keys of a workspace, newest first, one a line; over the API
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        workspace: WorkspaceArgs,
    },
    /// Revoke a key, which can't be undone; over the API
    Revoke {
        /// The id of the key
        id: String,
        #[command(flatten)]
        workspace: WorkspaceArgs,
    },
}

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
    /// For the platform's operator: belongs to no workspace, and is made in the database even with `--url`
    #[arg(long, conflicts_with_all = ["workspace", "kind", "agent", "runs_as", "mission", "role", "key_caller_types"])]
    pub operator: bool,
    #[command(flatten)]
    pub workspace: WorkspaceArgs,
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
    /// The role of a service key: viewer, member or editor [default: viewer]
    #[arg(long)]
    pub role: Option<String>,
    /// Which kinds of applications may use it; the first is the default [default: api, of agents mission]
    #[arg(id = "key_caller_types", long = "for", value_name = "NAME,…", value_delimiter = ',')]
    pub caller_types: Vec<String>,
    /// When it ends, such as 90d; never unless given
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub expires_in: Option<u32>,
}

impl KeyArgs {
    /// The caller types that may use the key, or the default of its kind.
    pub fn caller_types(&self) -> Vec<String> {
        let default = if self.kind == KeyKind::Agent { "mission" } else { "api" };
        if self.caller_types.is_empty() { vec![default.to_owned()] } else { self.caller_types.clone() }
    }
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

/// `console …`
#[derive(Debug, Subcommand)]
pub enum ConsoleCommand {
    /// Print a link that signs a user in to the console once, within ten minutes
    Link {
        /// `sub` of the user's tokens
        #[arg(long, value_name = "SUBJECT")]
        user: String,
    },
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
    let digits = text.strip_suffix(unit).filter(|digits| !digits.is_empty()).ok_or_else(wrong)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    // A number that is too long to be read is too large.
    let seconds = digits.parse().ok().and_then(|number: u32| number.checked_mul(factor));
    match seconds {
        Some(0) => Err("must be at least 1s".to_owned()),
        Some(seconds) => Ok(seconds),
        None => Err(format!("must be at most {}{unit}", u32::MAX / factor)),
    }
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
        for bad in ["", "h", "8", "-1h", "+1h", "1.5h", "8hh", "8\u{fc}"] {
            assert!(seconds(bad).unwrap_err().contains("a number with s, m, h or d"), "{bad}");
        }
        assert_eq!(seconds("0d").unwrap_err(), "must be at least 1s");
        for huge in ["99999d", "99999999999999999999d"] {
            assert_eq!(seconds(huge).unwrap_err(), "must be at most 49710d");
        }
    }
}
