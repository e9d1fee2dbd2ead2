//! When a waiting stream wakes, and when it ends.

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::timeout;
use toolcrib_engine::EventReader;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use super::{domain, open, operators::operator, seen, tell};
use crate::things::app;

/// Far longer than it takes to notice an event.
const PATIENCE: Duration = Duration::from_secs(10);

/// Waits until the stream wakes. Returns `false` if the stream has ended.
async fn woken(reader: &mut EventReader) -> bool {
    timeout(PATIENCE, reader.wait()).await.unwrap()
}

#[both_databases]
async fn an_event_wakes_whom_it_concerns(db: TestDb) {
    let app = app(db).await;
    let (ours, theirs) = (app.owner().authenticated, app.as_role_b(Role::Owner).authenticated);
    let all = operator("events:all", None);
    let mut first = open(&app, &ours, None).await.unwrap();
    // The first poll of the outbox wakes every reader that waits by then. Later ones wake readers only for
    // events.
    assert!(woken(&mut first).await);
    let mut second = open(&app, &theirs, None).await.unwrap();
    let mut everywhere = open(&app, &all, None).await.unwrap();
    tell(&app, app.b.workspace, vec![domain("theirs")]).await;
    assert!(woken(&mut second).await && woken(&mut everywhere).await);
    assert_eq!(seen(&mut second, &theirs).await, ["theirs"]);
    assert_eq!(seen(&mut everywhere, &all).await, ["theirs"]);
    assert_eq!(first.wait().now_or_never(), None, "another workspace's event wakes nobody here");
    tell(&app, app.a.workspace, vec![domain("ours")]).await;
    assert!(woken(&mut first).await && woken(&mut everywhere).await);
    assert_eq!(seen(&mut first, &ours).await, ["ours"]);
    assert_eq!(second.wait().now_or_never(), None);
}

#[both_databases]
async fn streams_end_with_the_process(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().authenticated;
    let mut reader = open(&app, &owner, None).await.unwrap();
    assert!(woken(&mut reader).await);
    let waiting = tokio::spawn(async move { woken(&mut reader).await });
    app.engine.end_events();
    assert!(!waiting.await.unwrap());
}
