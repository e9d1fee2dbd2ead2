//! Signed heads of audit logs that are kept elsewhere: they show that a log was put back to an earlier state.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use tokio::sync::Notify;
use toolcrib_testkit::eventually;

use crate::{
    api::Api,
    binary::{Server, demo, done, folder, run},
};

fn heads(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["checkpoint"].take()).collect()
}

fn verify(data: &str, workspace: &str, more: &[&str]) -> (Option<i32>, String) {
    let output = run(&[&["audit", "verify", "--workspace", workspace, "--data-dir", data], more].concat());
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn copy(from: &Path, to: &Path) {
    drop(fs::remove_dir_all(to));
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn heads_are_kept_elsewhere() {
    let folder = folder();
    a_log_that_was_put_back_is_found_by_its_kept_heads(folder.path()).await;
    heads_are_posted_and_what_was_refused_is_posted_again(folder.path()).await;
    the_last_heads_wait_for_a_keeper_that_is_busy(folder.path()).await;
    last_heads_that_were_not_kept_are_told(folder.path()).await;
}

async fn a_log_that_was_put_back_is_found_by_its_kept_heads(folder: &Path) {
    let (data, earlier, kept) = (folder.join("data"), folder.join("earlier"), folder.join("heads.jsonl"));
    let anchor = ["--demo", "--audit-anchor", kept.to_str().unwrap()];
    assert_eq!(Server::start(folder, &anchor).stop(), Some(0));
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    copy(&data, &earlier);

    let server = Server::start(folder, &anchor);
    let before = heads(&kept).len();
    let api = Api::new(&reqwest::Client::new(), &server, folder, "owner");
    api.post("/v1/actions/platform_create_agent", &json!({ "name": "Lost", "role": "worker" }), 200).await;
    assert_eq!(server.stop(), Some(0));
    let all = heads(&kept);
    assert!(all.len() > before, "the log grew");
    let workspace = demo(folder)["workspaces"][0]["id"].as_str().unwrap().to_owned();
    let last = all.iter().rfind(|head| head["workspace_id"] == workspace.as_str()).unwrap();
    let (hash, now) = (last["hash"].as_str().unwrap(), data.to_str().unwrap());
    let against = ["--against", kept.to_str().unwrap()];
    assert_eq!(verify(now, &workspace, &against).0, Some(0));
    assert_eq!(verify(now, &workspace, &["--head", hash]).0, Some(0));
    assert!(verify(now, &workspace, &[]).1.contains("head "), "verifying prints a head to keep");

    // By itself, the earlier state looks sound: the end of the log is missing together with its signatures.
    let back = earlier.to_str().unwrap();
    assert_eq!(verify(back, &workspace, &[]).0, Some(0));
    let (code, text) = verify(back, &workspace, &against);
    assert!(code == Some(1) && text.contains("BROKEN"), "{text}");
    let (code, text) = verify(back, &workspace, &["--head", hash]);
    assert!(code == Some(1) && text.contains("no place has the hash of the head"), "{text}");
    assert_eq!(verify(back, &workspace, &["--head", "xyz"]).0, Some(2));
}

/// Whether the first message was refused, and the heads in later messages.
type Seen = Arc<Mutex<(bool, Vec<Value>)>>;

async fn keep(State(seen): State<Seen>, Json(body): Json<Value>) -> axum::http::StatusCode {
    let mut seen = seen.lock().unwrap();
    if !std::mem::replace(&mut seen.0, true) {
        return axum::http::StatusCode::SERVICE_UNAVAILABLE;
    }
    seen.1.extend(body["checkpoints"].as_array().unwrap().iter().cloned());
    axum::http::StatusCode::NO_CONTENT
}

async fn heads_are_posted_and_what_was_refused_is_posted_again(folder: &Path) {
    let seen: Seen = Arc::default();
    let app = Router::new().route("/heads", post(keep)).with_state(seen.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/heads?token=hunter2", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let server = Server::start(folder, &["--demo", "--audit-anchor", &url]);
    eventually("a first message was refused", async || seen.lock().unwrap().0).await;
    eventually("it is told", async || server.text().contains("can't be kept at `--audit-anchor` now")).await;
    assert!(!server.text().contains("hunter2"), "{}", server.text());
    assert_eq!(server.stop(), Some(0));
    let kept = seen.lock().unwrap().1.clone();
    for workspace in demo(folder)["workspaces"].as_array().unwrap() {
        let head = kept.iter().find(|head| head["workspace_id"] == workspace["id"]).unwrap();
        assert!(head["signature"].is_string() && head["seq"].as_i64() > Some(0), "{head}");
    }
    assert!(done(&["config", "show", "--audit-anchor", &url]).contains("/heads?***"));
}

/// A receiver of heads that answers its first message only when told to, and keeps the heads of later
/// messages.
#[derive(Default)]
struct Slow {
    hangs: bool,
    begun: AtomicBool,
    go: Notify,
    later: Mutex<Vec<Value>>,
}

async fn keep_slowly(State(slow): State<Arc<Slow>>, Json(body): Json<Value>) -> axum::http::StatusCode {
    let first = !slow.begun.swap(true, Ordering::SeqCst);
    if first || slow.hangs {
        slow.go.notified().await;
    } else {
        slow.later.lock().unwrap().extend(body["checkpoints"].as_array().unwrap().iter().cloned());
    }
    axum::http::StatusCode::NO_CONTENT
}

/// Starts a process, lets its log grow while the receiver has not answered, and asks the process to stop.
async fn stopping(folder: &Path, slow: &Arc<Slow>) -> tokio::task::JoinHandle<Option<i32>> {
    let app = Router::new().route("/heads", post(keep_slowly)).with_state(Arc::clone(slow));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/heads", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let server = Server::start(folder, &["--demo", "--audit-anchor", &url]);
    eventually("a first message is with the keeper", async || slow.begun.load(Ordering::SeqCst)).await;
    let api = Api::new(&reqwest::Client::new(), &server, folder, "owner");
    let agent = json!({ "name": format!("Late {}", slow.hangs), "role": "worker" });
    api.post("/v1/actions/platform_create_agent", &agent, 200).await;
    let stopping = tokio::task::spawn_blocking(move || server.stop());
    eventually("it is asked to stop", async || text(folder).contains("asked to stop")).await;
    stopping
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("log.txt")).unwrap()
}

async fn the_last_heads_wait_for_a_keeper_that_is_busy(folder: &Path) {
    let slow = Arc::new(Slow::default());
    let stopping = stopping(folder, &slow).await;
    slow.go.notify_one();
    assert_eq!(stopping.await.unwrap(), Some(0));
    let workspace = demo(folder)["workspaces"][0]["id"].clone();
    let later = slow.later.lock().unwrap();
    assert!(later.iter().any(|head| head["workspace_id"] == workspace), "{later:?}");
    assert!(!text(folder).contains("were not kept"));
}

async fn last_heads_that_were_not_kept_are_told(folder: &Path) {
    let slow = Arc::new(Slow { hangs: true, ..Slow::default() });
    let stopping = stopping(folder, &slow).await;
    assert_eq!(stopping.await.unwrap(), Some(0));
    let text = text(folder);
    assert!(text.contains("were not kept") && text.contains("sent again at the next start"), "{text}");
}
