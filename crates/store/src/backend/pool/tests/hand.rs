//! Connections that are handed to a waiting task inside a read transaction.

use super::*;

#[tokio::test]
async fn whoever_waits_first_is_handed_what_the_borrower_leaves() {
    let pool = pool(1).await;
    let mut held = pool.acquire(Id::nil()).await.unwrap();
    mark(&mut held).await;
    let mut first = std::pin::pin!(pool.acquire(Id::nil()));
    let mut second = std::pin::pin!(pool.acquire(Id::nil()));
    assert!(poll!(first.as_mut()).is_pending());
    assert!(poll!(second.as_mut()).is_pending());
    assert!(held.hand_to_waiter().is_ok());
    assert!(poll!(second.as_mut()).is_pending());
    let mut lent = first.await.unwrap();
    assert!(lent.in_read_transaction() && marked(&mut lent).await);
    lent.release();
    let mut lent = second.await.unwrap();
    assert!(!lent.in_read_transaction() && marked(&mut lent).await);
}

#[tokio::test]
async fn where_nobody_waits_any_more_nothing_is_handed_on() {
    let pool = pool(1).await;
    let held = pool.acquire(Id::nil()).await.unwrap();
    {
        let mut gone = std::pin::pin!(pool.acquire(Id::nil()));
        assert!(poll!(gone.as_mut()).is_pending());
    }
    let Err(held) = held.hand_to_waiter() else { panic!("nobody is there") };
    assert!(!held.in_read_transaction());
    held.release();
    pool.acquire(Id::nil()).await.unwrap().release();
}

#[tokio::test]
async fn what_was_handed_to_somebody_who_went_is_closed_and_its_turn_is_free() {
    let pool = pool(1).await;
    let mut held = pool.acquire(Id::nil()).await.unwrap();
    mark(&mut held).await;
    {
        let mut goes = std::pin::pin!(pool.acquire(Id::nil()));
        assert!(poll!(goes.as_mut()).is_pending());
        assert!(held.hand_to_waiter().is_ok());
    }
    assert!(!marked(&mut pool.acquire(Id::nil()).await.unwrap()).await);
}

#[tokio::test]
async fn who_got_their_turn_waits_no_longer() {
    let pool = pool(1).await;
    for _ in 0..3 {
        let held = pool.acquire(Id::nil()).await.unwrap();
        let mut waits = std::pin::pin!(pool.acquire(Id::nil()));
        assert!(poll!(waits.as_mut()).is_pending());
        held.release();
        waits.await.unwrap().release();
        assert!(pool.waiters().len() <= 1);
    }
}

#[tokio::test]
async fn an_old_connection_is_not_handed_on() {
    let pool = pool(1).await;
    let mut held = pool.acquire(Id::nil()).await.unwrap();
    held.opened -= MAX_LIFETIME;
    let mut waits = std::pin::pin!(pool.acquire(Id::nil()));
    assert!(poll!(waits.as_mut()).is_pending());
    assert!(held.hand_to_waiter().is_err());
    assert!(!waits.await.unwrap().in_read_transaction());
}

#[tokio::test]
async fn workspaces_take_turns_whoever_waits_in_numbers() {
    let pool = pool(1).await;
    let [many, few] = [1, 2].map(Id::from_u128);
    for handed_over in [false, true] {
        let held = pool.acquire(many).await.unwrap();
        let mut first: Vec<_> = (0..9).map(|_| Box::pin(pool.acquire(many))).collect();
        for waits in &mut first {
            assert!(poll!(waits).is_pending());
        }
        let mut other = std::pin::pin!(pool.acquire(few));
        assert!(poll!(other.as_mut()).is_pending());
        held.release();
        let next = first.remove(0).await.unwrap();
        if handed_over {
            assert!(next.hand_to_waiter().is_ok());
        } else {
            next.release();
        }
        let connection = other.await.unwrap();
        assert_eq!(connection.in_read_transaction(), handed_over);
        assert!(poll!(&mut first[0]).is_pending());
        drop(first);
        connection.release();
    }
}
