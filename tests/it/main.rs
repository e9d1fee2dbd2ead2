//! Checks of the workspace as a whole.
#![expect(clippy::unwrap_used, reason = "tests")]

mod dependency_edges;
