//! A new migration rebuilds this crate: the macro that embeds them notices changed files, but not added ones.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
