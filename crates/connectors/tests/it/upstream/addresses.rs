//! Which addresses are called.

use tokio::net::TcpListener;
use toolcrib_connectors::upstream::{SendError, UpstreamClient};

use super::{Names, client, get, post, server::Server, settings};

#[tokio::test]
async fn private_addresses_are_not_connected_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let refused = |url: String, addresses: &'static [&'static str]| async move {
        let names = Names::new(|_| addresses.to_vec());
        let client = UpstreamClient::with_lookup(settings(&["listed.example:1"], &[]), names).unwrap();
        let error = client.send(post(&url)).await.unwrap_err();
        assert!(matches!(error, SendError::AddressRefused(_)), "{url} {addresses:?}: {error:?}");
        assert!(!error.is_unknown());
    };
    for private in [
        &["127.0.0.1"][..],
        &["10.0.0.1", "::1"],
        &["169.254.169.254"],
        &["::ffff:127.0.0.1"],
        &["64:ff9b::7f00:1"],
        &[],
    ] {
        refused(format!("https://upstream.example:{port}/"), private).await;
    }
    // A host that is an address is not looked up.
    for host in ["127.0.0.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "169.254.169.254"] {
        refused(format!("https://{host}:{port}/"), &["127.0.0.1"]).await;
    }
    // The host is listed with another port.
    refused(format!("https://listed.example:{port}/"), &["127.0.0.1"]).await;
    let came = tokio::time::timeout(std::time::Duration::from_millis(200), listener.accept()).await;
    assert!(came.is_err(), "{came:?}");
}

#[tokio::test]
async fn each_connection_looks_its_host_up_again() {
    for request in [post, get] {
        // The first address is public, and nobody has it.
        let names = Names::new(|at| if at == 0 { vec!["2fff::1"] } else { vec!["127.0.0.1"] });
        let client = UpstreamClient::with_lookup(settings(&[], &[]), names).unwrap();
        let first = client.send(request("https://upstream.example/")).await.unwrap_err();
        assert!(matches!(first, SendError::NotConnected(_)), "{first:?}");
        let second = client.send(request("https://upstream.example/")).await.unwrap_err();
        assert!(matches!(second, SendError::AddressRefused(_)), "{second:?}");
    }
}

#[tokio::test]
async fn a_listed_host_may_lead_to_a_private_address_and_our_own_may_not() {
    let server = Server::answering("200 OK", "", b"{}").await;
    let port = server.url.split([':', '/']).nth(4).unwrap();
    let names = Names::new(|_| vec!["127.0.0.1"]);
    let own = format!("own.internal:{port}");
    let listed = ["listed.internal", "own.internal"];
    let internal = UpstreamClient::with_lookup(settings(&listed, &[&own]), names).unwrap();
    let url = |host: &str| format!("http://{host}:{port}/");
    assert_eq!(internal.send(post(&url("listed.internal"))).await.unwrap().status, 200);
    for host in ["own.internal", "OWN.internal", "own.internal."] {
        let error = internal.send(post(&url(host))).await.unwrap_err();
        assert_eq!(error, SendError::AddressRefused("must not be the address of this service"), "{host}");
    }
    for url in ["https://a:b@upstream.example/", "https://upstream.example/#a", "http://upstream.example/"] {
        let error = client().send(post(url)).await.unwrap_err();
        assert!(matches!(error, SendError::AddressRefused(_)), "{url}: {error:?}");
    }
    assert_eq!(server.connections(), 1);
}
