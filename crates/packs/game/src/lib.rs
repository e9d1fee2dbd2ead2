//! The pack `game`: projects of games, their systems and what each requires, brainstorms, version plans and exports.
//!
//! Depends on `engine`, `registry`, `access` and `store`. The modules: `system` (what a system is), `graph` and
//! `markdown` (pure), `tables` (rows and statements), `design` and `export` (what plans keep and documents show),
//! `project`, `find`, `inputs`, `brief`, `shared` and `view` (what actions share), `permissions`, `actions`.
//!
//! To add an action: its file in `actions/<room>/`, a line in the room's list, its phrases and its call in `data/`.

mod actions;
mod brief;
mod design;
mod export;
mod find;
mod graph;
mod inputs;
mod markdown;
mod permissions;
mod project;
mod shared;
mod system;
mod tables;
mod view;

use std::sync::Arc;

use toolcrib_engine::{Pack, PackSettings};
use toolcrib_registry::PackInfo;
use toolcrib_store::PackSchema;

static INFO: PackInfo = PackInfo {
    slug: "game",
    title: "Game design",
    description: "Designs of games: systems, what each requires, brainstorms, version plans and documents.",
    sources: &["game designs"],
    events: &["game.export_ready", "game.graph_changed", "game.plan_finalized", "game.project_changed"],
};

pub fn pack() -> Pack {
    let (sqlite, postgres) = (sqlx::migrate!("migrations/sqlite"), sqlx::migrate!("migrations/postgres"));
    Pack {
        context_header: Some(project::HEADER),
        schema: Some(Arc::new(PackSchema::new(INFO.slug, &sqlite, &postgres, &tables::ALL))),
        settings: Some(Arc::new(PackSettings::of::<project::Settings>())),
        phrases: include_str!("../data/phrases.tsv"),
        calls: include_str!("../data/calls.json"),
        brief: Some(brief::brief),
        ..Pack::new(&INFO, actions::all)
    }
}
