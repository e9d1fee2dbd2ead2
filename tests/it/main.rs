//! Checks of the workspace as a whole, and sweeps over every action.
#![expect(clippy::unwrap_used, reason = "tests")]

mod any_size;
mod caller_defaults;
mod damaged;
mod dependency_edges;
mod described;
mod effects;
mod formats;
mod generated;
mod inputs;
mod listed;
mod malformed;
mod pack_phrases;
mod packs;
mod same_on_both;
mod source;
mod strict;
mod tenancy;
mod tokens;
mod twins;
mod valid_calls;
mod walkthrough;
mod world;
