//! The pack `media`: the films and series of a household, through its Radarr, Sonarr, TMDB and Brave.
//!
//! The services are upstreams of the workspace with these names. `docs/media.md` says how they are set up.
//!
//! To add an action: a file in `actions/`, a line in `actions.rs`, phrases and a call in `data/`.

mod actions;
mod add;
mod answer;
mod arr;
mod brief;
mod kind;
mod language;
mod remove;
mod server;
mod settings;
mod text;
mod title;
mod tmdb;
mod tracking;
mod zone;

use std::sync::Arc;

use toolcrib_engine::{Pack, PackSettings, UpstreamNeed, prelude::*};
use toolcrib_registry::{Condition, ConfirmationLevel, Escalation, PackInfo, Verb};
use toolcrib_store::PackSchema;

pub use settings::Settings;

/// The permission that readers of the pack's events need.
const READERS: &str = "media:read";

static INFO: PackInfo = PackInfo {
    slug: "media",
    title: "Media",
    description: "Films and series of a household, with its Radarr, Sonarr, TMDB and Brave. \
                  This product uses the TMDB API but is not endorsed or certified by TMDB.",
    sources: &["texts of media services"],
    events: &["media.added", "media.removed"],
};

/// The services, by the names of their upstreams.
const UPSTREAMS: [UpstreamNeed; 4] = [
    need("radarr", "films", None, Some("X-Api-Key")),
    need("sonarr", "series", None, Some("X-Api-Key")),
    UpstreamNeed {
        wrong_secret: Some(wrong_tmdb_secret),
        ..need("tmdb", "discovering films and series", Some("https://api.themoviedb.org/3/"), None)
    },
    need(
        "brave",
        "searching the web",
        Some("https://api.search.brave.com/res/v1/"),
        Some("X-Subscription-Token"),
    ),
];

const fn need(
    name: &'static str,
    purpose: &'static str,
    base_url: Option<&'static str>,
    auth_header: Option<&'static str>,
) -> UpstreamNeed {
    UpstreamNeed { name, purpose, base_url, auth_header, wrong_secret: None }
}

/// TMDB shows two secrets on one page, and the API key is no bearer token.
fn wrong_tmdb_secret(text: &str) -> Option<&'static str> {
    let is_key = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_key.then_some("is TMDB's API key; set the API Read Access Token, the longer text on the same page")
}

pub fn pack() -> Pack {
    let (sqlite, postgres) = (sqlx::migrate!("migrations/sqlite"), sqlx::migrate!("migrations/postgres"));
    Pack {
        upstreams: &UPSTREAMS,
        schema: Some(Arc::new(PackSchema::new(INFO.slug, &sqlite, &postgres, &[tracking::TABLE]))),
        settings: Some(Arc::new(PackSettings::with_rules(settings::defects))),
        phrases: include_str!("../data/phrases.tsv"),
        calls: include_str!("../data/calls.json"),
        brief: Some(brief::brief),
        ..Pack::new(&INFO, actions::all)
    }
}

/// Declares an add, for members. It changes a server, so that it runs outside a transaction.
fn add_spec(name: &str) -> Spec {
    Spec::write(name, Category::Pack(&INFO), Permission::of_pack(INFO.slug, Verb::Use))
        .creates()
        .external()
        .timeout_seconds(add::TIMEOUT_SECONDS)
}

/// Declares a removal, for admins. Files stay unless the call says otherwise; then a person types a phrase.
fn remove_spec(name: &str, warning: &str) -> Spec {
    Spec::destructive(name, Category::Pack(&INFO), Permission::of_pack(INFO.slug, Verb::Delete), warning)
        .confirm_simple(warning)
        .danger(&["delete_files"])
        .escalations(&[Escalation::new("delete_files", Condition::IsTrue, ConfirmationLevel::Typed)])
        .external()
        .timeout_seconds(remove::TIMEOUT_SECONDS)
}

/// Declares a read, which every member may call. It asks services, so that it runs outside a transaction.
fn read(name: &str) -> Spec {
    Spec::read(name, Category::Pack(&INFO), Permission::of_pack(INFO.slug, Verb::Read)).external()
}
