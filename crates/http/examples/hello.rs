//! A bare JSON hello: what the machine and axum give before Toolcrib does anything. `scripts/bench` measures
//! against it.

use axum::{Json, Router, routing::get};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new().route("/", get(|| async { Json(serde_json::json!({ "hello": "world" })) }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app).await
}
