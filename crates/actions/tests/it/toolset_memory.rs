//! A document that is stored again and again leaves the memory of the process as before.
//!
//! A few dozen saves of 200 KiB, or several hundred of the largest document with `SOAK=1`; ten thousand of
//! it in a release build. Prints the counts.
#![expect(clippy::disallowed_methods, reason = "the number of saves comes from the environment")]

use std::{fs, process::Command};

use serde_json::{Value, json};
use toolcrib_model::Surface;
use toolcrib_testkit::soak;
use toolcrib_toolset::MAX_DOCUMENT_BYTES;

use crate::harness::App;

/// Is set in the process that only measures.
const ALONE: &str = "TOOLCRIB_MEASURES_MEMORY";
const TEST: &str = "toolset_memory::saving_a_large_document_leaves_memory_as_before_soak";
/// How many MiB more than after the first saves are no leak: pages that the allocator keeps.
const SLACK: u64 = 32;

fn saves() -> usize {
    soak(20, if cfg!(debug_assertions) { 400 } else { 10_000 })
}

/// How many tools the document has. In a debug build a save of the largest document takes longer than a write
/// may on a busy machine.
fn tools() -> usize {
    soak(50, 500)
}

/// A document that differs in each round; with 500 tools it has nearly the largest size.
fn document(round: usize) -> Value {
    let text = "A value that the service stores with a ticket and shows the team. ".repeat(4);
    let properties: serde_json::Map<String, Value> = (0..11)
        .map(|n| (format!("value_{n}"), json!({"type": "string", "maxLength": 200, "description": text})))
        .collect();
    let tools: Vec<Value> = (0..tools())
        .map(|n| {
            json!({
                "name": format!("t{n}"), "description": format!("Tool {n} in round {round}. {text}"),
                "permission_level": "read", "accessible_by": "everyone", "client": {},
                "parameters": {"properties": properties},
            })
        })
        .collect();
    json!({"schema": "toolcrib.toolset/1", "slug": "desk", "title": "Desk", "tools": tools})
}

/// The resident memory of this process in MiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
}

async fn save_and_measure() {
    let app = App::new(toolcrib_testkit::sqlite().await).await;
    let owner = app.owner();
    let bytes = document(0).to_string().len();
    assert!(bytes > MAX_DOCUMENT_BYTES * tools() / 600 && bytes <= MAX_DOCUMENT_BYTES, "{bytes} bytes");
    let (saves, mut before) = (saves(), 0);
    for round in 0..saves {
        let wish = json!({"slug": "desk", "document": document(round)});
        let stored = owner.done("toolsets.put", wish).await;
        assert_eq!(stored["changed"], json!(true), "{round}");
        let admitted = app.engine.admit_with_catalog(&owner.authenticated, Surface::Rest).await.unwrap();
        assert!(admitted.tools().is_allowed(&format!("desk__t{}", tools() - 1)));
        // The next save has its own part of the limit.
        app.clock.advance(1);
        if round == saves / 4 {
            before = resident();
        }
    }
    let after = resident();
    println!("memory: {saves} saves of {bytes} bytes, {before} MiB after a quarter, {after} MiB at the end");
    assert!(after <= before + SLACK, "{before} MiB grew to {after} MiB");
}

/// In a process of its own, because other tests run in this one.
#[test]
fn saving_a_large_document_leaves_memory_as_before_soak() {
    if std::env::var(ALONE).is_ok() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        return runtime.block_on(save_and_measure());
    }
    let test = std::env::current_exe().unwrap();
    let ended = Command::new(test).args(["--exact", TEST, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    let line = text.lines().find(|line| line.starts_with("memory: ")).unwrap_or_default();
    println!("{line}");
    assert!(ended.status.success(), "{text}\n{}", String::from_utf8_lossy(&ended.stderr));
}
