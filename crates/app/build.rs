//! Passes the versions of security-relevant libraries to the binary, for `doctor`.

use std::{env, fs, path::PathBuf};

const WATCHED: [&str; 4] = ["axum", "jsonwebtoken", "libsqlite3-sys", "sqlx"];

fn main() {
    // At run time: two checkouts may share a target directory, and with it the compiled script.
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let lock = package.join("../../Cargo.lock");
    println!("cargo:rerun-if-changed={}", lock.display());
    let text = fs::read_to_string(&lock).unwrap_or_default();
    for name in WATCHED {
        let variable = name.replace('-', "_").to_uppercase();
        println!("cargo:rustc-env=VERSION_{variable}={}", versions(&text, name).join(" "));
    }
}

/// Returns every locked version of a package.
fn versions<'t>(lock: &'t str, name: &str) -> Vec<&'t str> {
    let head = format!("name = \"{name}\"\nversion = \"");
    lock.match_indices(&head).filter_map(|(at, _)| lock[at + head.len()..].split('"').next()).collect()
}
