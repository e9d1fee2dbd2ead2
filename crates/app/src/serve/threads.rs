//! Threads of `serve` that end after their work.

use std::{hint::black_box, io, sync::Arc, thread, time::Duration};

use tokio::time::interval;
use toolcrib_engine::Catalog;

/// How often freed memory is given back to the operating system.
const GIVE_BACK_EVERY: Duration = Duration::from_secs(2);

/// Builds the search index of the actions, so that neither the start nor the first search waits for it. A search
/// that comes earlier waits for the rest of the work.
pub fn index_actions(catalog: Arc<Catalog>) -> io::Result<()> {
    let index = move || {
        catalog.search();
    };
    thread::Builder::new().name("search-index".into()).spawn(index).map(drop)
}

/// Gives back what any thread freed more than a second ago. The allocator does so when a page of it becomes free or
/// a thread ends that used it. In an idle process neither happens, and it would keep what its start or a burst of
/// requests needed.
pub async fn trim_memory() {
    let mut ticks = interval(GIVE_BACK_EVERY);
    loop {
        ticks.tick().await;
        let ended =
            thread::Builder::new().name("give-back".into()).spawn(|| drop(black_box(Box::new(0_u64))));
        if let Err(error) = ended {
            tracing::debug!(%error, "freed memory is given back later");
        }
    }
}
