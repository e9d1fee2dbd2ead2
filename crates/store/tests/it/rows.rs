//! Rows are read as they were written, and only in their own workspace.

use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    AccessRow, ActorIds, StoreError,
    agents::{self, AgentFilter},
    members, users, workspaces,
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named, write};

use crate::help::{add_agent, agent};

#[both_databases]
async fn an_agent_is_read_as_written(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = agent(&ids, "Ärmel 'O\\Neil' 𝄞");
    add_agent(&db, world.workspace, row.clone()).await.unwrap();

    let mut tx = db.read(world.workspace).await.unwrap();
    let found = agents::get(&mut tx, row.id).await.unwrap().unwrap();
    assert_eq!(format!("{found:?}"), format!("{row:?}"));
    let by_name = agents::by_name(&mut tx, "ärmel 'o\\neil' 𝄞").await.unwrap().unwrap();
    assert_eq!(by_name.id, row.id);
    let filter = AgentFilter { status: Some("active".into()), search: Some("FINDS".into()) };
    assert_eq!(agents::list(&mut tx, &filter, Cursor::START, 10).await.unwrap().len(), 1);
    let filter = AgentFilter { search: Some("%".into()), ..AgentFilter::default() };
    assert_eq!(agents::list(&mut tx, &filter, Cursor::START, 10).await.unwrap().len(), 0);
    tx.end().await.unwrap();
}

#[both_databases]
async fn a_name_that_is_taken_is_a_duplicate(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    add_agent(&db, world.workspace, agent(&ids, "Scout")).await.unwrap();
    let second = add_agent(&db, world.workspace, agent(&ids, "sCOUT")).await;
    assert!(matches!(second, Err(StoreError::Duplicate)), "{second:?}");
}

#[both_databases]
async fn a_name_is_taken_in_its_workspace_alone(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    add_agent(&db, world.workspace, agent(&ids, "Scout's")).await.unwrap();
    for (place, name, taken) in [
        (world.workspace, "sCOUT'S", true),
        (world.workspace, "free", false),
        (other.workspace, "Scout's", false),
    ] {
        let mut tx = db.read(place).await.unwrap();
        let facts = agents::new_agent_facts(&mut tx, name).await.unwrap().unwrap();
        assert_eq!(facts.taken, taken, "{name}");
        tx.end().await.unwrap();
    }
}

#[both_databases]
async fn a_deleted_workspace_has_no_defaults_for_agents(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    for (place, there) in [(world.workspace, true), (Id::from_u128(9), false)] {
        let (mut tx, access) = db.begin_read_as(place, ActorIds::default()).await.unwrap();
        assert_eq!(access.is_some(), there);
        assert_eq!(agents::new_agent_facts(&mut tx, "Scout").await.unwrap().is_some(), there);
        tx.end().await.unwrap();
    }
}

#[both_databases]
async fn members_come_back_newest_first(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let mut tx = db.read(world.workspace).await.unwrap();
    let all = members::list(&mut tx, None, Cursor::START, 10).await.unwrap();
    let subjects: Vec<_> = all.iter().map(|m| m.subject.as_str()).collect();
    assert_eq!(subjects, ["owner", "admin", "editor", "member", "viewer"]);
    assert!(all.iter().all(|m| m.created_at == NOW && m.active && m.issuer == "test"));
    let cursor = Cursor { at: all[1].created_at, id: all[1].user_id };
    let rest = members::list(&mut tx, None, cursor, 2).await.unwrap();
    assert_eq!(rest.iter().map(|m| m.user_id).collect::<Vec<_>>(), [world.editor, world.member]);
    let one = members::list(&mut tx, Some("admin"), Cursor::START, 10).await.unwrap();
    assert_eq!(one.iter().map(|m| m.user_id).collect::<Vec<_>>(), [world.admin]);
    assert_eq!(members::count_active(&mut tx, "owner").await.unwrap(), 1);
    tx.end().await.unwrap();
}

#[both_databases]
async fn a_users_row_is_found_again(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let second = seed(&db, &clock(), &ids).await;
    assert_eq!(world.owner, second.owner);
    assert_eq!(users::find(&db, "test", "owner").await.unwrap(), Some(world.owner));
    assert_eq!(users::find(&db, "another", "owner").await.unwrap(), None);
}

#[both_databases]
async fn standing_is_read_alike_by_both_ways(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = agent(&ids, "Scout");
    add_agent(&db, world.workspace, row.clone()).await.unwrap();
    let who = ActorIds { user_id: Some(world.editor), agent_id: Some(row.id), key_id: None };
    let (mut tx, first) = db.begin_read_as(world.workspace, who).await.unwrap();
    let again = AccessRow::read(&mut tx, who).await.unwrap();
    tx.end().await.unwrap();
    assert_eq!(format!("{first:?}"), format!("{again:?}"));
    let first = first.unwrap();
    assert_eq!((first.role.as_deref(), first.active), (Some("editor"), Some(true)));
    assert_eq!(first.agent_slug.as_deref(), Some("scout"));
    let (tx, nowhere) = db.begin_read_as(Id::from_u128(5), who).await.unwrap();
    tx.end().await.unwrap();
    assert!(nowhere.is_none());
}

#[both_databases]
async fn another_workspaces_rows_are_not_there(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    let row = agent(&ids, "Scout");
    add_agent(&db, world.workspace, row.clone()).await.unwrap();

    let mut tx = db.read(other.workspace).await.unwrap();
    assert!(agents::get(&mut tx, row.id).await.unwrap().is_none());
    assert!(agents::by_name(&mut tx, "scout").await.unwrap().is_none());
    assert!(agents::names(&mut tx).await.unwrap().is_empty());
    assert!(members::get(&mut tx, world.owner).await.unwrap().is_none());
    assert_eq!(workspaces::get(&mut tx).await.unwrap().unwrap().id, other.workspace);
    tx.end().await.unwrap();

    let id = row.id;
    let changed = write::<_, StoreError>(&db, other.workspace, async |tx| {
        let updated = agents::update(tx, &row).await?;
        agents::delete(tx, id).await?;
        let ended = members::delete(tx, world.viewer).await?;
        Ok((updated, ended))
    })
    .await
    .unwrap();
    assert_eq!(changed, (false, false));
    let mut tx = db.read(world.workspace).await.unwrap();
    assert!(agents::get(&mut tx, id).await.unwrap().is_some());
    tx.end().await.unwrap();
}
