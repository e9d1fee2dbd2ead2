//! The pack `game`: systems of a game's design, what each requires, version plans and exports.
//!
//! The modules: `system` (what a system is), `graph` (systems and dependencies, pure), `markdown` (systems as documents, pure), `tables`
//! (rows and statements), `design` (systems in order), `export` (documents, pure).
#![expect(dead_code, unused_imports, reason = "the actions, which use the modules, are not there yet")]

mod design;
mod export;
mod graph;
mod markdown;
mod system;
mod tables;
