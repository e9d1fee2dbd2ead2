//! Messages about additions while their receiver refuses them.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU16, Ordering},
};

use axum::{
    Router,
    body::Bytes,
    http::{HeaderMap, StatusCode},
};
use serde_json::{Value, json};
use toolcrib_actions::Webhooks;
use toolcrib_connectors::webhooks::{Allowed, WebhookSender};
use toolcrib_model::{Role, SystemIds};
use toolcrib_testkit::{TestDb, both_databases};

use crate::house::House;

/// How many films are added while the receiver refuses.
const FILMS: i64 = 4;

/// Takes messages, and answers as the test says.
#[derive(Clone, Default)]
struct Receiver {
    status: Arc<AtomicU16>,
    /// The id and the body of each request, with the status of its answer.
    got: Arc<Mutex<Vec<(String, Value, u16)>>>,
}

impl Receiver {
    async fn start() -> (Self, String) {
        let receiver = Self::default();
        let own = receiver.clone();
        let take = async move |headers: HeaderMap, body: Bytes| {
            let status = own.status.load(Ordering::SeqCst);
            let id = headers["webhook-id"].to_str().unwrap().to_owned();
            own.got.lock().unwrap().push((id, serde_json::from_slice(&body).unwrap(), status));
            StatusCode::from_u16(status).unwrap()
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, Router::new().fallback(take)).await });
        (receiver, url)
    }

    fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// The ids of the messages that were answered with this status.
    fn ids(&self, kind: &str, status: u16) -> Vec<String> {
        let got = self.got.lock().unwrap();
        let fits = |one: &&(String, Value, u16)| one.1["type"] == kind && one.2 == status;
        let mut ids: Vec<String> = got.iter().filter(fits).map(|one| one.0.clone()).collect();
        ids.sort();
        ids
    }
}

/// A call sends no message itself: the receiver hears of an addition from a worker alone. What it refuses for
/// an hour comes afterwards, each message once.
#[both_databases]
async fn a_receiver_that_refuses_for_an_hour_holds_up_no_add_and_loses_no_message(db: TestDb) {
    let house = House::new(db).await;
    let (receiver, url) = Receiver::start().await;
    let hook = json!({ "url": url, "types": ["media.added", "notification.created"] });
    house.app.owner().done("webhooks.create", hook).await;
    let films = (1..=FILMS).map(|n| json!({ "title": format!("Film {n}"), "tmdbId": 100 + n }));
    house.a.radarr.set(|state| state.titles.extend(films));
    let hosts = house.app.engine.catalog().rules().webhook_hosts.clone();
    let sender = WebhookSender::new(Allowed::new(&hosts)).unwrap();
    let (clock, catalog) = (house.app.clock.clone(), house.app.engine.catalog().clone());
    let worker =
        Arc::new(Webhooks::new((*house.app.db).clone(), clock, Arc::new(SystemIds), catalog, sender));
    receiver.answers(503);
    for n in 1..=FILMS {
        let before = receiver.got.lock().unwrap().len();
        let added =
            house.app.as_role(Role::Member).done("media_add_movie", json!({ "tmdb_id": 100 + n })).await;
        assert_eq!(added["status"], "added");
        assert_eq!(receiver.got.lock().unwrap().len(), before, "the call told the receiver");
        worker.run().await.unwrap();
        house.app.clock.advance(15 * 60);
    }
    let refused = receiver.ids("media.added", 503);
    assert!(refused.len() >= 4, "{refused:?}");
    receiver.answers(204);
    house.app.clock.advance(24 * 60 * 60);
    while worker.run().await.unwrap() > 0 {}
    for kind in ["media.added", "notification.created"] {
        let told = receiver.ids(kind, 204);
        assert_eq!(told.len(), 4, "{kind}: {told:?}");
        let mut distinct = told.clone();
        distinct.dedup();
        assert_eq!(distinct, told, "{kind}");
    }
}
