//! The tables of the pack, one file for each: rows and statements. A statement names its workspace and its project.

#[cfg(test)]
mod tests;

pub mod activity;
pub mod brainstorms;
pub mod dependencies;
pub mod exports;
pub mod plans;
pub mod projects;
pub mod systems;
pub mod threads;
