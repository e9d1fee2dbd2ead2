//! Which crates each crate may depend on, as `cargo` reports it. Fails for a crate that is not in the table,
//! and for a dependency that is not allowed. Dev-dependencies are not restricted.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use serde_json::Value;

/// Besides `model`, a crate may name only these crates. `app` joins all of them.
const MAY: [(&str, &[&str]); 22] = [
    ("model", &[]),
    ("registry", &[]),
    ("config", &[]),
    ("store", &[]),
    ("datasources", &[]),
    ("access", &["registry"]),
    ("toolset", &["registry"]),
    ("import", &["registry", "toolset"]),
    ("discovery", &["registry"]),
    ("connectors", &[]),
    ("auth", &["access", "connectors", "store"]),
    ("engine", &["access", "auth", "connectors", "datasources", "discovery", "registry", "store", "toolset"]),
    // It stores runs and carries them out; its calls go through `engine` like all others.
    ("assistant", &["access", "auth", "connectors", "engine", "registry", "store"]),
    (
        "actions",
        &[
            "access",
            "assistant",
            "auth",
            "connectors",
            "datasources",
            "discovery",
            "engine",
            "import",
            "registry",
            "store",
            "toolset",
        ],
    ),
    // A pack names neither `actions` nor a surface nor another pack.
    ("media", &["access", "connectors", "engine", "registry", "store"]),
    // `http` reads the caller, whose type is in `access`. None of these names `actions` or `store`, so no
    // call can bypass the gates.
    ("http", &["access", "assistant", "auth", "discovery", "engine", "registry"]),
    // `mcp` is served beside `http`, and uses its authentication, its responses and its tool lists.
    ("mcp", &["auth", "engine", "http", "registry"]),
    // `console` is served beside `http`, and uses its authentication and its responses.
    ("console", &["auth", "engine", "http"]),
    // A pack names what actions are made of, never `actions`, a surface or another pack.
    ("game", &["access", "engine", "registry", "store"]),
    ("testkit-macros", &[]),
    ("testkit", &["auth", "connectors", "engine", "registry", "store", "testkit-macros"]),
    (
        "app",
        &[
            "access",
            "actions",
            "assistant",
            "auth",
            "config",
            "connectors",
            "console",
            "datasources",
            "discovery",
            "engine",
            "game",
            "http",
            "import",
            "mcp",
            "media",
            "registry",
            "store",
            "toolset",
        ],
    ),
];

/// For each crate, by its folder: the names of its dependencies, without dev-dependencies.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    packages.iter().map(|package| (folder(package["name"].as_str().unwrap()), named(package))).collect()
}

fn named(package: &Value) -> BTreeSet<String> {
    let all = package["dependencies"].as_array().unwrap();
    all.iter()
        .filter(|dependency| dependency["kind"] != "dev")
        .map(|dependency| dependency["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The folder of a package: `store` for `toolcrib-store`. The binary's package is `toolcrib`, in `app`.
fn folder(package: &str) -> String {
    if package == "toolcrib" { "app".into() } else { package.replacen("toolcrib-", "", 1) }
}

#[test]
fn crates_depend_on_the_layers_below_only() {
    let may: BTreeMap<_, _> = MAY.into_iter().collect();
    let found = dependencies();
    assert!(found.len() >= 13, "{:?}", found.keys());
    for (name, dependencies) in found.iter().filter(|(name, _)| *name != "tests") {
        let allowed =
            may.get(name.as_str()).unwrap_or_else(|| panic!("say in this test what `{name}` may name"));
        for inner in dependencies.iter().filter_map(|name| name.strip_prefix("toolcrib-")) {
            assert!(inner == "model" || allowed.contains(&inner), "`{name}` may not depend on `{inner}`");
        }
    }
    let model = &found["model"];
    assert!(model.iter().all(|name| !name.starts_with("toolcrib")), "`model` names nobody: {model:?}");
}

#[test]
fn two_crates_and_packs_name_the_database_library() {
    let naming: Vec<_> = dependencies()
        .into_iter()
        .filter(|(_, names)| names.iter().any(|name| name.starts_with("sqlx")))
        .map(|(name, _)| name)
        .collect();
    // The test kit creates and drops the databases of tests. A pack has tables of its own.
    assert_eq!(naming, ["datasources", "game", "media", "store", "testkit"]);
}

#[test]
fn no_crate_depends_on_the_test_kit() {
    for (name, names) in dependencies() {
        assert!(name == "tests" || !names.contains("toolcrib-testkit"), "`{name}` depends on the test kit");
    }
}
