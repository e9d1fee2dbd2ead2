//! Connections that go from one borrower to the next inside a read.

use super::*;

#[tokio::test]
async fn whoever_waits_first_is_handed_what_the_borrower_leaves() {
    let lender = lender(1).await;
    let mut held = lender.lend().await.unwrap();
    mark(&mut held).await;
    let mut first = std::pin::pin!(lender.lend());
    let mut second = std::pin::pin!(lender.lend());
    assert!(poll!(first.as_mut()).is_pending());
    assert!(poll!(second.as_mut()).is_pending());
    assert!(held.hand_on().is_ok());
    assert!(poll!(second.as_mut()).is_pending());
    let mut lent = first.await.unwrap();
    assert!(lent.reading() && marked(&mut lent).await);
    lent.give_back();
    let mut lent = second.await.unwrap();
    assert!(!lent.reading() && marked(&mut lent).await);
}

#[tokio::test]
async fn where_nobody_waits_any_more_nothing_is_handed_on() {
    let lender = lender(1).await;
    let held = lender.lend().await.unwrap();
    {
        let mut gone = std::pin::pin!(lender.lend());
        assert!(poll!(gone.as_mut()).is_pending());
    }
    let Err(held) = held.hand_on() else { panic!("nobody is there") };
    assert!(!held.reading());
    held.give_back();
    lender.lend().await.unwrap().give_back();
}

#[tokio::test]
async fn what_was_handed_to_somebody_who_went_is_closed_and_its_turn_is_free() {
    let lender = lender(1).await;
    let mut held = lender.lend().await.unwrap();
    mark(&mut held).await;
    {
        let mut goes = std::pin::pin!(lender.lend());
        assert!(poll!(goes.as_mut()).is_pending());
        assert!(held.hand_on().is_ok());
    }
    assert!(!marked(&mut lender.lend().await.unwrap()).await);
}

#[tokio::test]
async fn who_got_their_turn_waits_no_longer() {
    let lender = lender(1).await;
    for _ in 0..3 {
        let held = lender.lend().await.unwrap();
        let mut waits = std::pin::pin!(lender.lend());
        assert!(poll!(waits.as_mut()).is_pending());
        held.give_back();
        waits.await.unwrap().give_back();
        assert!(lender.waiting().len() <= 1);
    }
}

#[tokio::test]
async fn an_old_connection_is_not_handed_on() {
    let lender = lender(1).await;
    let mut held = lender.lend().await.unwrap();
    held.opened -= AGE;
    let mut waits = std::pin::pin!(lender.lend());
    assert!(poll!(waits.as_mut()).is_pending());
    assert!(held.hand_on().is_err());
    assert!(!waits.await.unwrap().reading());
}
