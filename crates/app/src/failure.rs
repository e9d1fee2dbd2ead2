//! The exit codes of commands: 0 done, 1 the answer is no, 2 wrong usage, 3 could not run.

use std::{fmt, io, process::ExitCode};

use toolcrib_auth::issuer::IssuerError;
use toolcrib_engine::ActionError;
use toolcrib_model::visible;
use toolcrib_registry::ArgError;
use toolcrib_store::StoreError;

/// The result of a command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// The command succeeded.
    Done,
    /// The command ran, and its answer is no, such as a failed check.
    No,
}

impl From<Ran> for ExitCode {
    fn from(ran: Ran) -> Self {
        match ran {
            Ran::Done => Self::SUCCESS,
            Ran::No => Self::from(1),
        }
    }
}

/// The reason why a command did not run, in one line for people.
#[derive(Debug)]
pub enum Failure {
    /// The arguments or settings are wrong.
    Usage(String),
    /// Something that the command needs, such as the database, can't be used.
    CouldNotRun(String),
}

impl Failure {
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::CouldNotRun(_) => ExitCode::from(3),
        }
    }

    /// Returns [`Failure::CouldNotRun`] with what can't be used and why.
    pub fn could_not(what: &str, why: impl fmt::Display) -> Self {
        Self::CouldNotRun(format!("{what}: {why}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::CouldNotRun(text)) = self;
        f.write_str(&visible(&text.replace('\n', " ")))
    }
}

/// Returns what a refusal says. The detail of one invalid argument is what its error says, which is not said twice.
pub fn refusal(detail: String, errors: &[ArgError], hint: Option<String>) -> String {
    let untold = errors.iter().filter(|error| !detail.contains(&error.message));
    let errors: Vec<String> = untold.map(ArgError::located).collect();
    [vec![detail], errors, hint.into_iter().collect()].concat().join("; ")
}

/// Whether a status of the API says that the parameters were wrong, or named what does not exist.
pub fn is_wrong_usage(status: u16) -> bool {
    matches!(status, 400 | 404 | 413 | 422)
}

impl From<ActionError> for Failure {
    fn from(error: ActionError) -> Self {
        let kind = if is_wrong_usage(error.code.status()) { Self::Usage } else { Self::CouldNotRun };
        kind(refusal(error.detail, &error.errors, error.hint))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::CouldNotRun(error.to_string())
    }
}

impl From<IssuerError> for Failure {
    fn from(error: IssuerError) -> Self {
        Self::CouldNotRun(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::CouldNotRun(error.to_string())
    }
}
