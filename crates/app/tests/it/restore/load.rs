//! Backups that are made while callers write are states that the database had.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases, eventually, soak};

use crate::{api::Api, binary::folder, load::at_rest, place::Place};

#[both_databases]
async fn a_backup_beside_writers_has_effects_and_their_rows(db: TestDb) {
    let folder = folder();
    let place = Place::new(folder.path(), &db);
    let server = place.start(&["--demo"]);
    let owner = Api::new(&reqwest::Client::new(), &server, folder.path(), "owner");
    place.limits_off(owner.workspace).await;
    let stop = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let (owner, stop) = (owner.clone(), stop.clone());
            tokio::spawn(async move {
                let mut made = 0;
                while !stop.load(Ordering::SeqCst) {
                    let name = format!("kill-{writer}-{made}");
                    owner.post("/v1/actions/platform_create_agent", &json!({ "name": name }), 200).await;
                    made += 1;
                }
                made
            })
        })
        .collect();
    let list = json!({ "search": "kill-", "limit": 1 });
    eventually("they write", async || {
        let found = owner.post("/v1/actions/platform_list_agents", &list, 200).await;
        !found["data"]["items"].as_array().unwrap().is_empty()
    })
    .await;
    let mut sizes = Vec::new();
    for round in 0..soak(2, 20) {
        let file = folder.path().join(format!("backup-{round}"));
        place.back_up(&file);
        let back = place.put_back(&file, &folder.path().join(format!("back-{round}")));
        back.restore(&file);
        back.done(&["audit", "verify"]);
        let open = back.open().await;
        let (made, recorded) = at_rest(&open, owner.workspace).await;
        open.close().await;
        assert_eq!(made, recorded.into_iter().collect::<HashSet<_>>());
        sizes.push(made.len());
        back.drop();
    }
    stop.store(true, Ordering::SeqCst);
    let mut all = 0;
    for writer in writers {
        all += writer.await.unwrap();
    }
    println!("backups beside writers, {}: {sizes:?} of {all} agents", db.kind());
    assert!(sizes.windows(2).all(|pair| pair[0] <= pair[1]) && sizes[0] > 0, "{sizes:?}");
    assert_eq!(server.stop(), Some(0));
}
