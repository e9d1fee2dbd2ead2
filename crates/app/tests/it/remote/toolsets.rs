//! `toolset apply`, `list` and `export`, and `packs`.

use std::fs;

use serde_json::json;

use super::{Remote, ended, file, json};
use crate::binary::{demo, done};

fn example() -> String {
    format!("{}/../../examples/toolsets/orion.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command over the API and in the database, which must print and end alike.
fn alike(remote: &Remote, args: &[&str], code: i32) -> String {
    let (printed, _) = remote.ran("owner", args, code);
    let (local, _) = ended(remote.in_database(args), args, code);
    assert_eq!(printed, local, "{args:?}");
    printed
}

pub fn toolsets_and_packs_are_set(remote: &Remote) {
    the_defects_of_a_document_are_printed_as_in_the_database(remote);
    a_document_is_applied_exported_and_listed_as_in_the_database(remote);
    packs_are_switched(remote);
}

fn a_document_is_applied_exported_and_listed_as_in_the_database(remote: &Remote) {
    let document = example();
    let apply = ["toolset", "apply", &document];
    let stored = remote.ok("owner", &apply);
    assert!(stored.starts_with("`orion` stored, version 1\n  added: orion__get_emails\n"), "{stored}");
    let other = demo(remote.folder.path())["workspaces"][1]["id"].take();
    let data = remote.data();
    let other = [&apply[..], &["--workspace", other.as_str().unwrap(), "--data-dir", &data]].concat();
    assert_eq!(stored, done(&other));
    assert_eq!(alike(remote, &apply, 0), "`orion` unchanged, version 1\n");
    let unchanged = json(&alike(remote, &["toolset", "apply", &document, "--json"], 0));
    assert_eq!(unchanged, json!({ "slug": "orion", "version": 1, "changed": false, "changes": [] }));

    let exported = alike(remote, &["toolset", "export", "orion"], 0);
    alike(remote, &["toolset", "export", "orion", "--json"], 0);
    let again = file(remote.folder.path(), "again.toml", &exported, 0o644);
    assert_eq!(alike(remote, &["toolset", "apply", &again], 0), "`orion` unchanged, version 1\n");
    let listed = remote.ok("owner", &["toolset", "list"]);
    assert!(listed.starts_with("orion on, version 1, 15 tools, from the workspace: "), "{listed}");
    assert_eq!(json(&remote.ok("owner", &["toolset", "list", "--json"]))[0]["slug"], "orion");

    let missing = remote.refused("owner", &["toolset", "export", "desk/../x"], 2);
    assert!(
        missing.contains("no toolset `desk/../x`") && missing.contains("(`not_found`, status 404)"),
        "{missing}"
    );
    let denied = remote.refused("member", &apply, 3);
    assert!(denied.contains("`permission_denied`, status 403"), "{denied}");
}

fn the_defects_of_a_document_are_printed_as_in_the_database(remote: &Remote) {
    let text = fs::read_to_string(example()).unwrap();
    for (name, text) in [
        ("field", text.replacen("description", "desription", 2)),
        ("slug", text.replacen("slug = \"orion\"", "slug = \"Orion / one\"", 1)),
        ("no_slug", text.replacen("slug = \"orion\"\n", "", 1)),
        ("number", text.replacen("slug = \"orion\"", "slug = 3", 1)),
        ("upstream", text.replacen("[[tools]]", "[[upstreams]]\nname = 'x'\n\n[[tools]]", 1)),
    ] {
        let path = file(remote.folder.path(), &format!("{name}.toml"), &text, 0o644);
        let printed = alike(remote, &["toolset", "apply", &path], 1);
        assert!(printed.starts_with(&format!("{path}: ")), "{printed}");
        let is_counted = printed.contains(", nothing was stored\n  /") && !printed.contains(" 1 defects");
        assert!(is_counted, "{printed}");
        alike(remote, &["toolset", "apply", &path, "--json"], 1);
    }
    assert_eq!(remote.ok("owner", &["toolset", "list"]), "");
    // What is no document at all is found before a request.
    let path = file(remote.folder.path(), "list.json", "[]", 0o644);
    assert!(remote.refused("owner", &["toolset", "apply", &path], 2).contains("must be an object"));
}

fn packs_are_switched(remote: &Remote) {
    let game = |remote: &Remote| {
        let listed = remote.ok("owner", &["packs", "list"]);
        listed.lines().find(|line| line.starts_with("game ")).unwrap().to_owned()
    };
    let before = json(&remote.ok("owner", &["packs", "list", "--json"]));
    let is_on =
        before.as_array().unwrap().iter().any(|pack| pack["slug"] == "game" && pack["enabled"] == true);
    assert_eq!(game(remote).starts_with("game on, "), is_on);
    remote.ok("owner", &["packs", "off", "game"]);
    assert!(game(remote).starts_with("game off, "));
    assert_eq!(remote.ok("owner", &["packs", "on", "game"]), "the pack `game` is on\n");
    assert!(game(remote).starts_with("game on, "));
    assert_eq!(remote.ok("owner", &["packs", "on", "game"]), "the pack `game` is on, as before\n");
    assert!(remote.refused("owner", &["packs", "on", "gam"], 2).contains("did you mean `game`"));
    assert!(remote.refused("member", &["packs", "off", "game"], 3).contains("`permission_denied`"));
    assert!(game(remote).starts_with("game on, "));
}
