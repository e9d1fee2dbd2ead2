//! Webhooks are never sent to a private address, even if a host name resolves to one later.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use tokio::net::TcpListener;
use toolcrib_connectors::{
    UpstreamError,
    webhooks::{Allowed, HostLookup, Message, Receipt, WebhookSender},
};
use toolcrib_model::Id;
use toolcrib_testkit::{
    NOW,
    outside::{Hostile, Wrong},
};

/// Resolves every name to the given addresses, and counts the lookups.
struct Names {
    addresses: Vec<IpAddr>,
    asked: AtomicUsize,
}

impl Names {
    fn leading_to(addresses: &[&str]) -> Arc<Self> {
        let addresses = addresses.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { addresses, asked: AtomicUsize::new(0) })
    }
}

impl HostLookup for Names {
    fn lookup(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let addresses = self.addresses.clone();
        Box::pin(async move { Ok(addresses) })
    }
}

async fn send(sender: &WebhookSender, url: &str) -> Result<Receipt, UpstreamError> {
    let secrets = [SecretString::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")];
    sender.send(&Message { url, id: Id::from_u128(1), at: NOW, body: "{}", secrets: &secrets }).await
}

#[tokio::test]
async fn a_name_that_leads_to_a_private_address_is_not_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for private in
        [&["127.0.0.1"][..], &["10.0.0.1", "::1"], &["169.254.169.254"], &["::ffff:127.0.0.1"], &[]]
    {
        let names = Names::leading_to(private);
        let sender = WebhookSender::with_lookup(Allowed::default(), names.clone()).unwrap();
        for _ in 0..2 {
            let refused = send(&sender, &format!("https://hooks.example.com:{port}/")).await;
            assert!(matches!(refused, Err(UpstreamError::NotPublic)), "{private:?}: {refused:?}");
        }
        assert_eq!(names.asked.load(Ordering::SeqCst), 2, "the name is looked up each time");
    }
    // No connection was made.
    let came = tokio::time::timeout(std::time::Duration::from_millis(200), listener.accept()).await;
    assert!(came.is_err(), "{came:?}");
}

#[tokio::test]
async fn the_operators_hosts_may_lead_anywhere() {
    let hostile = Hostile::start(Wrong::Html).await;
    let port: u16 = hostile.url.rsplit(':').next().unwrap().parse().unwrap();
    let names = Names::leading_to(&["127.0.0.1"]);
    let allowed = Allowed::new(&["hooks.internal".to_owned()]);
    let sender = WebhookSender::with_lookup(allowed, names).unwrap();
    assert_eq!(send(&sender, &format!("http://hooks.internal:{port}/")).await.unwrap().status, 200);
    assert_eq!(send(&sender, &hostile.url).await.unwrap_err().to_string(), "must begin with https://");
}

#[tokio::test]
async fn only_the_status_of_a_response_is_kept() {
    let hostile = Hostile::start(Wrong::Status(503)).await;
    let sender = WebhookSender::new(Allowed::new(&["127.0.0.1".to_owned()])).unwrap();
    let receipt = send(&sender, &hostile.url).await.unwrap();
    assert_eq!(receipt, Receipt { status: 503, ..Receipt::default() }, "nothing else of its answer is kept");
}
