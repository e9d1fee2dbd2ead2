//! A service whose responses are wrong.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, interval_at};

use super::serve;

/// The kind of wrong response.
#[derive(Clone, Copy, Debug)]
pub enum Wrong {
    /// A byte every 100 ms, without end.
    Slow,
    /// This status, with a body that must not be passed on.
    Status(u16),
    /// An HTML page instead of JSON.
    Html,
    /// JSON of another shape.
    OtherJson,
    /// 1 GiB of an incomplete JSON text.
    Huge,
    /// A redirect with this status.
    Moved(u16),
}

/// A service that answers every request with the same wrong response.
pub struct Hostile {
    /// The base URL.
    pub url: String,
    /// The number of bytes of [`Wrong::Huge`] that were read.
    pub sent: Arc<AtomicU64>,
    /// The number of requests that followed a redirect.
    pub followed: Arc<AtomicUsize>,
}

impl Hostile {
    /// The text in bodies that must not be passed on.
    pub const SECRET: &'static str = "the-secret-of-the-upstream";

    pub async fn start(wrong: Wrong) -> Self {
        let (sent, followed) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicUsize::new(0)));
        let counted = followed.clone();
        let elsewhere = serve(Router::new().fallback(move || async move {
            counted.fetch_add(1, Ordering::SeqCst);
            "{}"
        }))
        .await;
        let taken = sent.clone();
        let url =
            serve(Router::new().fallback(move || async move { answer(wrong, &elsewhere, &taken) })).await;
        Self { url, sent, followed }
    }
}

fn answer(wrong: Wrong, elsewhere: &str, sent: &Arc<AtomicU64>) -> Response {
    let secret = Hostile::SECRET;
    let of = |status| StatusCode::from_u16(status).expect("a status");
    match wrong {
        Wrong::Slow => {
            let tenth = Duration::from_millis(100);
            let beat = interval_at(Instant::now() + tenth, tenth);
            let drops = stream::unfold(beat, |mut beat| async {
                beat.tick().await;
                Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), beat))
            });
            Body::from_stream(drops).into_response()
        }
        Wrong::Status(status) => (of(status), secret).into_response(),
        Wrong::Html => format!("<html>{secret}</html>").into_response(),
        Wrong::OtherJson => format!(r#"{{"status":"{secret}","data":["{secret}"]}}"#).into_response(),
        Wrong::Huge => {
            let chunk = Bytes::from(vec![b'['; 64 * 1024]);
            let sent = sent.clone();
            let flood = stream::iter(0..16 * 1024).map(move |_| {
                sent.fetch_add(chunk.len() as u64, Ordering::SeqCst);
                Ok::<_, std::io::Error>(chunk.clone())
            });
            Body::from_stream(flood).into_response()
        }
        Wrong::Moved(status) => {
            (of(status), [(header::LOCATION, format!("{elsewhere}/{secret}"))]).into_response()
        }
    }
}
