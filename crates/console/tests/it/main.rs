//! The console beside the API, on both databases.
#![expect(clippy::unwrap_used, reason = "tests")]

mod files;
mod harness;
mod invitations;
mod oidc;
mod provider;
mod sessions;
mod settings;
mod stolen;
