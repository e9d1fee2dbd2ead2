//! `key create`, `key list` and `key revoke`.

use super::{Remote, json, said};
use crate::binary::toolcrib;

pub fn keys_are_those_of_the_workspace(remote: &Remote) {
    keys_are_made_listed_and_revoked(remote);
    the_key_of_an_agent_runs_as_a_member(remote);
}

fn keys_are_made_listed_and_revoked(remote: &Remote) {
    let create =
        ["key", "create", "--name", "backend", "--scopes", "agents:read,tasks:use", "--role", "member"];
    let made = json(&remote.ok("admin", &[&create[..], &["--expires-in", "2d"]].concat()));
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("tc_") && made.as_object().unwrap().len() == 1, "{made}");

    // A key names its workspace itself, and is a token of these commands like any other.
    let with_key = |args: &[&str]| {
        let mut command = toolcrib();
        command.env("TOOLCRIB_TOKEN", secret).env("TOOLCRIB_URL", remote.server.base()).args(args);
        command.output().unwrap()
    };
    let denied = with_key(&["key", "list"]);
    assert_eq!(denied.status.code(), Some(3), "{}", said(&denied));
    assert!(said(&denied).contains("`permission_denied`"), "{}", said(&denied));

    let listed = remote.ok("admin", &["key", "list"]);
    let line = listed.lines().next().unwrap();
    assert!(line.contains(" service `backend` (member) agents:read,tasks:use, expires "), "{listed}");
    let id = line.split(' ').next().unwrap();
    assert_eq!(json(&remote.ok("admin", &["key", "list", "--json"]))[0]["id"], id);
    assert_eq!(remote.ok("admin", &["key", "revoke", id]), "the key `backend` is revoked\n");
    assert_eq!(remote.ok("admin", &["key", "revoke", id]), "the key `backend` is revoked, as before\n");
    assert!(remote.ok("admin", &["key", "list"]).lines().next().unwrap().contains(", revoked 20"));
    let refused = with_key(&["key", "list"]);
    assert!(said(&refused).contains("status 401") && !said(&refused).contains(secret), "{}", said(&refused));

    for args in [&create[..], &["key", "list"], &["key", "revoke", id]] {
        assert!(remote.refused("member", args, 3).contains("`permission_denied`, status 403"));
    }
}

fn the_key_of_an_agent_runs_as_a_member(remote: &Remote) {
    let name = ["key", "create", "--name", "checker", "--scopes", "*:read", "--kind", "agent"];
    let create =
        |member: &'static str| [&name[..], &["--agent", "Support Desk", "--runs-as", member]].concat();
    assert!(remote.refused("owner", &create("nobody"), 2).contains("`nobody` is not a member"));
    let relays = [&create("owner")[..], &["--scopes", "approvals:relay"]].concat();
    let why = remote.refused("owner", &relays, 2);
    assert_eq!(why.matches("is for service keys").count(), 1, "it is said once: {why}");
    remote.ok("owner", &create("owner"));
    let listed = json(&remote.ok("owner", &["key", "list", "--json"]));
    assert_eq!(
        (&listed[0]["agent_name"], &listed[0]["caller_types"][0]),
        (&"Support Desk".into(), &"mission".into())
    );
    // Keys of the operator belong to no workspace, so no API makes them.
    let mut command = toolcrib();
    command.args(["key", "create", "--operator", "--name", "x", "--scopes", "events:all"]);
    command.args(["--data-dir", &remote.data()]).env("TOOLCRIB_URL", "https://tools.example");
    let output = command.output().unwrap();
    assert!(output.status.success() && said(&output).contains("\"secret\": \"tc_"), "{}", said(&output));
}
