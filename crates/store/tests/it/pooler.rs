//! A pooler in transaction mode before PostgreSQL, with four connections to the server for each login.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst},
};

use futures_util::future::join_all;
use sqlx::{Connection as _, PgConnection, Row as _};
use toolcrib_store::{ActorIds, Db, Logins, StoreError};
use toolcrib_testkit::{NOW, TestIds, World, eventually, pooler};

use crate::{
    help::{add_agent, agent, agent_names, audit_entry, audit_row},
    logins::{drop_logins, made},
};

/// The same logins with the pooler's address.
fn through_pooler(logins: &Logins, pooled: bool) -> Logins {
    let through = |url: &String| {
        let (login, rest) = url.rsplit_once('@').unwrap();
        format!("{login}@{}/{}", pooler(), rest.split_once('/').unwrap().1)
    };
    Logins {
        app: through(&logins.app),
        audit: through(&logins.audit),
        worker: through(&logins.worker),
        pooled,
    }
}

/// What one client does: the access row, a write, a write that is undone, a read and an audit row.
async fn work(db: &Db, world: &World, ids: &TestIds, name: String) {
    let actor = ActorIds { user_id: Some(world.owner), ..ActorIds::default() };
    let access = db.access_row(world.workspace, actor).await.unwrap().unwrap();
    assert_eq!(access.role.as_deref(), Some("owner"));
    let (mut tx, access) = db.begin_write_as(world.workspace, actor).await.unwrap();
    assert_eq!(access.unwrap().role.as_deref(), Some("owner"));
    let row = agent(ids, &name);
    toolcrib_store::agents::insert(&mut tx, &agent(ids, "undone")).await.unwrap();
    tx.restart().await.unwrap();
    toolcrib_store::agents::insert(&mut tx, &row).await.unwrap();
    tx.commit().await.unwrap();
    assert!(agent_names(db, world.workspace).await.contains(&name));
    let refused = add_agent(db, world.workspace, row).await.unwrap_err();
    assert!(matches!(refused, StoreError::Duplicate), "{refused:?}");
    let row = audit_row(ids, world.workspace, NOW.plus_seconds(1));
    let id = row.id;
    db.audit(vec![row]).await.unwrap();
    assert_eq!(audit_entry(db, world.workspace, id).await.unwrap().action, "platform_list_agents");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_a_pooler_see_their_workspace_alone() {
    let (db, direct, worlds) = made().await;
    let served = Db::open_pg_as(&through_pooler(&direct, true), 32).await.unwrap();
    let ids = TestIds::default();
    let clients = (0..32).map(async |client| {
        for turn in 0..4 {
            work(&served, &worlds[client % 2], &ids, format!("agent-{client}-{turn}")).await;
        }
    });
    join_all(clients).await;
    for (at, world) in worlds.iter().enumerate() {
        let all = (0..32).filter(|client| client % 2 == at);
        let all: BTreeSet<String> =
            all.flat_map(|client| (0..4).map(move |turn| format!("agent-{client}-{turn}"))).collect();
        let found = agent_names(&served, world.workspace).await;
        assert_eq!(found.into_iter().filter(|name| name.starts_with("agent-")).collect::<BTreeSet<_>>(), all);
    }
    let connections = format!(
        "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = '{}'",
        direct.app.trim_start_matches("postgres://").split(':').next().unwrap()
    );
    let count = db.number(&connections).await;
    assert!((2..=4).contains(&count), "{count} connections to the server");
    assert_nothing_kept(&through_pooler(&direct, true).app).await;
    served.close().await;
    drop_logins(&db, &direct).await;
}

/// Asserts that no connection of the pooler to the server kept a workspace, a setting or a statement.
async fn assert_nothing_kept(url: &str) {
    const STATE: &str = "BEGIN; SELECT coalesce(current_setting('app.workspace_id', true), ''), \
        current_setting('lock_timeout'), current_setting('jit'), \
        (SELECT CAST(COUNT(*) AS TEXT) FROM pg_prepared_statements), \
        (SELECT CAST(COUNT(*) AS TEXT) FROM agents), CAST(pg_backend_pid() AS TEXT)";
    let mut clients = Vec::new();
    let mut servers = BTreeSet::new();
    // As many as the pooler has connections, each of which holds one until all were asked.
    for _ in 0..4 {
        let mut client = PgConnection::connect(url).await.unwrap();
        let row = sqlx::raw_sql(STATE).fetch_one(&mut client).await.unwrap();
        let state: Vec<String> = (0..6).map(|at| row.get(at)).collect();
        assert_eq!(state[..5], ["", "0", "on", "0", "0"]);
        servers.insert(state[5].clone());
        clients.push(client);
    }
    assert_eq!(servers.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pooler_without_the_setting_is_named_with_it() {
    let (db, direct, _) = made().await;
    let error = Db::open_pg_as(&through_pooler(&direct, false), 6).await.map(drop).unwrap_err();
    assert!(error.to_string().contains("needs `--pg-pooler transaction`"), "{error}");
    // What was left on the pooler's connections is in nobody's way.
    Db::open_pg_as(&through_pooler(&direct, true), 6).await.unwrap().close().await;
    drop_logins(&db, &direct).await;
}

/// The reads have as many connections as the pooler has to the server, and more tasks wait for each.
#[tokio::test(flavor = "multi_thread")]
async fn reads_without_a_pause_leave_connections_to_writes() {
    let (db, direct, [world, _]) = made().await;
    let served = Db::open_pg_as(&through_pooler(&direct, true), 12).await.unwrap();
    let (ids, count, over) = (TestIds::default(), AtomicU32::new(0), AtomicBool::new(false));
    let reads = join_all((0..32).map(async |_| {
        while !over.load(SeqCst) {
            agent_names(&served, world.workspace).await;
            count.fetch_add(1, SeqCst);
        }
    }));
    let writes = async {
        for turn in 0..8 {
            let before = count.load(SeqCst);
            eventually("each reads again", async || count.load(SeqCst) > before + 32).await;
            add_agent(&served, world.workspace, agent(&ids, &format!("w-{turn}"))).await.unwrap();
        }
        over.store(true, SeqCst);
    };
    tokio::join!(reads, writes);
    assert_eq!(agent_names(&served, world.workspace).await.len(), 8);
    served.close().await;
    drop_logins(&db, &direct).await;
}
