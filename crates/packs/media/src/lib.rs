//! The pack `media`: the films and series of a household, through its Radarr, Sonarr, TMDB and Brave.
//!
//! The services are upstreams of the workspace with these names. `docs/media.md` says how they are set up.
//!
//! To add a read: a file in `actions/`, a line in `actions.rs`, phrases and a call in `data/`.

mod actions;
mod answer;
mod arr;
mod kind;
mod server;
mod settings;
mod text;
mod tmdb;
mod zone;

use std::sync::Arc;

use toolcrib_engine::{Pack, PackSettings};
use toolcrib_registry::{Category, PackInfo, Permission, Spec, Verb};

pub use settings::Settings;

static INFO: PackInfo = PackInfo {
    slug: "media",
    title: "Media",
    description: "Films and series of a household, with its Radarr, Sonarr, TMDB and Brave. \
                  This product uses the TMDB API but is not endorsed or certified by TMDB.",
    sources: &["texts of media services"],
    events: &[],
};

/// Returns the pack.
pub fn pack() -> Pack {
    Pack {
        settings: Some(Arc::new(PackSettings::of::<Settings>())),
        phrases: include_str!("../data/phrases.tsv"),
        calls: include_str!("../data/calls.json"),
        ..Pack::new(&INFO, actions::all)
    }
}

/// Declares a read, which every member may call. It asks services, so that it runs outside a transaction.
fn read(name: &str) -> Spec {
    Spec::read(name, Category::Pack(&INFO), Permission::of_pack(INFO.slug, Verb::Read)).external()
}
