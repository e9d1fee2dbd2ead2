//! Alerts that Alertmanager delivered.

use toolcrib_model::{Id, Ts};
use toolcrib_store::alerts::{self, AlertRow};
use toolcrib_testkit::{NOW, TestDb, both_databases, write};

fn alert(workspace_id: Id, fingerprint: &str, started: i64, ended: Option<i64>) -> AlertRow {
    AlertRow {
        workspace_id,
        fingerprint: fingerprint.into(),
        starts_at: NOW.plus_seconds(-started),
        ended_at: ended.map(|ago| NOW.plus_seconds(-ago).as_micros()),
        name: "Slow".into(),
        severity: None,
        subject: "api".into(),
        summary: String::new(),
        labels: "{}".into(),
        received_at: NOW,
    }
}

async fn put(db: &TestDb, row: AlertRow) {
    write(db, row.workspace_id, async |tx| alerts::put(tx, &row).await).await.unwrap();
}

async fn fingerprints(db: &TestDb, workspace: Id, from: Ts) -> Vec<String> {
    let mut tx = db.read(workspace).await.unwrap();
    let found = alerts::since(&mut tx, from, 10).await.unwrap();
    tx.end().await.unwrap();
    found.into_iter().map(|row| row.fingerprint).collect()
}

#[both_databases]
async fn alerts_belong_to_a_workspace_and_ended_ones_stay_ended(db: TestDb) {
    let (a, b) = (Id::from_u128(0xa), Id::from_u128(0xb));
    for row in [
        alert(a, "old", 60, None),
        alert(a, "new", 30, None),
        // The alert `old` ends. A later delivery that it fires is ignored. An alert with the same labels but
        // a new start is another alert.
        alert(a, "old", 60, Some(10)),
        alert(a, "old", 60, None),
        alert(a, "old", 5, None),
        alert(b, "old", 60, None),
        alert(Id::nil(), "nobodys", 1, None),
    ] {
        put(&db, row).await;
    }
    assert_eq!(fingerprints(&db, a, NOW).await, ["old", "new", "old"]);
    assert_eq!(fingerprints(&db, b, NOW).await, ["old"]);
    assert_eq!(fingerprints(&db, a, NOW.plus_seconds(1)).await, [""; 0]);
    let mut tx = db.read(a).await.unwrap();
    let own = alerts::since(&mut tx, NOW, 10).await.unwrap();
    assert_eq!(own[2], alert(a, "old", 60, Some(10)));
    let all = alerts::since_anywhere(&mut tx, NOW, 10).await.unwrap();
    assert_eq!((all.len(), all[0].workspace_id), (5, Id::nil()));
    assert_eq!(alerts::since_anywhere(&mut tx, NOW, 2).await.unwrap().len(), 2);
    tx.end().await.unwrap();
    // The firing alert turns out to have started earlier: its start moves, and there is no new row. Then it
    // ends.
    put(&db, alert(a, "old", 7, None)).await;
    assert_eq!(fingerprints(&db, a, NOW).await, ["old", "new", "old"]);
    put(&db, alert(a, "old", 8, Some(1))).await;
    let mut tx = db.read(a).await.unwrap();
    let own = alerts::since(&mut tx, NOW, 10).await.unwrap();
    tx.end().await.unwrap();
    let ended: Vec<bool> = own.iter().map(|row| row.ended_at.is_some()).collect();
    assert_eq!(ended, [true, false, true]);
    write(&db, a, async |tx| alerts::forget(tx, NOW.plus_seconds(1)).await).await.unwrap();
    assert_eq!(fingerprints(&db, a, NOW).await, [""; 0]);
    assert_eq!(fingerprints(&db, b, NOW).await, ["old"]);
}
