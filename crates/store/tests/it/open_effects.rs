//! Looks at open effects: each has one process, and builds see the effects of their actions alone.

use toolcrib_model::{Id, IdGen as _, Ts};
use toolcrib_store::{
    StoreError, WriteTx, open_effects,
    open_effects::{OpenEffectRow, claim, defer_record, delete, due, next_due},
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, write};

fn effect(call_id: Id, action: &str, next_look: Ts) -> OpenEffectRow {
    OpenEffectRow {
        call_id,
        action: action.into(),
        target_key: call_id.to_string(),
        arguments: "{}".into(),
        plan: "{}".into(),
        requester: "{}".into(),
        started_at: NOW,
        next_look: Some(next_look.as_micros()),
        looks: 0,
        output: None,
    }
}

#[both_databases]
async fn of_two_processes_one_claims_a_look(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let (known, other) = (ids.new_id(NOW), ids.new_id(NOW));
    let (later, actions) = (NOW.plus_seconds(60), ["a_do".to_owned(), "a_undo".to_owned()]);
    write(&db, world.workspace, async |tx: &mut WriteTx| {
        assert!(open_effects::insert(tx, &effect(known, "a_do", NOW)).await?);
        assert!(open_effects::insert(tx, &effect(other, "b_do", NOW.plus_seconds(-1))).await?);
        let first = next_due(tx, NOW, &actions).await?.map(|row| row.call_id);
        assert_eq!((first, next_due(tx, NOW, &[]).await?), (Some(known), None));
        assert!(claim(tx, known, 0, later).await?);
        assert!(!claim(tx, known, 0, later).await?, "the look is claimed");
        assert_eq!(next_due(tx, NOW, &actions).await?, None);
        assert!(claim(tx, known, 1, later).await?);
        assert!(defer_record(tx, known, NOW, "{}").await?);
        let deferred = next_due(tx, NOW, &actions).await?.map(|row| (row.looks, row.output));
        assert_eq!(deferred, Some((1, Some("{}".to_owned()))));
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
    assert_eq!(due(&db, NOW, &actions, 9).await.unwrap(), [world.workspace]);
    assert!(due(&db, NOW, &["c_do".to_owned()], 9).await.unwrap().is_empty());
    write(&db, world.workspace, async |tx: &mut WriteTx| {
        assert!(delete(tx, known).await?);
        assert!(!delete(tx, known).await? && !defer_record(tx, known, NOW, "{}").await?);
        Ok::<_, StoreError>(())
    })
    .await
    .unwrap();
}
