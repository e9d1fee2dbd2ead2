//! Upstreams and their secrets: read as they were written, changed at the expected version only, each owner
//! with a secret of its own, and nothing of another workspace.

use toolcrib_model::Id;
use toolcrib_store::{
    Db, toolsets, upstreams,
    upstreams::{UpstreamRow, UpstreamSecretRow},
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named, write};

fn row(name: &str) -> UpstreamRow {
    UpstreamRow {
        name: name.into(),
        kind: "http".into(),
        base_url: "https://api.helpdesk.example/v2/".into(),
        auth_kind: "header".into(),
        auth_name: Some("X-Api-Key".into()),
        auth_owner: "workspace".into(),
        models: None,
        context_tokens: None,
        version: 1,
        updated_at: NOW,
        updated_by: Some(Id::from_u128(7)),
    }
}

/// An upstream with language models.
fn models() -> UpstreamRow {
    let models = Some("[\"a\",\"b\"]".into());
    UpstreamRow { kind: "openai".into(), models, context_tokens: Some(128_000), ..row("ab") }
}

async fn insert(db: &Db, workspace: Id, row: UpstreamRow) -> bool {
    write(db, workspace, async |tx| upstreams::insert(tx, &row).await).await.unwrap()
}

async fn update(db: &Db, workspace: Id, row: UpstreamRow, expected: i64) -> bool {
    write(db, workspace, async |tx| upstreams::update(tx, &row, expected).await).await.unwrap()
}

/// Stores a secret whose text is its owner's id.
async fn put(db: &Db, workspace: Id, upstream: &str, user_id: Option<Id>) -> bool {
    let row = UpstreamSecretRow {
        upstream: upstream.into(),
        user_id,
        sealed: format!("{user_id:?}"),
        set_by: user_id,
        set_at: NOW,
    };
    write(db, workspace, async |tx| {
        upstreams::lock(tx).await?;
        upstreams::put_secret(tx, &row).await
    })
    .await
    .unwrap()
}

async fn remove(db: &Db, workspace: Id, upstream: &str, user_id: Option<Id>) -> bool {
    write(db, workspace, async |tx| upstreams::delete_secret(tx, upstream, user_id).await).await.unwrap()
}

/// The upstreams of a workspace and the version of its toolsets.
async fn stored(db: &Db, workspace: Id) -> (Vec<UpstreamRow>, i64) {
    let mut tx = db.read(workspace).await.unwrap();
    let found = (upstreams::list(&mut tx).await.unwrap(), toolsets::version(&mut tx).await.unwrap());
    tx.end().await.unwrap();
    found
}

async fn secret(db: &Db, workspace: Id, upstream: &str, user_id: Option<Id>) -> Option<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = upstreams::secret(&mut tx, upstream, user_id).await.unwrap();
    tx.end().await.unwrap();
    found
}

#[both_databases]
async fn a_change_needs_the_present_version_and_moves_that_of_the_toolsets(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    assert!(insert(&db, place, row("forge")).await);
    assert!(!insert(&db, place, row("forge")).await, "the name exists");
    assert!(insert(&db, place, row("a-c")).await && insert(&db, place, models()).await);
    assert_eq!(stored(&db, place).await, (vec![row("a-c"), models(), row("forge")], 3));
    // The kind stays, and the version of the given row does not count.
    let given = UpstreamRow {
        base_url: "https://b.example/".into(),
        models: Some("[\"m\"]".into()),
        context_tokens: Some(1_000),
        version: 40,
        ..row("forge")
    };
    assert!(update(&db, place, UpstreamRow { kind: "mcp".into(), ..given.clone() }, 1).await);
    assert!(!update(&db, place, row("forge"), 1).await, "an old version");
    let mut tx = db.read(place).await.unwrap();
    let found = upstreams::get(&mut tx, "forge").await.unwrap();
    assert_eq!(found, Some(UpstreamRow { version: 2, ..given }));
    assert_eq!(upstreams::get(&mut tx, "Forge").await.unwrap(), None);
    tx.end().await.unwrap();
    let delete =
        async |expected| write(&db, place, async |tx| upstreams::delete(tx, "forge", expected).await).await;
    assert!(!delete(1).await.unwrap());
    assert!(delete(2).await.unwrap());
    assert_eq!(stored(&db, place).await, (vec![row("a-c"), models()], 5));
}

