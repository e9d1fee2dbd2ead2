//! External services for tests: Prometheus, Alertmanager, Redis and PostgreSQL as child processes, simple
//! implementations of the protocols of Loki and Railway, an MCP server, and a service with wrong responses.

mod hostile;
mod logql;
mod loki;
mod mcp_server;
mod postgres;
mod process;
mod prometheus;
mod railway;
mod redis;
mod rest_service;

pub use hostile::{Hostile, Wrong};
pub use logql::{Comparison, LogQl};
pub use loki::Loki;
pub use mcp_server::{McpAnswer, McpServer};
pub use postgres::{Postgres, Stop};
pub use process::Server;
pub use prometheus::{alertmanager, prometheus};
pub use railway::Railway;
pub use redis::Redis;
pub use rest_service::{ReceivedRequest, RestService, ServiceAnswer};

use axum::Router;

/// Serves a router on a free local port and returns its base URL. The server ends with the test's runtime.
async fn serve(app: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let base = format!("http://{}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async move { axum::serve(listener, app).await });
    base
}
