//! The tables of the pack, one file for each: rows and statements. A statement names its workspace and its project.

#[macro_use]
mod columns;

#[cfg(test)]
mod tests;

/// All tables, in an order in which their rows can be deleted.
pub const ALL: [&str; 11] = [
    "game_exports",
    "game_thread_reads",
    "game_messages",
    "game_threads",
    "game_plan_systems",
    "game_plans",
    "game_brainstorms",
    "game_dependencies",
    "game_system_changes",
    "game_systems",
    "game_projects",
];

pub mod activity;
pub mod brainstorms;
pub mod dependencies;
pub mod exports;
pub mod plans;
pub mod projects;
pub mod systems;
pub mod threads;
