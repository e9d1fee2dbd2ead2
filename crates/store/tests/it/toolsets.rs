//! Toolsets are read as they were written, are changed at the expected version only, and every change moves
//! the version that the access row holds.

use toolcrib_model::Id;
use toolcrib_store::{AccessRow, ActorIds, Db, StoreError, toolsets, toolsets::ToolsetRow};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named, write};

use crate::help::{add_agent, agent};

/// A workspace's own toolset.
fn own(slug: &str) -> ToolsetRow {
    ToolsetRow {
        slug: slug.into(),
        version: 1,
        document: Some(r#"{"title":"Ärmel 'O\\Neil' 𝄞"}"#.into()),
        digest: Some("sha256:9f2c".into()),
        enabled: true,
        disabled_tools: vec!["close_ticket".into(), "a \"b\", c".into()],
        updated_at: NOW,
        updated_by: Some(Id::from_u128(7)),
    }
}

/// The row for a toolset of the operator.
fn operators(slug: &str) -> ToolsetRow {
    ToolsetRow {
        document: None,
        digest: None,
        enabled: false,
        disabled_tools: Vec::new(),
        updated_by: None,
        ..own(slug)
    }
}

async fn insert(db: &Db, workspace: Id, row: ToolsetRow) -> Result<bool, StoreError> {
    write(db, workspace, async |tx| toolsets::insert(tx, &row).await).await
}

async fn update(db: &Db, workspace: Id, row: ToolsetRow, expected: i64) -> bool {
    write(db, workspace, async |tx| toolsets::update(tx, &row, expected).await).await.unwrap()
}

async fn delete(db: &Db, workspace: Id, slug: &str, expected: Option<i64>) -> bool {
    write(db, workspace, async |tx| toolsets::delete(tx, slug, expected).await).await.unwrap()
}

/// The toolsets of a workspace and their version.
async fn stored(db: &Db, workspace: Id) -> (Vec<ToolsetRow>, i64) {
    let mut tx = db.read(workspace).await.unwrap();
    let found = (toolsets::list(&mut tx).await.unwrap(), toolsets::version(&mut tx).await.unwrap());
    tx.end().await.unwrap();
    found
}

#[both_databases]
async fn toolsets_are_read_as_written_in_the_order_of_bytes(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    assert_eq!(stored(&db, world.workspace).await, (Vec::new(), 0));
    // A collation that skips hyphens would put `a-c` after `ab`.
    let rows = [own("ab"), operators("desk"), own("a-c"), own("a1")];
    for row in rows.clone() {
        assert!(insert(&db, world.workspace, row).await.unwrap());
    }
    let [ab, desk, with_hyphen, with_digit] = rows;
    let expected = vec![with_hyphen, with_digit, ab, desk.clone()];
    assert_eq!(stored(&db, world.workspace).await, (expected, 4));

    let mut tx = db.read(world.workspace).await.unwrap();
    assert_eq!(toolsets::get(&mut tx, "desk").await.unwrap(), Some(desk));
    assert_eq!(toolsets::get(&mut tx, "Desk").await.unwrap(), None);
    tx.end().await.unwrap();
}

#[both_databases]
async fn a_change_needs_the_present_version_and_moves_both(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let place = world.workspace;
    assert!(insert(&db, place, own("desk")).await.unwrap());
    assert!(!insert(&db, place, operators("desk")).await.unwrap(), "the slug exists");
    assert_eq!(stored(&db, place).await, (vec![own("desk")], 1));

    // The version of the given row does not count.
    let given = ToolsetRow { version: 40, ..operators("desk") };
    assert!(update(&db, place, given.clone(), 1).await);
    let updated = ToolsetRow { version: 2, ..operators("desk") };
    assert_eq!(stored(&db, place).await, (vec![updated.clone()], 2));

    assert!(!update(&db, place, own("desk"), 1).await, "an old version");
    assert!(!update(&db, place, own("desk"), 3).await, "a version that is still to come");
    assert!(!update(&db, place, own("other"), 2).await, "no such slug");
    assert!(!delete(&db, place, "desk", Some(1)).await, "an old version");
    assert!(!delete(&db, place, "other", None).await, "no such slug");
    assert_eq!(stored(&db, place).await, (vec![updated], 2));

    assert!(delete(&db, place, "desk", Some(2)).await);
    assert_eq!(stored(&db, place).await, (Vec::new(), 3));
    assert!(insert(&db, place, own("desk")).await.unwrap());
    assert!(delete(&db, place, "desk", None).await);
    assert_eq!(stored(&db, place).await, (Vec::new(), 5));
}

#[both_databases]
async fn of_changes_at_the_same_version_one_is_stored(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    insert(&db, world.workspace, own("desk")).await.unwrap();
    let changes = (0..8).map(|_| {
        let db = (*db).clone();
        tokio::spawn(async move { update(&db, world.workspace, own("desk"), 1).await })
    });
    let mut won = 0;
    for change in futures_util::future::join_all(changes).await {
        won += usize::from(change.unwrap());
    }
    assert_eq!(won, 1);
    let (rows, version) = stored(&db, world.workspace).await;
    assert_eq!((rows[0].version, version), (2, 2));
}

#[both_databases]
async fn a_limit_that_is_checked_after_the_change_holds(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let changes = (0..8).map(|n| {
        let db = (*db).clone();
        let insert_within_limit = async move {
            write(&db, world.workspace, async |tx| {
                toolsets::insert(tx, &own(&format!("desk{n}"))).await?;
                let full = toolsets::list(tx).await?.len() > 3;
                if full { Err(StoreError::Inconsistent("too many".into())) } else { Ok(()) }
            })
            .await
        };
        tokio::spawn(insert_within_limit)
    });
    let mut stored_changes = 0;
    for change in futures_util::future::join_all(changes).await {
        stored_changes += usize::from(change.unwrap().is_ok());
    }
    let (rows, version) = stored(&db, world.workspace).await;
    assert_eq!((stored_changes, rows.len(), version), (3, 3, 3));
}

#[both_databases]
async fn a_change_that_is_rolled_back_moves_no_version(db: TestDb) {
    let world = seed(&db, &clock(), &TestIds::default()).await;
    let failed = write::<(), StoreError>(&db, world.workspace, async |tx| {
        assert!(toolsets::insert(tx, &own("desk")).await?);
        assert_eq!(toolsets::version(tx).await?, 1);
        Err(StoreError::Inconsistent("on purpose".into()))
    })
    .await;
    assert!(matches!(failed, Err(StoreError::Inconsistent(_))), "{failed:?}");
    assert_eq!(stored(&db, world.workspace).await, (Vec::new(), 0));
}

#[both_databases]
async fn another_workspaces_toolsets_are_not_there(db: TestDb) {
    let ids = TestIds::default();
    let (world, other) = (seed(&db, &clock(), &ids).await, seed_named(&db, &clock(), &ids, "other-").await);
    assert!(insert(&db, world.workspace, own("desk")).await.unwrap());

    assert_eq!(stored(&db, other.workspace).await, (Vec::new(), 0));
    let mut tx = db.read(other.workspace).await.unwrap();
    assert_eq!(toolsets::get(&mut tx, "desk").await.unwrap(), None);
    tx.end().await.unwrap();
    assert!(!update(&db, other.workspace, operators("desk"), 1).await);
    assert!(!delete(&db, other.workspace, "desk", None).await);

    assert!(insert(&db, other.workspace, operators("desk")).await.unwrap(), "a slug is taken per workspace");
    assert_eq!(stored(&db, other.workspace).await, (vec![operators("desk")], 1));
    assert_eq!(stored(&db, world.workspace).await, (vec![own("desk")], 1));
}

#[both_databases]
async fn the_access_row_holds_the_version(db: TestDb) {
    let ids = TestIds::default();
    let world = seed(&db, &clock(), &ids).await;
    let row = agent(&ids, "Scout");
    add_agent(&db, world.workspace, row.clone()).await.unwrap();
    let person = ActorIds { user_id: Some(world.editor), ..ActorIds::default() };
    let with_key = ActorIds { agent_id: Some(row.id), ..person };
    for expected in 0..3 {
        for actor in [person, with_key] {
            let (mut tx, opened) = db.begin_read_as(world.workspace, actor).await.unwrap();
            let read = AccessRow::read(&mut tx, actor).await.unwrap();
            tx.end().await.unwrap();
            let alone = db.access_row(world.workspace, actor).await.unwrap();
            let versions = [opened, read, alone].map(|access| access.map(|access| access.toolset_version));
            assert_eq!(versions, [Some(expected); 3]);
        }
        assert!(insert(&db, world.workspace, own(&format!("desk{expected}"))).await.unwrap());
    }
}
