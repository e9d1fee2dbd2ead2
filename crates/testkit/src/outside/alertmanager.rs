//! An Alertmanager server.

use std::fs;

use super::process::{Plan, Server};

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
