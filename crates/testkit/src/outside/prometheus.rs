//! A Prometheus server with the test's samples, and an Alertmanager server.

use std::{fs, process::Command};

use super::process::{Plan, Server};

/// Starts a Prometheus that holds exactly the samples of a text in the `OpenMetrics` format. Each sample has
/// a timestamp in seconds. The text must end with `# EOF`.
pub async fn prometheus(openmetrics: &str) -> Server {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (samples, data, config) =
        (folder.path().join("samples"), folder.path().join("data"), folder.path().join("config.yml"));
    fs::write(&samples, openmetrics).expect("the folder can be written");
    fs::write(&config, "scrape_configs: []\n").expect("the folder can be written");
    let made = Command::new("promtool")
        .args(["tsdb", "create-blocks-from", "openmetrics"])
        .args([&samples, &data])
        .output()
        .expect("`promtool` can be started: scripts/test installs the package `prometheus`");
    assert!(made.status.success(), "promtool: {}", String::from_utf8_lossy(&made.stderr));
    let plan = Plan { program: "prometheus", package: "prometheus", ready: "/-/ready", folder };
    Server::start(plan, |address| {
        vec![
            format!("--config.file={}", config.display()),
            format!("--storage.tsdb.path={}", data.display()),
            // The samples are as old as the test's clock.
            "--storage.tsdb.retention.time=100y".to_owned(),
            format!("--web.listen-address={address}"),
            "--log.level=warn".to_owned(),
        ]
    })
    .await
}

/// Starts an Alertmanager that delivers to a webhook (its URL and the bearer token to send) at once, or
/// delivers nothing.
pub async fn alertmanager(webhook: Option<(&str, &str)>) -> Server {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (config, data) = (folder.path().join("config.yml"), folder.path().join("data"));
    let receiver = webhook.map_or_else(String::new, |(url, token)| {
        format!(
            "\n    webhook_configs:\n      - url: {url}\n        send_resolved: true\n        http_config:\n          \
             authorization:\n            credentials: {token}"
        )
    });
    let text = format!(
        "route:\n  receiver: test\n  group_by: ['...']\n  group_wait: 10ms\n  group_interval: 1s\n  \
         repeat_interval: 1h\nreceivers:\n  - name: test{receiver}\n"
    );
    fs::write(&config, text).expect("the folder can be written");
    let plan = Plan {
        program: "prometheus-alertmanager",
        package: "prometheus-alertmanager",
        ready: "/-/ready",
        folder,
    };
    Server::start(plan, |address| {
        vec![
            format!("--config.file={}", config.display()),
            format!("--storage.path={}", data.display()),
            format!("--web.listen-address={address}"),
            // The server has no peers.
            "--cluster.listen-address=".to_owned(),
            "--log.level=warn".to_owned(),
        ]
    })
    .await
}
