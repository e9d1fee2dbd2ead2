//! The decision: its invariants, each rule against a table, and the words it is made of.

mod delegation;
mod invariants;
mod rules;
mod words;
