//! What decisions and stops take, beside ten thousand runs that wait for people.
//!
//! Prints medians and maxima in milliseconds, on SQLite and on the PostgreSQL of `TEST_PG_URL`:
//! `scripts/services cargo run --profile bench-fast -p toolcrib-assistant --example waiting_runs`
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement")]

#[path = "../tests/it/harness.rs"]
#[expect(dead_code, reason = "the tests need more of it")]
mod harness;
#[path = "../tests/it/shop.rs"]
mod shop;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::json;
use toolcrib_assistant::{Assistant, AssistantSettings};
use toolcrib_model::Id;
use toolcrib_testkit::{LlmReply, TestDb, eventually, postgres, sqlite};

use crate::harness::{App, confirmation_of};

const WAITING: usize = 10_000;
const TIMES: usize = 10;
/// Looks as often as the service does.
const SETTINGS: AssistantSettings =
    AssistantSettings { lease: Duration::from_mins(1), poll_interval: Duration::from_millis(500) };
/// An engine, and a process that carries out its runs.
struct Service {
    app: App,
    process: Arc<Assistant>,
}

impl Service {
    async fn start(db: TestDb) -> Self {
        let app = App::idle(db).await;
        let (engine, providers) = (app.engine.clone(), app.providers.clone());
        let process = Assistant::new(engine, (*app.db).clone(), providers, SETTINGS);
        tokio::spawn(process.clone().serve());
        Self { app, process }
    }

    /// Starts a run that waits to delete an agent. Returns its confirmation.
    async fn waiting_run(&self, thread: &str) -> Id {
        let owner = self.app.owner();
        owner.done("platform_create_agent", json!({ "name": thread, "role": "worker" })).await;
        let deletion = json!({ "action": "platform_delete_agent", "params": { "agent": thread } });
        self.app.model.script([LlmReply::calls([("platform_execute", deletion)])]);
        let run = self.app.say(&owner, thread, "Delete it").await;
        confirmation_of(&run)
    }

    /// Makes copies of the run that waits, which began two days ago. All of them wait for its confirmation.
    async fn copy_waiting_run(&self) {
        const SAME: &str =
            "workspace_id, step, position, provider_id, name, arguments, state, confirmation_id, is_error";
        let (numbers, id) = self.app.db.numbered_rows(WAITING);
        let calls = format!(
            "{numbers} INSERT INTO assistant_calls (id, run_id, {SAME}) \
             SELECT {id}, {id}, {SAME} FROM numbers, assistant_calls WHERE state = 'waiting'"
        );
        // A run without a call that waits would go on.
        self.app.db.raw_sql(&calls).await;
        self.app.copy_run(WAITING, "{id}, {id}, 'copy-' || n, message, created_at - 172800000000").await;
        // A server does so by itself, some time later.
        self.app.db.raw_sql("ANALYZE").await;
    }

    /// Returns the time from a decision to the next request to the model.
    async fn decision(&self, name: &str, here: bool) -> f64 {
        let confirmation = self.waiting_run(name).await;
        let before = self.app.model.requests().len();
        self.app.model.script([LlmReply::text(["It is gone."])]);
        self.app.owner().approve(confirmation).await.unwrap();
        let begun = Instant::now();
        if here {
            self.process.wake();
        }
        eventually("the model is asked", async || self.app.model.requests().len() > before).await;
        milliseconds(begun)
    }

    /// Returns the time from a stop to the end of the provider's connection.
    async fn stop(&self, name: &str, here: bool) -> f64 {
        let (owner, model) = (self.app.owner(), &self.app.model);
        let (before, asked) = (model.hangups(), model.requests().len());
        model.script([LlmReply::text(["One", "two"]).silent_after(1)]);
        let run = self.app.start(&owner, name, "Write").await;
        eventually("the model is asked", async || model.requests().len() > asked).await;
        owner.done("assistant.stop_run", json!({ "id": run["run"] })).await;
        let begun = Instant::now();
        if here {
            self.process.check_for_stop(run["run"].as_str().unwrap().parse().unwrap());
        }
        eventually("the connection ends", async || model.hangups() > before).await;
        milliseconds(begun)
    }
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn print(what: &str, mut times: Vec<f64>) {
    times.sort_unstable_by(f64::total_cmp);
    println!("  {what}: {:.1} ms, at most {:.1} ms", times[times.len() / 2], times[times.len() - 1]);
}

async fn measure(name: &str, db: TestDb) {
    let service = Service::start(db).await;
    service.waiting_run("first").await;
    service.copy_waiting_run().await;
    let waiting = "SELECT COUNT(*) FROM assistant_runs WHERE state = 'waiting'";
    println!("{name}: {} runs wait", service.app.db.number(waiting).await);
    let mut looks = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        service.app.assistant.poll().await.unwrap();
        looks.push(milliseconds(begun));
    }
    print("a look for work", looks);
    for (place, here) in [("in the same process", true), ("in another process", false)] {
        let (mut decisions, mut stops) = (Vec::new(), Vec::new());
        for round in 0..TIMES {
            // For the limits of calls a minute. The waiting confirmation is open for fifteen minutes.
            service.app.clock.advance(40);
            decisions.push(service.decision(&format!("decided-{here}-{round}"), here).await);
            stops.push(service.stop(&format!("stopped-{here}-{round}"), here).await);
        }
        print(&format!("a decision {place}, to the next request"), decisions);
        print(&format!("a stop {place}, to the end of the provider's connection"), stops);
    }
}

#[tokio::main]
async fn main() {
    measure("postgres", postgres().await).await;
    measure("sqlite", sqlite().await).await;
}
