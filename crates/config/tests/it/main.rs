//! Settings from flags and files, and the golden schema. Environment variables are tested with the binary,
//! because a process has only one environment.

#![expect(clippy::unwrap_used, reason = "tests")]

mod assistant;

use std::{ffi::OsString, fs, path::Path};

use clap::Command;
use toolcrib_config::{Anchor, ConfigError, Database, Loaded, load, schema, show, with_flags};
use toolcrib_model::ProxyHeader;

fn parse(flags: &[&str], environment: &[&str]) -> Result<Loaded, ConfigError> {
    let command = with_flags(Command::new("toolcrib").subcommand(Command::new("serve")));
    let matches = command.try_get_matches_from([&["toolcrib", "serve"], flags].concat()).unwrap();
    load(&matches, environment.iter().map(OsString::from))
}

fn refused(flags: &[&str]) -> String {
    let text = parse(flags, &[]).unwrap_err().to_string();
    assert!(!text.contains('\n'), "{text}");
    text
}

#[test]
fn defaults_apply_without_other_values() {
    let settings = parse(&[], &["PATH"]).unwrap().settings;
    assert_eq!(settings.bind.to_string(), "127.0.0.1:8787");
    assert_eq!(settings.confirmation_minutes, 15);
    assert!(
        matches!(settings.database, Database::Sqlite(path) if path == Path::new("./.toolcrib/toolcrib.db"))
    );
}

#[test]
fn flags_win_over_the_file_and_the_file_over_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toolcrib.toml");
    fs::write(&file, "bind = \"127.0.0.1:1\"\npg_pool_size = 3\ncaller_types = [\"chat\", \"api\"]\n")
        .unwrap();
    let file = file.to_str().unwrap();
    let loaded = parse(&["--config", file, "--bind", "127.0.0.1:2"], &[]).unwrap();
    assert_eq!(loaded.settings.bind.port(), 2);
    assert_eq!(loaded.settings.pg_pool_size, 3);
    assert_eq!(loaded.settings.caller_types, ["chat", "api"]);
    let shown = show(&loaded);
    assert!(shown.contains("bind = \"127.0.0.1:2\"  # flag\n"), "{shown}");
    assert!(shown.contains(&format!("pg_pool_size = 3  # file {file}\n")), "{shown}");
    assert!(shown.contains("drain_seconds = 10  # default\n"), "{shown}");
    assert!(shown.contains("caller_types = [\"chat\", \"api\"]"), "{shown}");
}

#[test]
fn proxies_are_addresses_and_ranges() {
    let flags = ["--trusted-proxies", "10.0.0.0/8, 2001:db8::1", "--proxy-header", "forwarded"];
    let edge = parse(&flags, &[]).unwrap().settings.edge;
    assert_eq!(edge.trusted_proxies, ["10.0.0.0/8".parse().unwrap(), "2001:db8::1".parse().unwrap()]);
    assert_eq!(edge.proxy_header, ProxyHeader::Forwarded);
    assert_eq!(
        refused(&["--trusted-proxies", "10.0.0.0/8,proxy"]),
        "`--trusted-proxies` (from the flag) must be an IP address or a range, such as 10.0.0.0/8, \
         not `proxy`"
    );
    assert!(refused(&["--proxy-header", "x-real-ip"]).contains("must be x-forwarded-for or forwarded"));
    assert!(refused(&["--metrics-token", "short"]).contains("16 characters"));
}

#[test]
fn unknown_keys_and_variables_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toolcrib.toml");
    fs::write(&file, "port = 1\n").unwrap();
    assert!(refused(&["--config", file.to_str().unwrap()]).starts_with("`port` in `"));
    fs::write(&file, "bind = 1\n").unwrap();
    assert_eq!(
        refused(&["--config", file.to_str().unwrap()]),
        "`--bind` (from the file) must be a text in quotes"
    );
    fs::write(&file, "bind = \n").unwrap();
    assert!(refused(&["--config", file.to_str().unwrap()]).contains("can't be read: line 1: "));
    assert!(refused(&["--config", "/nowhere.toml"]).contains("can't be read"));
    assert!(parse(&[], &["TOOLCRIB_CONFIG", "TOOLCRIB_BIND"]).is_ok());
    let unknown = parse(&[], &["TOOLCRIB_PORT"]).unwrap_err();
    assert!(matches!(unknown, ConfigError::UnknownVariable(name) if name == "TOOLCRIB_PORT"));
}

