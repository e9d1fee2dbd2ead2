//! A bare JSON hello: what the machine and axum give before Toolcrib does anything. `scripts/bench` measures
//! against it. It answers every other path and method in the same way, so that it is also the upstream of the
//! calls that `scripts/bench calls` measures.

use axum::{Json, Router, routing::get};

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let hello = || async { Json(serde_json::json!({ "hello": "world" })) };
    let app = Router::new().route("/", get(hello)).fallback(hello);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}", listener.local_addr()?);
    axum::serve(listener, app).await
}
