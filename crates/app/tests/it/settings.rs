//! Wrong settings give one clear line and exit code 2; settings that can't be used give exit code 3.

use std::fs;

use toolcrib_testkit::{TestDb, both_databases};

use crate::binary::{done, folder, refused, run, toolcrib};

#[test]
fn wrong_settings_are_reported_in_one_line() {
    for (args, part) in [
        (&["serve", "--bind", "somewhere"][..], "`--bind`"),
        (&["serve", "--database", "mysql://x"], "`--database`"),
        (&["serve", "--database", "postgres://db/x"], "`--jwks-url`"),
        (&["serve", "--jwks-url", "https://x.test/keys"], "`--issuer`"),
        (&["serve", "--jwks-url", "https://x.test/keys", "--issuer", "x"], "`--audience`"),
        (
            &["serve", "--demo", "--jwks-url", "https://x.test", "--issuer", "x", "--audience", "y"],
            "`--demo`",
        ),
        (&["serve", "--log-filter", "toolcrib=loud"], "`--log-filter`"),
        (&["actions", "report", "--role", "king"], "`king`"),
    ] {
        let text = refused(args, 2);
        assert!(text.starts_with("toolcrib: ") && text.contains(part), "{text}");
    }
    assert_eq!(run(&["serve", "--no-such-flag"]).status.code(), Some(2));
}

#[test]
fn unknown_variables_are_errors_and_known_ones_are_used() {
    let output = toolcrib().env("TOOLCRIB_PORT", "1").arg("doctor").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`TOOLCRIB_PORT`"));
    let output = toolcrib().env("TOOLCRIB_DRAIN_SECONDS", "7").args(["config", "show"]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.contains("drain_seconds = 7  # environment TOOLCRIB_DRAIN_SECONDS\n"), "{shown}");
}

#[test]
fn a_usage_error_does_not_depend_on_variables() {
    let usage = |set: &[(&str, &str)], args: &[&str]| {
        let output = toolcrib().envs(set.iter().copied()).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    let set = [("TOOLCRIB_CONFIG", "/dev/null/none"), ("TOOLCRIB_CONSOLE_CLIENT_SECRET", "x")];
    for args in [&["completion"][..], &["serve", "--demo-on-network"], &["workspace", "create", "--nam"], &[]]
    {
        let text = usage(&set, args);
        assert_eq!(text, usage(&[], args));
        assert!(text.contains("Usage: toolcrib") && !text.contains("--data-dir"), "{text}");
    }
}

#[test]
fn without_a_command_the_commands_and_the_examples_are_shown() {
    let text = String::from_utf8(run(&[]).stderr).unwrap();
    assert!(text.contains("\n  serve ") && text.contains("\nExamples:\n"), "{text}");
    assert!(text.contains("Every setting (toolcrib --help)") && text.lines().count() < 60, "{text}");
}

#[test]
fn a_flag_behind_the_subcommand_counts() {
    assert!(done(&["config", "show", "--pg-pool-size", "4"]).contains("pg_pool_size = 4  # flag"));
    assert!(done(&["config", "--pg-pool-size", "5", "show"]).contains("pg_pool_size = 5  # flag"));
}

#[test]
fn unusable_databases_give_exit_code_3() {
    let folder = folder();
    let missing = folder.path().join("none");
    let text = refused(&["audit", "tail", "--workspace", "x", "--data-dir", missing.to_str().unwrap()], 3);
    assert!(text.contains("there is no database"), "{text}");
    let text = refused(&["workspace", "create", "Shop", "--data-dir", missing.to_str().unwrap()], 3);
    assert!(text.contains("`toolcrib migrate` makes one"), "{text}");
    assert!(!missing.exists(), "looking makes nothing");
    fs::write(folder.path().join("toolcrib.db"), "this is no database, whatever its name says").unwrap();
    assert!(
        refused(&["migrate", "--data-dir", folder.path().to_str().unwrap()], 3).contains("can't be opened")
    );
}

#[both_databases]
#[expect(clippy::unused_async, reason = "the attribute calls every test alike")]
async fn no_statement_of_a_migration_is_logged(db: TestDb) {
    let (folder, url) = (folder(), db.url());
    let data = folder.path().to_str().unwrap();
    let output =
        run(&["migrate", "--data-dir", data, "--database", &url, "--log-filter", "debug,sqlx=trace"]);
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !log.contains("statement"), "{log}");
}

#[both_databases]
async fn a_database_of_another_build_is_refused(db: TestDb) {
    db.raw_sql("UPDATE _sqlx_migrations SET checksum = substr(checksum, 2)").await;
    let (folder, url) = (folder(), db.url());
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    for command in [&["migrate"][..], &["serve", "--demo"]] {
        let text = refused(&[command, &["--database", &url, "--data-dir", &data]].concat(), 3);
        assert!(text.contains("was made by another build"), "{command:?}: {text}");
        assert!(text.ends_with("start with an empty database, or use the build that made it"), "{text}");
    }
}
