//! How well search finds, on questions that are not in its corpus. Prints the figures; fails when they fall.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "tests")]

mod corpus;
mod figures;
mod long_requests;
mod names;
mod nothing_fits;
mod quality;