#[test]
fn wrong_values_are_named_with_what_to_give() {
    assert_eq!(
        refused(&["--bind", "here"]),
        "`--bind` (from the flag) must be an address and a port, such as 127.0.0.1:8787"
    );
    for flags in
        [["--pg-pool-size", "0"], ["--drain-seconds", "-"], ["--log-format", "xml"], ["--public-url", "x"]]
    {
        assert!(refused(&flags).starts_with(&format!("`{}` ", flags[0])));
    }
    let text = refused(&["--database", "mysql://root:hunter2@db/x"]);
    assert!(text.contains("must be sqlite:PATH") && !text.contains("hunter2"), "{text}");
}

#[test]
fn an_identity_provider_is_named_completely_or_not_at_all() {
    let url = ["--jwks-url", "https://issuer.test/keys"];
    assert!(refused(&url).contains("`--issuer`"));
    assert!(refused(&[&url[..], &["--issuer", "i"]].concat()).contains("`--audience`"));
    assert!(refused(&["--audience", "a"]).contains("go with `--jwks-url`"));
    assert!(parse(&[&url[..], &["--issuer", "i", "--audience", "a"]].concat(), &[]).is_ok());
    assert!(refused(&["--mcp-audience", "m"]).contains("go with `--jwks-url`"));
    let same = ["--issuer", "i", "--audience", "a", "--mcp-audience", "a"];
    assert!(refused(&[&url[..], &same].concat()).contains("must differ"));
    assert!(parse(&[&url[..], &["--issuer", "i", "--authorized-parties", "p,q"]].concat(), &[]).is_ok());
}

