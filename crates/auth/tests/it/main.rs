//! Gate 1 from outside: what is accepted, and every way to be refused.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod bench;
mod jwks;
mod key_set;
mod keys;
mod local;
mod tokens;
