//! Outputs that are compared with golden files, so that changes are seen. `UPDATE_GOLDEN=1` rewrites the
//! files.

use std::{fmt::Write as _, fs, path::Path};

use toolcrib_model::ErrorCode;

use crate::binary::{done, refused, run};

#[expect(clippy::disallowed_methods, reason = "a switch of the test, not a setting")]
fn compare(file: &str, text: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var("UPDATE_GOLDEN").is_ok() {
        fs::create_dir_all(golden.parent().unwrap()).unwrap();
        fs::write(&golden, text).unwrap();
    }
    let held = fs::read_to_string(&golden).unwrap_or_default();
    assert!(held == text, "`{file}` differs; UPDATE_GOLDEN=1 rewrites it:\n{text}");
}

#[test]
fn golden_help() {
    let mut text = String::new();
    for command in [
        "",
        "serve",
        "migrate",
        "doctor",
        "openapi",
        "tools",
        "config",
        "actions",
        "workspace create",
        "member add",
        "key create",
        "token mint",
        "console link",
        "audit tail",
        "audit export",
        "audit verify",
        "workspace list",
        "toolset",
        "toolset check",
        "toolset matrix",
        "toolset import openapi",
        "toolset apply",
        "approvals",
        "approvals approve",
        "packs",
    ] {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let help = done(&args);
        // All commands have the same settings, so these are shown once.
        let shown = if command.is_empty() { &help } else { help.split("\nSettings:").next().unwrap() };
        let gap = if command.is_empty() { "" } else { " " };
        writeln!(text, "$ toolcrib {command}{gap}--help\n{}\n", shown.trim_end()).unwrap();
    }
    compare("crates/app/tests/golden/help.txt", &text);
}

#[test]
fn golden_actions() {
    compare("docs/golden/actions.txt", &done(&["actions", "list"]));
}

#[test]
fn golden_matrix() {
    compare("docs/golden/matrix.md", &done(&["actions", "matrix"]));
}

/// Read every changed line: this is all that models and people see of an action.
#[test]
fn golden_texts() {
    let texts = done(&["actions", "texts"]);
    compare("docs/golden/texts.txt", &texts);
    let empty: Vec<&str> = texts.lines().filter(|line| line.trim_end().ends_with(':')).collect();
    assert!(empty.is_empty(), "a parameter or field has no text: {empty:#?}");
}

/// The texts that `/docs/errors` and `/docs/errors/{code}` show.
#[test]
fn golden_errors() {
    let mut text = String::new();
    for code in ErrorCode::ALL {
        let retry = if code.retryable() { "retry" } else { "" };
        writeln!(text, "{} {} {retry}", code.as_str(), code.status()).unwrap();
        writeln!(text, "  {}: {}", code.title(), code.about()).unwrap();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    compare("docs/golden/errors.txt", &(lines.join("\n") + "\n"));
}

#[test]
fn golden_openapi() {
    compare("openapi/openapi.json", &done(&["openapi"]));
}

#[test]
fn a_tool_list_is_what_the_caller_would_get() {
    let list = |role: &str, more: &[&str]| -> serde_json::Value {
        serde_json::from_str(&done(&[&["tools", "--role", role], more].concat())).unwrap()
    };
    let (viewer, admin) = (list("viewer", &[]), list("admin", &[]));
    assert!(viewer["actions"].as_u64() < admin["actions"].as_u64());
    let found =
        list("member", &["--format", "anthropic", "--strategy", "filtered", "--query", "list my agents"]);
    let names: Vec<&str> =
        found["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"platform_list_agents"), "{names:?}");
    assert!(refused(&["tools", "--role", "member", "--format", "xml"], 2).contains("`format` must be"));
}

#[test]
fn the_catalogue_is_linted_listed_and_reported() {
    assert!(done(&["actions", "lint"]).contains("no defects"));
    for (offered, shown, hidden) in
        [("game", "game_", "media_"), ("media", "media_", "game_"), ("none", "platform_", "game_")]
    {
        let matrix = done(&["actions", "matrix", "--packs", offered]);
        assert!(matrix.contains(shown) && !matrix.contains(hidden), "{matrix}");
    }
    let all: serde_json::Value = serde_json::from_str(&done(&["actions", "list", "--json"])).unwrap();
    let lines = done(&["actions", "list"]);
    assert_eq!(all.as_array().unwrap().len(), lines.lines().count());
    let one: serde_json::Value = serde_json::from_str(&done(&["actions", "show", "delete_agent"])).unwrap();
    assert_eq!((&one["name"], &one["confirmation"]), (&"platform_delete_agent".into(), &"typed".into()));
    let report = done(&["actions", "report", "--role", "member"]);
    assert!(report.contains("| `platform_delete_agent` | destructive | needs another role |"), "{report}");
    assert!(report.contains("| `platform_list_agents` | read | yes |"), "{report}");
    let report =
        done(&["actions", "report", "--role", "admin", "--caller-type", "mission", "--caller-name", "x"]);
    assert!(report.starts_with("# What a user with the role admin, calling as mission, named x may call\n"));
    let why = done(&["actions", "explain", "list_agents", "--role", "viewer"]);
    assert!(why.starts_with("`platform_list_agents` by a user with the role viewer: yes\n"), "{why}");
    let denied = run(&["actions", "explain", "delete_agent", "--role", "editor"]);
    let why = String::from_utf8(denied.stdout).unwrap();
    assert_eq!(denied.status.code(), Some(1), "{why}");
    let needs = "  fails   role            it needs the permission `agents:delete`, which roles from \
        `admin` up have; the role is `editor`";
    assert!(why.lines().any(|line| line == needs), "{why}");
    let wrong = ["actions", "report", "--role", "admin", "--caller-type", "missions"];
    assert!(refused(&wrong, 2).contains("`missions` is not a caller type"));
}

#[test]
fn an_unknown_action_gets_a_suggestion() {
    let text = refused(&["actions", "show", "list_agent"], 2);
    assert!(text.ends_with("did you mean `platform_list_agents`?"), "{text}");
}
