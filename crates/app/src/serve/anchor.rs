//! Stores the signed heads of audit logs outside the database. They reveal a log that was truncated and a
//! database that was restored to an earlier state: `toolcrib audit verify --against FILE`.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
    time::Duration,
};

use parking_lot::Mutex;
use secrecy::ExposeSecret as _;
use serde_json::json;
use toolcrib_config::Anchor;
use toolcrib_connectors::{Client, RequestLimits};
use toolcrib_engine::chain::checkpoint_line;
use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, audit::chain, audit::chain::Checkpoint};

use crate::failure::Failure;

/// The timeout of a request to the URL of `--audit-anchor`, and how much of the response is read.
const BOUNDS: RequestLimits = RequestLimits { timeout: Duration::from_secs(8), bytes: 64 * 1024 };
/// How long storing the last heads may take at shutdown: one slow request and one fast one.
const LAST_STORE_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum number of heads in one request.
const MESSAGE: usize = 500;

/// Where heads are stored, and the heads that are not stored yet.
pub struct AnchorWriter {
    target: AnchorTarget,
    /// The newest head of each workspace that is not stored yet.
    queued: Mutex<BTreeMap<Id, Checkpoint>>,
    /// Allows one request or write at a time.
    turn: tokio::sync::Mutex<()>,
}

enum AnchorTarget {
    File(PathBuf),
    Url(Client),
}

impl AnchorWriter {
    /// Creates the anchor from the settings. Fails if the file cannot be opened for appending.
    pub fn new(place: &Anchor) -> Result<Self, Failure> {
        let target = match place {
            Anchor::File(path) => {
                append_to(path).map_err(|error| {
                    Failure::could_not(&format!("the file `{}` of `--audit-anchor`", path.display()), error)
                })?;
                AnchorTarget::File(path.clone())
            }
            Anchor::Url(url) => AnchorTarget::Url(
                Client::new(url.expose_secret(), None, BOUNDS)
                    .map_err(|error| Failure::Usage(format!("`--audit-anchor` can't be used: {error}")))?,
            ),
        };
        Ok(Self { target, queued: Mutex::default(), turn: tokio::sync::Mutex::default() })
    }

    /// Queues the last head of every log, also those that another process signed.
    pub async fn begin(&self, db: &Db) -> Result<(), StoreError> {
        self.add(chain::last_checkpoints(db).await?);
        Ok(())
    }

    pub fn add(&self, heads: Vec<Checkpoint>) {
        let mut queued = self.queued.lock();
        for head in heads {
            queued.insert(head.workspace_id, head);
        }
    }

    /// Stores the queued heads. Returns immediately if another task stores heads now. If it fails, the heads
    /// stay queued until the next call, and a newer head of the same log replaces an older one.
    pub async fn store(&self) {
        let Ok(_turn) = self.turn.try_lock() else { return };
        if let Err(error) = self.store_queued().await {
            tracing::warn!(
                error,
                "the heads of audit logs can't be kept at `--audit-anchor` now; it is tried again"
            );
        }
    }

    /// Stores the queued heads at shutdown. Waits for another task that stores heads now. Takes at most
    /// [`LAST_STORE_TIMEOUT`].
    pub async fn store_last(&self) {
        let stored = async {
            let _turn = self.turn.lock().await;
            self.store_queued().await
        };
        let why = match tokio::time::timeout(LAST_STORE_TIMEOUT, stored).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(_) => "it did not answer in time".to_owned(),
        };
        tracing::warn!(
            error = why,
            "the last heads of audit logs were not kept at `--audit-anchor`; they are sent again at the next start"
        );
    }

    async fn store_queued(&self) -> Result<(), String> {
        loop {
            let heads: Vec<Checkpoint> = self.queued.lock().values().take(MESSAGE).cloned().collect();
            if heads.is_empty() {
                return Ok(());
            }
            self.send(&heads).await?;
            let mut queued = self.queued.lock();
            for head in heads {
                if queued.get(&head.workspace_id) == Some(&head) {
                    queued.remove(&head.workspace_id);
                }
            }
        }
    }

    async fn send(&self, heads: &[Checkpoint]) -> Result<(), String> {
        match &self.target {
            AnchorTarget::Url(client) => {
                let sent = client.post_json(&json!({ "checkpoints": heads })).await;
                sent.map(drop).map_err(|error| error.to_string())
            }
            AnchorTarget::File(path) => {
                let lines: String = heads.iter().map(checkpoint_line).collect();
                let path = path.clone();
                let written = tokio::task::spawn_blocking(move || {
                    let mut file = append_to(&path)?;
                    file.write_all(lines.as_bytes()).and_then(|()| file.sync_data())
                });
                written.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
            }
        }
    }
}

fn append_to(path: &std::path::Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}
