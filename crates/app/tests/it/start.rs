//! If `serve` can't start, it prints one line that says how to fix the problem, and exits with a code.
//! `doctor` reports the problem too.

use std::{
    fs,
    net::TcpListener,
    path::Path,
    time::{Duration, Instant},
};

use crate::binary::{Server, folder, refused, run};

fn serve(data: &Path, more: &[&str]) -> Vec<String> {
    let data = data.to_str().unwrap();
    ["serve", "--bind", "127.0.0.1:0", "--data-dir", data]
        .iter()
        .chain(more)
        .map(ToString::to_string)
        .collect()
}

fn stopped(data: &Path, more: &[&str], code: i32) -> String {
    let args = serve(data, more);
    refused(&args.iter().map(String::as_str).collect::<Vec<_>>(), code)
}

/// `doctor` fails with a line that contains this text.
fn ails(data: &Path, told: &str) {
    let output = run(&["doctor", "--data-dir", data.to_str().unwrap()]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.lines().any(|line| line.starts_with("FAIL") && line.contains(told)), "{text}");
}

#[test]
fn files_of_a_demo_that_are_lost_or_broken_are_reported_at_start() {
    let folder = folder();
    let data = folder.path().join("data");
    assert_eq!(Server::start(folder.path(), &["--demo"]).stop(), Some(0));
    a_broken_secret_key_is_reported_at_start(&data);
    a_lost_issuer_key_is_reported_and_not_created_anew(&data);
    a_lost_demo_file_is_reported_and_the_demo_not_created_twice(&data);
    // All were put back.
    assert_eq!(Server::start(folder.path(), &["--demo"]).stop(), Some(0));
    // `token mint` creates a new issuer key.
    fs::remove_file(data.join("issuer.pem")).unwrap();
    crate::binary::done(&["token", "mint", "--user", "owner", "--data-dir", data.to_str().unwrap()]);
    assert_eq!(Server::start(folder.path(), &[]).stop(), Some(0));
}

fn a_broken_secret_key_is_reported_at_start(data: &Path) {
    let key = data.join("secret.key");
    let right = fs::read(&key).unwrap();
    fs::write(&key, "short").unwrap();
    assert!(
        stopped(data, &["--demo"], 3)
            .contains("secret.key` is no key of stored secrets, put the right one back")
    );
    ails(data, "secret.key");
    fs::write(&key, right).unwrap();
}

/// Makes the key of secrets and takes it away again.
pub async fn a_key_of_secrets_that_breaks_before_it_is_needed_is_not_ready(server: &Server, data: &Path) {
    let key = data.join("secret.key");
    let ready = async || reqwest::get(format!("{}/readyz", server.base())).await.unwrap().status().as_u16();
    assert_eq!(ready().await, 200, "it is made when it is needed");
    fs::write(&key, "short").unwrap();
    assert_eq!(ready().await, 503);
    fs::remove_file(&key).unwrap();
    assert_eq!(ready().await, 200);
}

fn a_lost_issuer_key_is_reported_and_not_created_anew(data: &Path) {
    let pem = data.join("issuer.pem");
    let right = fs::read(&pem).unwrap();
    fs::remove_file(&pem).unwrap();
    assert!(
        stopped(data, &["--demo"], 3).contains("the tokens in `demo.json` were signed with it: put it back")
    );
    assert!(stopped(data, &[], 3).contains("`toolcrib token mint`"));
    assert!(!pem.exists(), "nothing is made");
    ails(data, "issuer.pem");
    fs::write(&pem, "no key").unwrap();
    assert!(stopped(data, &[], 3).contains("`issuer.pem` is no Ed25519 key"));
    ails(data, "issuer.pem");
    fs::write(&pem, right).unwrap();
}

fn a_lost_demo_file_is_reported_and_the_demo_not_created_twice(data: &Path) {
    let list = || crate::binary::done(&["workspace", "list", "--data-dir", data.to_str().unwrap()]);
    let before = list();
    let file = data.join("demo.json");
    let right = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    assert!(stopped(data, &["--demo"], 3).contains("the demo is in this database already"));
    assert_eq!((list(), before.lines().count()), (before.clone(), 2));
    fs::write(&file, "{").unwrap();
    assert!(stopped(data, &["--demo"], 3).contains("`demo.json`"));
    ails(data, "demo.json");
    fs::write(&file, right).unwrap();
}

#[test]
fn a_postgresql_that_refuses_connections_is_reported_at_start() {
    let folder = folder();
    let data = folder.path().join("data");
    // Nothing listens on a port that was just released.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("postgres://toolcrib:hunter2@127.0.0.1:{port}/tools");
    let begun = Instant::now();
    let text = stopped(&data, &["--demo", "--database", &url], 3);
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert!(
        text.contains("can't be opened") && text.contains("refused") && !text.contains("hunter2"),
        "{text}"
    );
    assert!(!text.contains("pool"), "{text}");
    let output = run(&["doctor", "--data-dir", data.to_str().unwrap(), "--database", &url]);
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(1) && shown.contains("refused"), "{shown}");
}

/// Each setting is reported although the port is taken, because settings are checked first.
#[test]
fn bad_settings_are_reported_before_a_taken_port() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let bind = taken.local_addr().unwrap().to_string();
    let folder = folder();
    let data = folder.path().join("data");
    for (flags, code, told) in [
        (&["--prometheus-url", "http://["][..], 2, "`--prometheus-url`"),
        (&["--loki-url", "http://["], 2, "`--loki-url`"),
        (&["--secret-key", "short"], 2, "`--secret-key`"),
        (&["--audit-key", "short"], 2, "`--audit-key`"),
        (&["--audit-public-keys", "short"], 2, "`--audit-public-keys`"),
        (&["--audit-anchor", "https://["], 2, "`--audit-anchor`"),
        (&["--audit-anchor", "/dev/null/none"], 3, "`--audit-anchor`"),
        (&["--jwks-url", "https://[", "--issuer", "x", "--audience", "y"], 2, "`--jwks-url`"),
    ] {
        let args: Vec<&str> = flags.iter().copied().chain(["--bind", bind.as_str()]).collect();
        let serve = ["serve", "--data-dir", data.to_str().unwrap()];
        let text = refused(&[&serve[..], &args].concat(), code);
        assert!(text.contains(told), "{text}");
    }
    let text = refused(&["serve", "--data-dir", data.to_str().unwrap(), "--bind", &bind], 3);
    assert!(text.contains(&format!("can't listen on {bind}")), "{text}");
    assert!(!data.join("toolcrib.db").exists(), "no database was opened");
}