#[both_databases]
async fn each_owner_has_one_secret(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    let (ann, bob) = (Id::from_u128(1), Id::from_u128(2));
    for owner in [None, Some(ann), Some(bob)] {
        assert_eq!(secret(&db, place, "forge", owner).await, None);
        assert!(!put(&db, place, "forge", owner).await);
        assert!(put(&db, place, "forge", owner).await, "it was replaced");
        assert_eq!(secret(&db, place, "forge", owner).await, Some(format!("{owner:?}")));
    }
    put(&db, place, "desk.forge", Some(ann)).await;
    let mut tx = db.read(place).await.unwrap();
    let stamps = upstreams::workspace_secrets(&mut tx).await.unwrap();
    assert_eq!(stamps.len(), 1);
    assert_eq!((stamps[0].upstream.as_str(), stamps[0].set_by, stamps[0].set_at), ("forge", None, NOW));
    let counts = upstreams::user_secret_counts(&mut tx).await.unwrap();
    assert_eq!(counts, [("desk.forge".to_owned(), 1), ("forge".to_owned(), 2)]);
    assert_eq!(upstreams::count_user_secrets(&mut tx, "forge").await.unwrap(), 2);
    assert_eq!(upstreams::with_secret_of(&mut tx, ann).await.unwrap(), ["desk.forge", "forge"]);
    assert_eq!(upstreams::with_secret_of(&mut tx, Id::from_u128(3)).await.unwrap(), [""; 0]);
    tx.end().await.unwrap();
    // Only the workspace's secret decides whether tools are available.
    assert_eq!(stored(&db, place).await.1, 1);
    assert!(remove(&db, place, "forge", Some(ann)).await);
    assert!(!remove(&db, place, "forge", Some(ann)).await);
    assert_eq!(stored(&db, place).await.1, 1);
    assert!(remove(&db, place, "forge", None).await);
    assert_eq!(stored(&db, place).await.1, 2);
    assert_eq!(secret(&db, place, "forge", Some(bob)).await, Some(format!("{:?}", Some(bob))));

    put(&db, place, "forge", None).await;
    let of_bob = write(&db, place, async |tx| upstreams::delete_secrets_of(tx, bob).await).await.unwrap();
    assert_eq!(of_bob, 1);
    put(&db, place, "forge", Some(bob)).await;
    let all = write(&db, place, async |tx| upstreams::delete_secrets(tx, "forge").await).await.unwrap();
    assert_eq!(all, 2);
    assert!(secret(&db, place, "desk.forge", Some(ann)).await.is_some());
}

#[both_databases]
async fn another_workspaces_upstreams_are_not_there(db: TestDb) {
    let ids = TestIds::default();
    let place = seed(&db, &clock(), &ids).await.workspace;
    let other = seed_named(&db, &clock(), &ids, "other-").await.workspace;
    assert!(insert(&db, place, row("forge")).await);
    put(&db, place, "forge", None).await;
    assert_eq!(stored(&db, other).await, (Vec::new(), 0));
    assert_eq!(secret(&db, other, "forge", None).await, None);
    assert!(!update(&db, other, row("forge"), 1).await);
    assert!(!remove(&db, other, "forge", None).await);
    let gone = write(&db, other, async |tx| upstreams::delete_secrets(tx, "forge").await).await.unwrap();
    assert_eq!(gone, 0);
    assert!(insert(&db, other, row("forge")).await, "a name is taken per workspace");
    assert!(secret(&db, place, "forge", None).await.is_some());
}
