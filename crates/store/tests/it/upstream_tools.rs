//! The tools of MCP servers: definitions become current and end, a list without a change writes nothing, and
//! another workspace's rows are not there.

use std::collections::BTreeSet;

use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    Db, StoreError, toolsets, upstream_tools,
    upstream_tools::{ListedTool, ToolListing, UpstreamToolRow},
    upstreams,
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, clock, seed, seed_named, write};

fn listed(tool: &str, digest: &str) -> ListedTool {
    ListedTool {
        tool: tool.into(),
        digest: digest.into(),
        schema_digest: "s".into(),
        definition: format!("{tool} {digest}"),
    }
}

fn after(seconds: i64) -> Ts {
    Ts::from_micros(NOW.as_micros() + seconds * 1_000_000)
}

struct Given<'g> {
    tools: &'g [(&'g str, &'g str)],
    is_complete: bool,
    pinned: &'g [(&'g str, &'g str)],
    at: Ts,
}

const ALL: Given<'static> = Given { tools: &[], is_complete: true, pinned: &[], at: NOW };

async fn store(db: &Db, workspace: Id, given: &Given<'_>) -> bool {
    let tools: Vec<ListedTool> = given.tools.iter().map(|(tool, digest)| listed(tool, digest)).collect();
    let pinned: BTreeSet<(String, String)> =
        given.pinned.iter().map(|(tool, digest)| ((*tool).into(), (*digest).into())).collect();
    let (is_complete, at) = (given.is_complete, given.at);
    write::<_, StoreError>(db, workspace, async |tx| {
        let listing = ToolListing { upstream: "forge", tools: &tools, is_complete };
        let differs = upstream_tools::differs(tx, &listing).await?;
        upstreams::lock(tx).await?;
        let is_stored = upstream_tools::store(tx, &listing, &pinned, at).await?;
        assert_eq!(is_stored, differs);
        Ok(is_stored)
    })
    .await
    .unwrap()
}

/// The rows in short, and the version of the workspace's toolsets.
async fn stored(db: &Db, workspace: Id) -> (Vec<String>, i64) {
    let mut tx = db.read(workspace).await.unwrap();
    let rows = upstream_tools::of_workspace(&mut tx).await.unwrap();
    assert_eq!(upstream_tools::of_upstream(&mut tx, "forge").await.unwrap(), rows);
    let version = toolsets::version(&mut tx).await.unwrap();
    tx.end().await.unwrap();
    let short = |row: &UpstreamToolRow| {
        let seconds = (row.seen_at.as_micros() - NOW.as_micros()) / 1_000_000;
        let current = if row.is_current { "current" } else { "earlier" };
        format!("{} {} {current} {seconds}", row.tool, row.digest)
    };
    (rows.iter().map(short).collect(), version)
}

#[both_databases]
async fn a_change_moves_the_version_and_a_list_without_one_writes_nothing(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    let first = Given { tools: &[("look", "a"), ("close", "a")], ..ALL };
    assert!(store(&db, place, &first).await);
    let rows = vec!["close a current 0".to_owned(), "look a current 0".to_owned()];
    assert_eq!(stored(&db, place).await, (rows.clone(), 1));
    assert!(!store(&db, place, &Given { at: after(9), ..first }).await);
    assert_eq!(stored(&db, place).await, (rows, 1));

    // Another text of one tool, and the other tool is gone but pinned.
    let second = Given { tools: &[("look", "b")], pinned: &[("close", "a")], at: after(1), ..ALL };
    assert!(store(&db, place, &second).await);
    let rows = vec!["close a earlier 0", "look a earlier 0", "look b current 1"];
    assert_eq!(stored(&db, place).await, (rows.into_iter().map(str::to_owned).collect(), 2));

    // Both are as before.
    assert!(store(&db, place, &Given { at: after(2), ..first }).await);
    let rows = vec!["close a current 2", "look a current 2", "look b earlier 1"];
    assert_eq!(stored(&db, place).await, (rows.into_iter().map(str::to_owned).collect(), 3));
    let mut tx = db.read(place).await.unwrap();
    let texts = upstream_tools::definitions(&mut tx, "forge").await.unwrap();
    tx.end().await.unwrap();
    let texts: Vec<&str> = texts.iter().map(|row| row.definition.as_str()).collect();
    assert_eq!(texts, ["close a", "look a", "look b"]);
}

#[both_databases]
async fn a_partial_list_ends_nothing_that_it_does_not_name(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    let partial = Given { is_complete: false, ..ALL };
    assert!(!store(&db, place, &partial).await);
    assert!(store(&db, place, &Given { tools: &[("look", "a"), ("close", "a")], ..ALL }).await);
    assert!(!store(&db, place, &Given { tools: &[("look", "a")], ..partial }).await);
    assert!(store(&db, place, &Given { tools: &[("look", "b"), ("new", "a")], ..partial }).await);
    let rows = ["close a current 0", "look a earlier 0", "look b current 0", "new a current 0"];
    assert_eq!(stored(&db, place).await.0, rows);
}

#[both_databases]
async fn a_server_that_lists_nothing_differs_from_one_that_was_not_asked(db: TestDb) {
    let place = seed(&db, &clock(), &TestIds::default()).await.workspace;
    assert!(store(&db, place, &ALL).await);
    assert!(!store(&db, place, &ALL).await);
    assert_eq!(stored(&db, place).await, (vec!["  earlier 0".to_owned()], 1));
    assert!(store(&db, place, &Given { tools: &[("look", "a")], ..ALL }).await);
    assert_eq!(stored(&db, place).await.0, ["look a current 0"]);
    // Nobody pins it, so nothing of it stays.
    assert!(store(&db, place, &Given { at: after(3), ..ALL }).await);
    assert_eq!(stored(&db, place).await, (vec!["  earlier 3".to_owned()], 3));
    let mut tx = db.read(place).await.unwrap();
    assert!(upstream_tools::definitions(&mut tx, "forge").await.unwrap().is_empty());
    tx.end().await.unwrap();
    let delete = || write(&db, place, async |tx| upstream_tools::delete(tx, "forge").await);
    assert_eq!((delete().await.unwrap(), delete().await.unwrap()), (1, 0));
    assert_eq!(stored(&db, place).await, (Vec::new(), 4));
}

#[both_databases]
async fn another_workspaces_tools_are_not_there(db: TestDb) {
    let ids = TestIds::default();
    let place = seed(&db, &clock(), &ids).await.workspace;
    let other = seed_named(&db, &clock(), &ids, "other-").await.workspace;
    let given = Given { tools: &[("look", "a")], ..ALL };
    assert!(store(&db, place, &given).await);
    assert_eq!(stored(&db, other).await, (Vec::new(), 0));
    let delete = write(&db, other, async |tx| upstream_tools::delete(tx, "forge").await).await.unwrap();
    assert_eq!(delete, 0);
    assert!(store(&db, other, &given).await, "the same tool is new there");
    assert_eq!(stored(&db, place).await, (vec!["look a current 0".to_owned()], 1));
}
