//! The console beside the API, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod files;
mod harness;
mod oidc;
mod sessions;
mod stolen;
