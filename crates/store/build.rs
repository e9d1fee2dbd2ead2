//! Rebuilds this crate when a migration is added or removed: the macro that embeds them notices only changed
//! files.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
