//! How a command ends: 0 done, 1 the answer is no, 2 wrong usage, 3 could not run.

use std::{fmt, io, process::ExitCode};

use toolcrib_engine::auth::issuer::IssuerError;
use toolcrib_store::StoreError;

/// A command that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ran {
    /// It is done.
    Done,
    /// It ran, and the answer is no.
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

/// A command that did not run. One line for people.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for makes no sense.
    Usage(String),
    /// What it needs can't be used.
    CouldNotRun(String),
}

impl Failure {
    /// The exit code.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Usage(_) => ExitCode::from(2),
            Self::CouldNotRun(_) => ExitCode::from(3),
        }
    }

    /// Something can't be used, and why.
    pub fn could_not(what: &str, why: impl fmt::Display) -> Self {
        Self::CouldNotRun(format!("{what}: {why}"))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Usage(text) | Self::CouldNotRun(text)) = self;
        f.write_str(&text.replace('\n', " "))
    }
}

impl From<StoreError> for Failure {
    fn from(fault: StoreError) -> Self {
        Self::CouldNotRun(fault.to_string())
    }
}

impl From<IssuerError> for Failure {
    fn from(fault: IssuerError) -> Self {
        Self::CouldNotRun(fault.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(fault: io::Error) -> Self {
        Self::CouldNotRun(fault.to_string())
    }
}
