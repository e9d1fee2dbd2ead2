//! Tests of the access decision: its invariants, each rule against a table, and the words of scopes and
//! policies.

mod delegation;
mod facts;
mod invariants;
mod rules;
mod words;
