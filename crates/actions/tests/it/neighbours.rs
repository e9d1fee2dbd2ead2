//! One workspace sends all it can while another workspace makes calls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, both_databases, soak};

use crate::harness::{App, service_key};

fn calls() -> usize {
    soak(25, 2_000)
}

/// Passages of one megabyte in all.
fn records(from: usize) -> Value {
    let content = "kiln glaze amphora cobalt ".repeat(550);
    let record = |n: usize| {
        let id = Id::from_u128((7 << 76) | (2 << 62) | (from + n) as u128);
        json!({"id": id, "at": "2026-01-15T09:00:00Z", "position": n, "content": content})
    };
    (0..70).map(record).collect()
}

#[both_databases]
async fn soak_neighbours_calls_are_answered_beside_one_that_sends_all_it_can(db: TestDb) {
    let app = Arc::new(App::new(db).await);
    let document =
        app.owner().done("add_document", json!({"title": "T", "content": "x"})).await["id"].clone();
    let over = Arc::new(AtomicBool::new(false));
    let posts = Arc::new(AtomicUsize::new(0));
    let loads: Vec<_> = (0..8)
        .map(|n| {
            let (app, over, posts, document) = (app.clone(), over.clone(), posts.clone(), document.clone());
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    let post = posts.fetch_add(1, Ordering::Relaxed);
                    if n < 2 {
                        let runtime = app.as_identity(service_key(&app, "records:write"));
                        let call = json!({"document_id": document, "records": records(post * 1_000)});
                        runtime.call("records.add_chunks", call).await;
                    } else if n < 5 {
                        app.owner().call("get_activity_feed", json!({})).await;
                    } else {
                        app.owner().call("create_agent", json!({"name": format!("agent {post}")})).await;
                    }
                }
            })
        })
        .collect();
    let other = app.as_role_b(Role::Owner);
    let mut took = Vec::new();
    for n in 0..calls() {
        let begun = Instant::now();
        if n % 2 == 0 {
            other.done("list_agents", json!({})).await;
        } else {
            other.done("create_task", json!({"title": format!("task {n}"), "description": "beside"})).await;
        }
        took.push(begun.elapsed());
    }
    over.store(true, Ordering::Relaxed);
    for load in loads {
        load.await.unwrap();
    }
    took.sort();
    println!(
        "neighbours, {}: {} calls answered beside {} of another workspace; \
         median {:?}, 99th {:?}, longest {:?}",
        app.db.kind(),
        took.len(),
        posts.load(Ordering::Relaxed),
        took[took.len() / 2],
        took[took.len() * 99 / 100],
        took[took.len() - 1]
    );
}
