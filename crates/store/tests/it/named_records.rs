//! Which names are those of a workspace's records.

use sqlx::{AssertSqlSafe, Executor};
use toolcrib_model::{Id, IdGen};
use toolcrib_store::{
    StoreError, documents, documents::DocumentRow, named_records, named_records::NamedRecords, playbooks,
    playbooks::PlaybookRow,
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases, postgres, sqlite, write};

use crate::{
    help::{add_agent, agent, raw_pg, raw_sqlite},
    sql_lint::texts,
};

const MINE: Id = Id::from_u128(0xa);
const THEIRS: Id = Id::from_u128(0xb);

fn playbook(ids: &TestIds, name: &str) -> PlaybookRow {
    PlaybookRow {
        id: ids.new_id(NOW),
        name: name.into(),
        description: "d".into(),
        tags: "[]".into(),
        status: "active".into(),
        cron: None,
        timezone: None,
        next_run_at: None,
        max_retries: 0,
        step_timeout_s: 60,
        version: 1,
        created_by: None,
        caller: None,
        set_by: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn document(ids: &TestIds, title: &str) -> DocumentRow {
    DocumentRow {
        id: ids.new_id(NOW),
        title: title.into(),
        source_url: None,
        tags: Vec::new(),
        status: "indexed".into(),
        error: None,
        bytes: 1,
        passages: 0,
        version: 1,
        created_by: None,
        created_at: NOW,
        updated_at: NOW,
    }
}

async fn find(db: &TestDb, workspace: Id, names: &[&str]) -> Vec<NamedRecords> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = named_records::find(&mut tx, names).await.unwrap();
    tx.end().await.unwrap();
    found
}

#[both_databases]
async fn a_name_is_found_in_any_case_in_its_own_workspace(db: TestDb) {
    let ids = TestIds::default();
    for row in [agent(&ids, "Northwind churn"), agent(&ids, "Caf\u{e9}")] {
        add_agent(&db, MINE, row).await.unwrap();
    }
    let playbooks = [playbook(&ids, "ΣΟΦΟΣ"), playbook(&ids, "Northwind Churn")];
    let documents = [document(&ids, "Caf\u{e9}"), document(&ids, "Price list"), document(&ids, "PRICE list")];
    write::<_, StoreError>(&db, MINE, async |tx| {
        for row in &playbooks {
            playbooks::insert(tx, row).await?;
        }
        for row in &documents {
            documents::insert(tx, row, "x", &[]).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
    let names = ["northwind CHURN", "σοφος", "CAFE\u{301}", "price List", "churn", "price\0list", "", "%"];
    let records = |agent, playbook, document| NamedRecords { agent, playbook, document };
    let nothing = NamedRecords::default();
    let expected = [
        records(true, true, false),
        records(false, true, false),
        records(true, false, true),
        records(false, false, true),
        nothing.clone(),
        nothing.clone(),
        nothing.clone(),
        nothing.clone(),
    ];
    assert_eq!(find(&db, MINE, &names).await, expected);
    assert_eq!(find(&db, THEIRS, &names).await, vec![nothing; names.len()]);
    let many: Vec<String> = (0..64).map(|n| format!("name {n}\"',{{}}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(find(&db, MINE, &many).await.len(), 64);
}

#[both_databases]
async fn without_names_nothing_is_read(db: TestDb) {
    db.raw_sql("ALTER TABLE documents RENAME TO documents_gone").await;
    assert_eq!(find(&db, MINE, &[]).await, []);
    assert_eq!(find(&db, MINE, &["\0"]).await, [NamedRecords::default()]);
    let mut tx = db.read(MINE).await.unwrap();
    assert!(named_records::find(&mut tx, &["x"]).await.is_err());
}

/// The statement for the database whose function lists the keys.
fn statement(function: &str) -> String {
    let found: Vec<String> = texts()
        .into_iter()
        .filter(|text| text.contains("FROM playbooks") && text.contains("FROM documents"))
        .filter(|text| text.contains(function))
        .collect();
    let [text] = found.as_slice() else { panic!("{found:?}") };
    text.clone()
}

/// Inserts 4,000 agents and playbooks, and as many documents with one title, which is the worst case.
const MANY: &str = "\
    INSERT INTO agents (workspace_id, id, name, name_key, slug, role, model, status, tags, version, \
        created_at, updated_at) SELECT $w, $id, 'N', 'n' || n, 'n' || n, 'r', 'm', 'active', '[]', 1, n, n \
        FROM $numbers; \
    INSERT INTO playbooks (workspace_id, id, name, name_key, description, tags, status, max_retries, \
        step_timeout_s, version, created_at, updated_at) SELECT $w, $id, 'N', 'n' || n, 'd', '[]', 'active', \
        0, 1, 1, n, n FROM $numbers; \
    INSERT INTO documents (workspace_id, id, title, title_key, content, tags, status, bytes, passages, \
        version, created_at, updated_at) SELECT $w, $id, 'Same', 'same', 'c', '[]', 'indexed', 1, 0, 1, n, n \
        FROM $numbers";

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_looks_each_key_up_in_an_index() {
    let db = sqlite().await;
    let numbers =
        "(WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 4000) SELECT n FROM c)";
    let workspace = format!("x'{}'", MINE.to_string().replace('-', ""));
    let many = MANY.replace("$w", &workspace).replace("$id", "randomblob(16)").replace("$numbers", numbers);
    for prepared in [many.as_str(), "ANALYZE"] {
        db.raw_sql(prepared).await;
        let mut raw = raw_sqlite(&db).await;
        let sql = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", statement("json_each")));
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(sql).fetch_all(&mut raw).await.unwrap();
        for (table, key) in [("agents", "name_key="), ("playbooks", "name_key="), ("documents", "title_key>")]
        {
            let lines: Vec<&str> =
                plan.iter().map(|row| row.3.as_str()).filter(|line| line.contains(table)).collect();
            let [line] = lines.as_slice() else { panic!("{plan:?}") };
            assert!(line.starts_with("SEARCH ") && line.contains("COVERING INDEX"), "{line}");
            assert!(line.ends_with(&format!("(workspace_id=? AND {key}?)")), "{line}");
        }
        assert!(!plan.iter().any(|row| row.3.contains("TEMP B-TREE")), "{plan:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_looks_each_key_up_in_an_index() {
    let db = postgres().await;
    let mut raw = raw_pg(&db).await;
    let workspace = format!("CAST('{MINE}' AS UUID)");
    let numbers = "generate_series(1, 4000) n";
    let many = MANY.replace("$w", &workspace).replace("$id", "gen_random_uuid()");
    let keys: Vec<String> = (0..64).map(|n| format!("n{n}")).collect();
    let sql = statement("unnest").replace("$1", &workspace);
    let sql = sql.replace("$2", &format!("'{{{}}}'", keys.join(",")));
    let set = format!("SET ROLE toolcrib_app; SET app.workspace_id = '{MINE}'");
    raw.execute(AssertSqlSafe(set)).await.unwrap();
    for prepared in [many.replace("$numbers", numbers).as_str(), "ANALYZE agents, playbooks, documents"] {
        db.raw_sql(prepared).await;
        let explain = AssertSqlSafe(format!("EXPLAIN {sql}"));
        let plan = sqlx::query_scalar::<_, String>(explain).fetch_all(&mut raw).await.unwrap().join("\n");
        assert!(!plan.contains("Seq Scan") && !plan.contains("Sort"), "{plan}");
        for key in ["(name_key = k.key)", "(title_key >= k.key)"] {
            assert!(plan.lines().any(|line| line.contains("Index Cond") && line.contains(key)), "{plan}");
        }
        assert_eq!(plan.matches("Index Cond: ((workspace_id = ").count(), 3, "{plan}");
    }
}
