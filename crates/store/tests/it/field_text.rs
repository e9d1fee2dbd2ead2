//! A search of the field of a mission finds entries of this mission alone.

use toolcrib_model::{Id, IdGen};
use toolcrib_store::{
    StoreError,
    field::{self, FieldRow},
    text,
};
use toolcrib_testkit::{NOW, TestDb, TestIds, both_databases};

const WORKSPACE: Id = Id::from_u128(0xa);
const MISSION: Id = Id::from_u128(0xb1);
const OTHER: Id = Id::from_u128(0xb2);

fn entry(ids: &TestIds, mission_id: Id, key: &str, value: &str) -> FieldRow {
    FieldRow {
        id: ids.new_id(NOW),
        mission_id,
        key: key.into(),
        value: value.into(),
        tokens: text::tokens(&format!("{key} {value}")),
        strength: 1.0,
        reinforced_at: NOW,
        version: 1,
        created_by: None,
        created_at: NOW,
    }
}

async fn write(db: &TestDb, rows: Vec<FieldRow>, changed: Option<FieldRow>) {
    toolcrib_testkit::write::<_, StoreError>(db, WORKSPACE, async |tx| {
        for row in &rows {
            field::insert(tx, row).await?;
        }
        if let Some(row) = &changed {
            assert!(field::update(tx, row).await?);
        }
        Ok(())
    })
    .await
    .unwrap();
}

async fn keys(db: &TestDb, mission: Id, query: &str) -> Vec<String> {
    let mut tx = db.read(WORKSPACE).await.unwrap();
    let found = field::candidates(&mut tx, &text::query(query), mission).await.unwrap();
    tx.end().await.unwrap();
    let mut keys: Vec<String> = found.into_iter().map(|row| row.key).collect();
    keys.sort();
    keys
}

#[both_databases]
async fn a_search_finds_entries_of_its_mission(db: TestDb) {
    let ids = TestIds::default();
    let price = entry(&ids, MISSION, "price", "48 cents a carton");
    let rows = vec![
        price.clone(),
        entry(&ids, MISSION, "supplier", "sends cartons and one carton more"),
        entry(&ids, OTHER, "carton", "of another mission"),
    ];
    write(&db, rows, None).await;
    assert_eq!(keys(&db, MISSION, "carton").await, ["price", "supplier"]);
    assert_eq!(keys(&db, OTHER, "carton cents").await, ["carton"]);
    let value = "50 cents a box".to_owned();
    let tokens = text::tokens(&format!("price {value}"));
    write(&db, Vec::new(), Some(FieldRow { value, tokens, ..price })).await;
    assert_eq!(keys(&db, MISSION, "carton").await, ["supplier"]);
    assert_eq!(keys(&db, MISSION, "box").await, ["price"]);
}
