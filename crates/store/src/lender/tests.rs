mod hand;

use futures_util::poll;
use sqlx::{SqliteConnection, sqlite::SqliteConnectOptions};

use super::*;

async fn lender(most: u32) -> Lender<SqliteConnection> {
    let options = SqliteConnectOptions::new().in_memory(true);
    Lender::open(options, Box::new(|_| Box::pin(async { Ok(()) })), most).await.unwrap()
}

/// What was written on a connection is seen on that one alone: each has a database of its own.
async fn mark(lent: &mut Lent<SqliteConnection>) {
    sqlx::query("CREATE TABLE mark (a)").execute(lent.connection()).await.unwrap();
}

async fn marked(lent: &mut Lent<SqliteConnection>) -> bool {
    sqlx::query("SELECT a FROM mark").execute(lent.connection()).await.is_ok()
}

#[tokio::test]
async fn what_is_given_back_is_lent_again_and_what_is_dropped_is_not() {
    let lender = lender(2).await;
    let mut first = lender.lend().await.unwrap();
    mark(&mut first).await;
    first.give_back();
    let mut again = lender.lend().await.unwrap();
    assert!(marked(&mut again).await);
    drop(again);
    assert!(!marked(&mut lender.lend().await.unwrap()).await);
}

#[tokio::test]
async fn a_new_one_is_new_and_the_idle_ones_are_forgotten() {
    let lender = lender(2).await;
    let mut old = lender.lend().await.unwrap();
    mark(&mut old).await;
    old.give_back();
    let mut new = lender.lend_new().await.unwrap();
    assert!(!marked(&mut new).await);
    assert!(!marked(&mut lender.lend().await.unwrap()).await);
}

#[tokio::test]
async fn one_more_waits_for_its_turn_and_who_stops_waiting_takes_none_along() {
    let lender = lender(2).await;
    let (first, second) = (lender.lend().await.unwrap(), lender.lend().await.unwrap());
    {
        let mut gone = std::pin::pin!(lender.lend());
        assert!(poll!(gone.as_mut()).is_pending());
    }
    let mut waits = std::pin::pin!(lender.lend());
    assert!(poll!(waits.as_mut()).is_pending());
    first.give_back();
    let third = waits.await.unwrap();
    drop((second, third));
    let _both = (lender.lend().await.unwrap(), lender.lend().await.unwrap());
}

#[tokio::test]
async fn whoever_waits_for_too_long_is_told() {
    let lender = lender(1).await;
    let _held = lender.lend().await.unwrap();
    assert!(matches!(lender.lend().await, Err(sqlx::Error::PoolTimedOut)));
}

#[tokio::test]
async fn an_old_connection_is_not_kept() {
    for (idle, kept) in [(IDLE / 2, true), (IDLE, false)] {
        let lender = lender(1).await;
        let mut lent = lender.lend().await.unwrap();
        mark(&mut lent).await;
        lent.give_back();
        lender.idle()[0].since -= idle;
        assert_eq!(marked(&mut lender.lend().await.unwrap()).await, kept, "idle for {idle:?}");
    }
    let lender = lender(1).await;
    let mut lent = lender.lend().await.unwrap();
    mark(&mut lent).await;
    lent.opened -= AGE;
    lent.give_back();
    assert!(!marked(&mut lender.lend().await.unwrap()).await);
}

#[tokio::test]
async fn closing_waits_for_what_is_lent_and_then_nothing_is() {
    let lender = lender(2).await;
    let mut lent = lender.lend().await.unwrap();
    let mut closing = std::pin::pin!(lender.close());
    assert!(poll!(closing.as_mut()).is_pending());
    assert!(matches!(lender.lend().await, Err(sqlx::Error::PoolClosed)));
    mark(&mut lent).await;
    lent.give_back();
    closing.await;
    assert!(matches!(lender.lend_new().await, Err(sqlx::Error::PoolClosed)));
}
