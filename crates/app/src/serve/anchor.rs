//! Keeps the signed heads of audit logs away from the database, so that a log that was cut, or a database that was put back,
//! is found out: `toolcrib audit verify --against FILE`.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
    sync::Mutex,
    time::Duration,
};

use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use toolcrib_config::Anchor;
use toolcrib_connectors::{Client, RequestLimits};
use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, audit::chain, audit::chain::Checkpoint};

use crate::failure::Failure;

/// What a keeper may take to answer, and how much of its answer is read.
const BOUNDS: RequestLimits = RequestLimits { patience: Duration::from_secs(8), bytes: 64 * 1024 };
/// How long keeping may take when the process ends: one answer of a slow keeper, and a quick one.
const LAST_KEEP: Duration = Duration::from_secs(10);
/// Heads in one message.
const MESSAGE: usize = 500;

/// Where heads are kept, and which are not kept yet.
pub struct AnchorWriter {
    keeper: Keeper,
    /// The last head of each workspace that has to be kept.
    waiting: Mutex<BTreeMap<Id, Checkpoint>>,
    /// One at a time speaks to the keeper.
    turn: tokio::sync::Mutex<()>,
}

enum Keeper {
    File(PathBuf),
    Url(Client),
}

impl AnchorWriter {
    /// From the settings. The file must be one that can be appended to.
    pub fn new(place: &Anchor) -> Result<Self, Failure> {
        let keeper = match place {
            Anchor::File(path) => {
                append_to(path).map_err(|error| {
                    Failure::could_not(&format!("the file `{}` of `--audit-anchor`", path.display()), error)
                })?;
                Keeper::File(path.clone())
            }
            Anchor::Url(url) => Keeper::Url(
                Client::new(url.expose_secret(), None, BOUNDS)
                    .map_err(|error| Failure::Usage(format!("`--audit-anchor` can't be used: {error}")))?,
            ),
        };
        Ok(Self { keeper, waiting: Mutex::default(), turn: tokio::sync::Mutex::default() })
    }

    /// Has every log's last head kept, whoever signed it.
    pub async fn begin(&self, db: &Db) -> Result<(), StoreError> {
        self.add(chain::last_checkpoints(db).await?);
        Ok(())
    }

    /// Has these heads kept.
    pub fn add(&self, heads: Vec<Checkpoint>) {
        let mut waiting = self.waiting();
        for head in heads {
            waiting.insert(head.workspace_id, head);
        }
    }

    /// Keeps what waits. What can't be kept now waits for the next time, and a newer head of the same log takes its place.
    pub async fn keep(&self) {
        let Ok(_turn) = self.turn.try_lock() else { return };
        if let Err(error) = self.keep_all().await {
            tracing::warn!(
                error,
                "the heads of audit logs can't be kept at `--audit-anchor` now; it is tried again"
            );
        }
    }

    /// Keeps what waits a last time: behind whoever speaks to the keeper now, and no longer than [`LAST_KEEP`].
    pub async fn keep_last(&self) {
        let kept = async {
            let _turn = self.turn.lock().await;
            self.keep_all().await
        };
        let why = match tokio::time::timeout(LAST_KEEP, kept).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error,
            Err(_) => "it did not answer in time".to_owned(),
        };
        tracing::warn!(
            error = why,
            "the last heads of audit logs were not kept at `--audit-anchor`; they are sent again at the next start"
        );
    }

    async fn keep_all(&self) -> Result<(), String> {
        loop {
            let heads: Vec<Checkpoint> = self.waiting().values().take(MESSAGE).cloned().collect();
            if heads.is_empty() {
                return Ok(());
            }
            self.send(&heads).await?;
            let mut waiting = self.waiting();
            for head in heads {
                if waiting.get(&head.workspace_id) == Some(&head) {
                    waiting.remove(&head.workspace_id);
                }
            }
        }
    }

    async fn send(&self, heads: &[Checkpoint]) -> Result<(), String> {
        match &self.keeper {
            Keeper::Url(client) => {
                let heads: Vec<Value> = heads.iter().map(value).collect();
                let sent = client.post_json(&json!({ "checkpoints": heads })).await;
                sent.map(drop).map_err(|error| error.to_string())
            }
            Keeper::File(path) => {
                let lines: Vec<String> =
                    heads.iter().map(|head| json!({ "checkpoint": value(head) }).to_string()).collect();
                let lines = lines.join("\n") + "\n";
                let path = path.clone();
                let written = tokio::task::spawn_blocking(move || {
                    let mut file = append_to(&path)?;
                    file.write_all(lines.as_bytes()).and_then(|()| file.sync_data())
                });
                written.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
            }
        }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, BTreeMap<Id, Checkpoint>> {
        self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn append_to(path: &std::path::Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

/// A head as `audit export` writes it.
pub fn value(head: &Checkpoint) -> Value {
    let Checkpoint { workspace_id, seq, hash, made_at, public_key, signature } = head;
    json!({ "workspace_id": workspace_id, "seq": seq, "hash": hash, "made_at": made_at, "public_key": public_key,
        "signature": signature })
}
