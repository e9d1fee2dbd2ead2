//! The memory of an idle process.

use toolcrib_testkit::eventually;

use crate::binary::{Server, folder};

/// The most memory of an idle demo beside its files, in MiB. Its start needs more than 60.
const MAX_IDLE_MIB: u64 = 56;

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_demo_gives_back_what_its_start_needed() {
    let folder = folder();
    assert_eq!(Server::start(folder.path(), &["--demo"]).stop(), Some(0), "it makes the demo");
    let server = Server::start(folder.path(), &["--demo"]);
    eventually("the search is indexed", async || server.threads().iter().all(|name| name != "search-index"))
        .await;
    eventually("the memory is given back", async || {
        let held = server.anonymous_mib();
        if held <= MAX_IDLE_MIB { Ok(()) } else { Err(format!("{held} MiB")) }
    })
    .await;
    assert_eq!(server.stop(), Some(0));
}
