//! Rows come back as they went in, and to nobody else.

use std::time::Duration;

use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    AccessRow, ActorIds, StoreError,
    agents::{self, AgentFilter},
    members, users, workspaces,
};
use toolcrib_testkit::{NOW, TestIds, both_databases, clock, seed, seed_named};

use crate::help::{add_agent, agent};

both_databases! {
    async fn an_agent_comes_back_as_it_went_in(db: TestDb) {
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

    async fn a_name_that_is_taken_is_a_duplicate(db: TestDb) {
        let ids = TestIds::default();
        let world = seed(&db, &clock(), &ids).await;
        add_agent(&db, world.workspace, agent(&ids, "Scout")).await.unwrap();
        let second = add_agent(&db, world.workspace, agent(&ids, "sCOUT")).await;
        assert!(matches!(second, Err(StoreError::Duplicate)), "{second:?}");
    }

    async fn what_a_new_agent_meets_is_read_with_its_name(db: TestDb) {
        let ids = TestIds::default();
        let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
        add_agent(&db, world.workspace, agent(&ids, "Scout")).await.unwrap();
        let (elsewhere, row, at_once) = (other.workspace, agent(&ids, "Free"), db.kind() == "postgres");
        let done: Result<(), StoreError> = db.write(world.workspace, move |tx| Box::pin(async move {
            assert!(agents::is_taken(tx, "sCOUT").await?);
            assert!(!agents::is_taken(tx, "free").await?);
            assert_eq!(agents::ground(tx, "Scout").await?.unwrap().key, "scout");

            // What was read with the name is told once, to who asks for that name there.
            assert!(!agents::is_taken(tx, "Free").await?);
            agents::insert(tx, &row).await?;
            assert_eq!(agents::ground(tx, "Free").await?.unwrap().taken, !at_once);
            assert!(agents::ground(tx, "Free").await?.unwrap().taken);
            assert!(agents::is_taken(tx, "Free").await?);
            tx.switch_workspace(elsewhere).await?;
            assert!(!agents::ground(tx, "Free").await?.unwrap().taken);
            Ok(())
        })).await;
        done.unwrap();
    }

    async fn what_a_write_asks_first_is_told_as_it_begins(db: TestDb) {
        let ids = TestIds::default();
        let workspace = seed(&db, &clock(), &ids).await.workspace;
        add_agent(&db, workspace, agent(&ids, "Scout's")).await.unwrap();
        assert!(agents::ahead(&"x".repeat(1_001)).is_none() && agents::ahead("nul\0").is_none());
        let begun_with = async |name: &str, asked: &'static str, row: agents::AgentRow| {
            let ahead = agents::ahead(name);
            let job = toolcrib_store::write_job(move |tx, access| Box::pin(async move {
                assert!(access.is_some());
                let taken = agents::is_taken(tx, asked).await?;
                agents::insert(tx, &row).await?;
                Ok::<_, StoreError>((taken, agents::ground(tx, asked).await?.unwrap().taken))
            }));
            db.write_ahead(workspace, ActorIds::default(), ahead, Duration::from_secs(10), job).await.unwrap()
        };
        assert_eq!(begun_with("scout'S", "SCOUT's", agent(&ids, "a")).await, (true, true));
        // It was told before the job added one of that name.
        assert_eq!(begun_with("Free", "free", agent(&ids, "Free")).await, (false, false));
        // Another name was told than the one that is asked for.
        assert_eq!(begun_with("Scout's", "b", agent(&ids, "c")).await, (false, false));
        // What was told to one job and not asked is not told to the next.
        for with_standing in [true, false] {
            let (name, limit) = (if with_standing { "late" } else { "later" }, Duration::from_secs(10));
            let row = agent(&ids, name);
            let silent = toolcrib_store::write_job(|_, _| Box::pin(async { Ok::<_, StoreError>(()) }));
            db.write_ahead(workspace, ActorIds::default(), agents::ahead(name), limit, silent).await.unwrap();
            let add = toolcrib_store::write_job(move |tx, _| Box::pin(async move {
                agents::insert(tx, &row).await?;
                assert!(agents::ground(tx, name).await?.unwrap().taken);
                Ok::<_, StoreError>(())
            }));
            let added = if with_standing {
                db.write_with_access(workspace, ActorIds::default(), limit, add).await
            } else {
                db.write(workspace, move |tx| add(tx, None)).await
            };
            added.unwrap();
        }
        // Nobody is told anything of a workspace that does not exist.
        let none: Result<bool, StoreError> = db
            .write_ahead(Id::from_u128(9), ActorIds::default(), agents::ahead("x"), Duration::from_secs(10),
                toolcrib_store::write_job(|tx, access| Box::pin(async move {
                    Ok(access.is_none() && agents::ground(tx, "x").await?.is_none())
                })))
            .await;
        assert!(none.unwrap());
    }

    async fn what_a_read_asks_first_is_told_as_it_begins(db: TestDb) {
        let ids = TestIds::default();
        let workspace = seed(&db, &clock(), &ids).await.workspace;
        add_agent(&db, workspace, agent(&ids, "Scout")).await.unwrap();
        for (asked, taken) in [("scOUT", true), ("free", false)] {
            let ahead = agents::ahead(asked);
            // Most begin on a connection that another hands on.
            let reads = (0..20).map(async |n| {
                let name = if n % 2 == 0 { asked } else { "another" };
                let (mut tx, access) = db.read_ahead(workspace, ActorIds::default(), ahead.as_ref()).await.unwrap();
                assert!(access.is_some());
                assert_eq!(agents::is_taken(&mut tx, name).await.unwrap(), taken && n % 2 == 0);
                assert_eq!(agents::ground(&mut tx, asked).await.unwrap().unwrap().taken, taken);
                tx.end().await.unwrap();
            });
            futures_util::future::join_all(reads).await;
        }
        let (tx, access) =
            db.read_ahead(Id::from_u128(9), ActorIds::default(), agents::ahead("x").as_ref()).await.unwrap();
        assert!(access.is_none());
        tx.end().await.unwrap();
    }

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

    async fn a_users_row_is_found_again(db: TestDb) {
        let ids = TestIds::default();
        let world = seed(&db, &clock(), &ids).await;
        let second = seed(&db, &clock(), &ids).await;
        assert_eq!(world.owner, second.owner);
        assert_eq!(users::find(&db, "test", "owner").await.unwrap(), Some(world.owner));
        assert_eq!(users::find(&db, "another", "owner").await.unwrap(), None);
    }

    async fn standing_is_read_alike_by_both_ways(db: TestDb) {
        let ids = TestIds::default();
        let world = seed(&db, &clock(), &ids).await;
        let row = agent(&ids, "Scout");
        add_agent(&db, world.workspace, row.clone()).await.unwrap();
        let who = ActorIds { user_id: Some(world.editor), agent_id: Some(row.id), key_id: None };
        let (mut tx, first) = db.read_with_access(world.workspace, who).await.unwrap();
        let again = AccessRow::read(&mut tx, who).await.unwrap();
        tx.end().await.unwrap();
        assert_eq!(format!("{first:?}"), format!("{again:?}"));
        let first = first.unwrap();
        assert_eq!((first.role.as_deref(), first.active), (Some("editor"), Some(true)));
        assert_eq!(first.agent_slug.as_deref(), Some("scout"));
        let (tx, nowhere) = db.read_with_access(Id::from_u128(5), who).await.unwrap();
        tx.end().await.unwrap();
        assert!(nowhere.is_none());
    }

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

        let changed: Result<_, StoreError> = db.write(other.workspace, move |tx| Box::pin(async move {
            let updated = agents::update(tx, &row).await?;
            let deleted = agents::delete(tx, row.id).await?;
            let ended = members::delete(tx, world.viewer).await?;
            Ok((updated, deleted, ended))
        })).await;
        assert_eq!(changed.unwrap(), (false, false, false));
    }
}
