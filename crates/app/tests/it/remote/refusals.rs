//! What is refused before a request, and tokens that do not count.

use super::{Remote, ended, file, said};
use crate::binary::{refused, toolcrib};

const TOKEN: &str = "geheim-4711";

fn with(variables: &[(&str, &str)], args: &[&str]) -> String {
    let output = toolcrib().envs(variables.iter().copied()).args(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
    let text = said(&output);
    assert!(!text.contains(TOKEN), "{text}");
    text
}

#[test]
fn a_service_and_a_token_are_named_once() {
    let text = refused(&["toolset", "export", "desk"], 2);
    assert!(text.contains("name the workspace with `--workspace`, or a service with `--url`"), "{text}");
    for command in [&["approvals", "list"][..], &["packs", "list"], &["key", "list"], &["toolset", "list"]] {
        assert!(with(&[], command).contains("works over the API: name the service with `--url`"));
    }
    let https = ["approvals", "list", "--url", "https://tools.example"];
    let text = with(&[], &https);
    assert!(text.contains("set the variable `TOOLCRIB_TOKEN`, or name a file with `--token-file`"), "{text}");
    for token in ["", "two words", "geheim\n-4711", "gehéim"] {
        assert!(with(&[("TOOLCRIB_TOKEN", token)], &https).contains("visible ASCII without spaces"));
    }
    let both = with(&[("TOOLCRIB_TOKEN", TOKEN), ("TOOLCRIB_TOKEN_FILE", "/some/file")], &https);
    assert!(both.contains("leave one out"), "{both}");
    // No argument takes a token.
    assert!(with(&[], &[&https[..], &["--token", "x"]].concat()).contains("unexpected argument '--token'"));
    let shown = toolcrib().env("TOOLCRIB_TOKEN", TOKEN).args(["config", "show"]).output().unwrap();
    assert!(shown.status.success() && !said(&shown).contains(TOKEN), "{}", said(&shown));
    let tail = ["audit", "tail", "--workspace", "x", "--data-dir", "data"];
    let mixed = with(&[("TOOLCRIB_URL", "https://tools.example"), ("TOOLCRIB_TOKEN", TOKEN)], &tail);
    assert!(mixed.contains("`--data-dir` names a database"), "{mixed}");
}

#[test]
fn the_token_is_not_sent_unencrypted() {
    for url in ["http://tools.example", "http://10.0.0.1:8787/", "http://localhost.example"] {
        let text = with(&[("TOOLCRIB_TOKEN", TOKEN)], &["packs", "list", "--url", url]);
        assert!(text.contains("use `https:`"), "{text}");
    }
    let with_password = "https://ann:geheim-4711@tools.example";
    with(&[("TOOLCRIB_TOKEN", "x"), ("TOOLCRIB_URL", with_password)], &["packs", "list"]);
}

pub fn the_token_is_read_and_never_shown(remote: &Remote) {
    a_file_with_a_token_is_for_its_owner_alone(remote);
    a_wrong_token_is_told_and_not_shown(remote);
}

fn a_file_with_a_token_is_for_its_owner_alone(remote: &Remote) {
    let (base, id) = (remote.server.base(), remote.workspace_id());
    let token = remote.token("owner");
    let list = |path: &str| {
        let place = ["packs", "list", "--url", &base, "--workspace", &id, "--token-file", path];
        toolcrib().args(place).output().unwrap()
    };
    let private = file(remote.folder.path(), "private", &format!("{token}\n"), 0o600);
    assert!(ended(list(&private), &[], 0).0.contains("game "));
    for mode in [0o644, 0o640, 0o602] {
        let open = file(remote.folder.path(), "open", &token, mode);
        let (_, why) = ended(list(&open), &[], 2);
        assert!(why.contains(&format!("`chmod 600 {open}`")) && !why.contains(&token), "{why}");
    }
    let (_, why) = ended(list("/no/such/file"), &[], 3);
    assert!(why.contains("`/no/such/file` can't be read"), "{why}");
}

fn a_wrong_token_is_told_and_not_shown(remote: &Remote) {
    for log in ["info", "trace"] {
        let mut command = toolcrib();
        command.env("TOOLCRIB_TOKEN", TOKEN).env("TOOLCRIB_URL", remote.server.base());
        let output = command.args(["approvals", "list", "--log-filter", log]).output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(text.contains("(`unauthenticated`, status 401)") && !text.contains(TOKEN), "{text}");
    }
    // Without a workspace, a person of several is told what to add.
    let output = toolcrib()
        .env("TOOLCRIB_TOKEN", remote.token("owner"))
        .args(["packs", "list", "--url", &remote.server.base()])
        .output()
        .unwrap();
    assert!(said(&output).contains("send `--workspace`"), "{}", said(&output));
}
