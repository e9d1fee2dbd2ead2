//! The settings of the pack.

use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases};

use crate::house::House;

fn library(name: &str) -> Value {
    json!({ "name": name, "kind": "series", "root_folder": "/tv", "quality_profile": "Any" })
}

/// A defect that the schema finds leaves the others to be found in the same answer.
#[both_databases]
async fn every_defect_of_settings_is_told_at_once(db: TestDb) {
    let house = House::new(db).await;
    let double = json!([library("anime"), library("Anime"), library("x\u{200b}y")]);
    let mut films = library("films");
    (films["kind"], films["series_type"]) = (json!("movie"), json!("anime"));
    let names = ["/settings/libraries/1/name", "/settings/libraries/2/name"];
    let (monitor, zone) = ("/settings/monitor", "/settings/time_zone");
    for (settings, expected) in [
        (json!({ "time_zone": "Mars/X", "monitor": "zz" }), vec![monitor, zone]),
        (json!({ "libraries": double, "monitor": "zz" }), [&names[..], &[monitor]].concat()),
        (json!({ "libraries": double, "time_zone": "Mars/X" }), [&names[..], &[zone]].concat()),
        (json!({ "libraries": [films] }), vec!["/settings/libraries/0/series_type"]),
    ] {
        let arguments = json!({ "slug": "media", "settings": settings });
        let problem = house.app.owner().problem("packs.update", arguments).await;
        let mut found: Vec<&str> = problem.errors.iter().map(|error| &*error.pointer).collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{problem:?}");
    }
}