#[test]
fn a_password_is_never_shown() {
    for url in [
        "postgres://u:hunter2@db:5432/x",
        "postgres://u:hunter2@db/x?password=hunter2",
        "postgres://u:hu@hunter2@db/x",
    ] {
        let loaded = parse(&["--database", url], &[]).unwrap();
        let text = format!("{} {loaded:?}", show(&loaded));
        assert!(!text.contains("hunter2"), "{text}");
        assert!(show(&loaded).contains("u:***@db"), "{}", show(&loaded));
        let more = ["--audit-database", url, "--worker-database", url, "--owner-database", url];
        let loaded = parse(&[&["--database", url], &more[..]].concat(), &[]).unwrap();
        let text = format!("{} {loaded:?}", show(&loaded));
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn three_logins_are_named_completely_or_not_at_all() {
    let (app, audit, worker) = ("postgres://a:pw@db/x", "postgres://b:pw@db/x", "postgres://c:pw@db/x");
    let all =
        ["--database", app, "--audit-database", audit, "--worker-database", worker, "--owner-database", app];
    let settings = parse(&all, &[]).unwrap().settings;
    assert!(settings.logins.is_some() && settings.owner_database.is_some());
    assert!(refused(&all[..4]).contains("go together"));
    let pooler = ["--pg-pooler", "transaction"];
    assert!(parse(&[&all[..], &pooler].concat(), &[]).unwrap().settings.logins.unwrap().pooled);
    assert!(refused(&[&all[..2], &pooler].concat()).contains("needs `--audit-database`"));
    assert!(refused(&["--pg-pooler", "session"]).contains("must be none or transaction"));
    let text = refused(&all[2..6]);
    assert!(text.contains("goes with a `--database`") && !text.contains("pw"), "{text}");
    let text = refused(&["--database", app, "--owner-database", "mysql://root:pw@db/x"]);
    assert!(text.contains("must be postgres://") && !text.contains("pw"), "{text}");
    assert!(parse(&["--database", app], &[]).unwrap().settings.logins.is_none());
}

#[test]
fn heads_are_kept_in_a_file_or_at_an_address() {
    let anchor = |text: &str| parse(&["--audit-anchor", text], &[]).unwrap().settings.audit_anchor.unwrap();
    assert!(
        matches!(anchor("/mnt/heads.jsonl"), Anchor::File(path) if path == Path::new("/mnt/heads.jsonl"))
    );
    assert!(matches!(anchor("https://keeper.test/x"), Anchor::Url(_)));
    assert!(refused(&["--audit-anchor", "ftp://keeper.test"]).contains("`--audit-anchor`"));
    let loaded = parse(&["--audit-anchor", "https://u:hunter2@keeper.test/x?token=hunter2"], &[]).unwrap();
    let text = format!("{} {loaded:?}", show(&loaded));
    assert!(!text.contains("hunter2") && text.contains("keeper.test"), "{text}");
}

#[test]
fn outside_services_are_named_with_their_tokens_and_no_token_is_shown() {
    let flags = [
        ["--prometheus-url", "https://reader:hunter2@metrics.test/prom"],
        ["--prometheus-token", "hunter2-prometheus"],
        ["--loki-url", "http://loki.test:3100"],
        ["--loki-token", "hunter2-loki"],
        ["--alertmanager-url", "http://alerts.test"],
        ["--alertmanager-token", "hunter2-alerts"],
        ["--alertmanager-webhook-token", "hunter2-of-sixteen-or-more"],
        ["--railway-token", "hunter2-railway"],
        ["--railway-project", "p1"],
    ];
    let loaded = parse(&flags.concat(), &[]).unwrap();
    let text = format!("{} {loaded:?}", show(&loaded));
    assert!(!text.contains("hunter2"), "{text}");
    assert!(show(&loaded).contains("prometheus_url = \"https://***@metrics.test/prom\"  # flag\n"));
    assert!(show(&loaded).contains("loki_token = \"***\"  # flag\n"));
    let outside = loaded.settings.outside;
    assert_eq!(
        (outside.workspace_label.as_str(), outside.loki_service_label.as_str()),
        ("workspace", "service_name")
    );
    assert_eq!(outside.railway_environment, "production");
    assert!(parse(&[], &[]).unwrap().settings.outside.prometheus_url.is_none());
}

#[test]
fn mistakes_in_connector_settings_are_reported() {
    assert!(refused(&["--railway-token", "hunter2"]).contains("`--railway-project`"));
    assert!(refused(&["--railway-project", "p"]).contains("go together"));
    assert!(refused(&["--alertmanager-webhook-token", "hunter2"]).contains("16 characters"));
    for label in ["", "a-b", "__name__", "1a", "ü", "a\"b"] {
        assert!(refused(&["--workspace-label", label]).contains("`--workspace-label`"), "{label}");
    }
    assert!(
        refused(&["--prometheus-url", "file:///etc/passwd"]).contains("must begin with https:// or http://")
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a switch of the test, not a setting")]
fn the_schema_is_golden() {
    let text = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/schema.json");
    if std::env::var("UPDATE_GOLDEN").is_ok() {
        fs::write(&golden, &text).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&golden).unwrap_or_default(),
        text,
        "UPDATE_GOLDEN=1 rewrites {}",
        golden.display()
    );
}

#[test]
fn embedding_sites_are_origins() {
    let edge =
        parse(&["--embed-origins", "https://app.example, http://localhost:3000"], &[]).unwrap().settings.edge;
    assert_eq!(edge.embed_origins, ["https://app.example", "http://localhost:3000"]);
    for bad in
        ["*", "null", "app.example", "https://app.example/", "https://app.example:443", "https://App.example"]
    {
        assert!(
            refused(&["--embed-origins", bad]).contains("must be origins, such as https://app.example"),
            "{bad}"
        );
    }
}

#[test]
fn the_console_is_a_client_of_the_provider_with_an_address_to_come_back_to() {
    let provider = ["--jwks-url", "https://id.test/jwks", "--issuer", "https://id.test", "--audience", "api"];
    let console = ["--console-client-id", "console"];
    let public = ["--public-url", "https://tools.example"];
    let settings = parse(&[&provider[..], &console, &public].concat(), &[]).unwrap().settings;
    assert_eq!(settings.console_client_id.as_deref(), Some("console"));
    assert!(refused(&[&provider[..], &console].concat()).contains("needs `--public-url`"));
    assert!(refused(&[&console[..], &public].concat()).contains("needs `--jwks-url`"));
    assert!(refused(&["--console-client-secret", "s"]).contains("needs `--console-client-id`"));
}
