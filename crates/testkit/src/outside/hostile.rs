//! A service that does everything wrong.

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

/// What is wrong with its answers.
#[derive(Clone, Copy, Debug)]
pub enum Wrong {
    /// A byte every tenth of a second, for ever.
    Slow,
    /// This status, with a body that nobody may see.
    Status(u16),
    /// A page instead of JSON.
    Html,
    /// JSON of another kind.
    OtherJson,
    /// 1 GiB of an unfinished JSON text.
    Huge,
    /// It says that it is somewhere else.
    Moved(u16),
}

/// What stands in the bodies that nobody may see.
const SECRET: &str = "the-secret-of-the-upstream";

/// It answers every question in the same wrong way.
pub struct Hostile {
    /// Its base URL.
    pub url: String,
    /// How many bytes of a huge answer were taken.
    pub sent: Arc<AtomicU64>,
    /// How many followed where it said that it is.
    pub followed: Arc<AtomicUsize>,
}

impl Hostile {
    /// What stands in the bodies that nobody may see.
    pub const SECRET: &'static str = SECRET;

    /// Starts one.
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
        Wrong::Status(status) => (of(status), SECRET).into_response(),
        Wrong::Html => format!("<html>{SECRET}</html>").into_response(),
        Wrong::OtherJson => format!(r#"{{"status":"{SECRET}","data":["{SECRET}"]}}"#).into_response(),
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
            (of(status), [(header::LOCATION, format!("{elsewhere}/{SECRET}"))]).into_response()
        }
    }
}
