//! What a release has beside the binary: completion, manual pages, and one version.

use std::{fs, path::Path};

use crate::binary::{done, folder, refused, run};

#[test]
fn each_shell_has_a_completion() {
    for shell in ["bash", "fish", "zsh"] {
        let script = done(&["completion", shell]);
        assert!(script.contains("toolcrib") && script.contains("demo-on-network"), "{shell}");
    }
    assert_eq!(run(&["completion", "tcl"]).status.code(), Some(2));
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = folder();
    let folder = folder.path().join("share/man1");
    assert_eq!(done(&["man", folder.to_str().unwrap()]), "");
    for (page, part) in [
        ("toolcrib", "serve \\-\\-demo"),
        ("toolcrib-serve", "strict\\-start"),
        ("toolcrib-serve", "data\\-dir"),
        ("toolcrib-toolset-import-openapi", "exclude"),
        ("toolcrib-audit-verify", "against"),
    ] {
        let text = fs::read_to_string(folder.join(format!("{page}.1"))).unwrap();
        assert!(text.contains(part), "{page}: {text}");
        let synopsis = text.split_once("\n.SH SYNOPSIS\n").unwrap().1.split_once("\n.SH ").unwrap().0;
        assert!(synopsis.starts_with(&format!("\\fB{}\\fR [OPTIONS]", page.replace('-', " "))), "{synopsis}");
        assert!(!synopsis.contains("data"), "the settings are among the options only: {synopsis}");
    }
    let text = refused(&["man", "/dev/null/none"], 3);
    assert!(text.contains("the manual can't be written into /dev/null/none"), "{text}");
}

#[test]
fn everything_has_one_version() {
    let version = env!("CARGO_PKG_VERSION");
    let told = done(&["--version"]);
    let rest = told.trim_end().strip_prefix(&format!("toolcrib {version}")).unwrap();
    assert!(rest.is_empty() || (rest.starts_with(" (") && rest.ends_with(')')), "{told}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, line) in [
        ("clients/python/pyproject.toml", format!("version = \"{version}\"")),
        ("clients/typescript/package.json", format!("\"version\": \"{version}\",")),
        ("deploy/helm/Chart.yaml", format!("version: {version}")),
        ("deploy/helm/Chart.yaml", format!("appVersion: {version}")),
        ("CHANGELOG.md", format!("## [{version}] - 20")),
    ] {
        let text = fs::read_to_string(root.join(file)).unwrap();
        assert!(text.lines().any(|one| one.trim_start().starts_with(&line)), "{file} has no `{line}`");
    }
}
