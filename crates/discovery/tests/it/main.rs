//! How well search finds actions for questions that are not in its corpus. Prints the figures and fails if
//! they fall.
#![expect(clippy::unwrap_used, clippy::cast_precision_loss, reason = "tests")]

mod corpus;
mod declared;
mod figures;
mod long_requests;
mod names;
mod nothing_fits;
mod overlay_figures;
mod overlay_rules;
mod quality;
