//! The gates as a caller meets them, on both databases: each refuses, and each is necessary.
#![expect(clippy::unwrap_used, reason = "tests")]

mod audit_rows;
mod can_decide;
mod chain;
mod checks;
mod clock_skew;
mod confirmations;
mod conflicts;
mod deciders;
mod declared;
mod delegation;
mod edits;
mod events;
mod faults;
mod gates;
mod grants;
mod idempotency;
mod inbox;
mod ladder;
mod limits;
mod non_members;
mod notices;
mod people;
mod programs;
mod races;
mod refusals;
mod relays;
mod repairs;
mod restored;
mod sealer;
mod states;
mod steps;
mod things;
mod told;
mod tools;
