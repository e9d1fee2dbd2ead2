mod hand;

use futures_util::poll;
use sqlx::{SqliteConnection, sqlite::SqliteConnectOptions};

use super::*;

async fn pool(max_connections: u32) -> Pool<SqliteConnection> {
    let options = SqliteConnectOptions::new().in_memory(true);
    Pool::open("reads", options, Box::new(|_| Box::pin(async { Ok(()) })), max_connections).await.unwrap()
}

/// Marks a connection: each in-memory connection has its own database, so no other one sees the table.
async fn mark(lent: &mut PoolConnection<SqliteConnection>) {
    sqlx::query("CREATE TABLE mark (a)").execute(lent.connection()).await.unwrap();
}

async fn marked(lent: &mut PoolConnection<SqliteConnection>) -> bool {
    sqlx::query("SELECT a FROM mark").execute(lent.connection()).await.is_ok()
}

#[tokio::test]
async fn what_is_given_back_is_lent_again_and_what_is_dropped_is_not() {
    let pool = pool(2).await;
    let mut first = pool.acquire(Id::nil()).await.unwrap();
    mark(&mut first).await;
    first.release();
    let mut again = pool.acquire(Id::nil()).await.unwrap();
    assert!(marked(&mut again).await);
    drop(again);
    assert!(!marked(&mut pool.acquire(Id::nil()).await.unwrap()).await);
}

#[tokio::test]
async fn a_new_one_is_new_and_the_idle_ones_are_forgotten() {
    let pool = pool(2).await;
    let mut old = pool.acquire(Id::nil()).await.unwrap();
    mark(&mut old).await;
    old.release();
    let mut new = pool.acquire_new(Id::nil()).await.unwrap();
    assert!(!marked(&mut new).await);
    assert!(!marked(&mut pool.acquire(Id::nil()).await.unwrap()).await);
}

#[tokio::test]
async fn one_more_waits_for_its_turn_and_who_stops_waiting_takes_none_along() {
    let pool = pool(2).await;
    let (first, second) = (pool.acquire(Id::nil()).await.unwrap(), pool.acquire(Id::nil()).await.unwrap());
    {
        let mut gone = std::pin::pin!(pool.acquire(Id::nil()));
        assert!(poll!(gone.as_mut()).is_pending());
    }
    let mut waits = std::pin::pin!(pool.acquire(Id::nil()));
    assert!(poll!(waits.as_mut()).is_pending());
    first.release();
    let third = waits.await.unwrap();
    drop((second, third));
    let _both = (pool.acquire(Id::nil()).await.unwrap(), pool.acquire(Id::nil()).await.unwrap());
}

#[tokio::test]
async fn whoever_waits_for_too_long_is_told() {
    let pool = pool(1).await;
    let _held = pool.acquire(Id::nil()).await.unwrap();
    assert!(matches!(pool.acquire(Id::nil()).await, Err(sqlx::Error::PoolTimedOut)));
}

#[tokio::test]
async fn an_old_connection_is_not_kept() {
    for (idle, kept) in [(IDLE_TIMEOUT / 2, true), (IDLE_TIMEOUT, false)] {
        let pool = pool(1).await;
        let mut lent = pool.acquire(Id::nil()).await.unwrap();
        mark(&mut lent).await;
        lent.release();
        pool.0.idle.lock()[0].since -= idle;
        assert_eq!(marked(&mut pool.acquire(Id::nil()).await.unwrap()).await, kept, "idle for {idle:?}");
    }
    let pool = pool(1).await;
    let mut lent = pool.acquire(Id::nil()).await.unwrap();
    mark(&mut lent).await;
    lent.opened -= MAX_LIFETIME;
    lent.release();
    assert!(!marked(&mut pool.acquire(Id::nil()).await.unwrap()).await);
}

#[tokio::test]
async fn closing_waits_for_what_is_lent_and_then_nothing_is() {
    let pool = pool(2).await;
    let mut lent = pool.acquire(Id::nil()).await.unwrap();
    let mut closing = std::pin::pin!(pool.close());
    assert!(poll!(closing.as_mut()).is_pending());
    assert!(matches!(pool.acquire(Id::nil()).await, Err(sqlx::Error::PoolClosed)));
    mark(&mut lent).await;
    lent.release();
    closing.await;
    assert!(matches!(pool.acquire_new(Id::nil()).await, Err(sqlx::Error::PoolClosed)));
}
