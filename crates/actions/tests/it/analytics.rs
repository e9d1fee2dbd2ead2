//! Analytics: every figure over a small set of rows, worked out by hand. Now is Thursday,
//! 2026-01-15T10:00:00Z. The rows are reported as runtimes do.

mod alerts;
mod bottlenecks;
mod load;
mod runs;
mod spending;
mod stats;

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use toolcrib_model::Id;
use toolcrib_testkit::{Person, TestDb};

use crate::harness::{App, record_id, service_key_in};

/// A time: `01-15T09:00:00` is in 2026, unless the text begins with a year.
fn at(text: &str) -> String {
    if text.starts_with("20") { format!("{text}Z") } else { format!("2026-{text}Z") }
}

/// Reports records as a runtime of one workspace does.
struct Log<'a> {
    runtime: Person<'a>,
    next: AtomicU64,
}

/// A model call.
struct Call {
    record: Value,
}

/// An execution.
struct Run {
    began: String,
    ended: Option<(String, &'static str)>,
    more: Value,
}

/// A call of `gpt-4o-mini` with this cost and without an agent.
fn call(when: &str, cost: i64) -> Call {
    let record = json!({
        "at": at(when), "model": "gpt-4o-mini", "provider": "openai", "input_tokens": 100,
        "output_tokens": 10, "cost_microusd": cost
    });
    Call { record }
}

impl Call {
    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.record[key] = value.into();
        self
    }

    fn by(self, agent: &Value) -> Self {
        self.with("agent_id", agent.clone())
    }

    fn of(self, model: &str, provider: &str) -> Self {
        self.with("model", model).with("provider", provider)
    }
}

/// An ended execution without an agent or a playbook.
fn run(began: &str, ended: &str, status: &'static str) -> Run {
    Run { began: at(began), ended: Some((at(ended), status)), more: json!({}) }
}

/// An execution that is still running.
fn running(began: &str) -> Run {
    Run { began: at(began), ended: None, more: json!({}) }
}

impl Run {
    fn by(mut self, agent: &Value) -> Self {
        self.more["agent_id"] = agent.clone();
        self
    }

    fn of(mut self, playbook: &Value) -> Self {
        self.more["playbook_id"] = playbook.clone();
        self
    }

    /// Sets the execution's id.
    fn at(mut self, execution: Id) -> Self {
        self.more["execution_id"] = json!(execution);
        self
    }
}

impl<'a> Log<'a> {
    /// Reports to workspace A.
    fn a(app: &'a App) -> Self {
        Self::of(app, app.a.workspace)
    }

    /// Reports to workspace B.
    fn b(app: &'a App) -> Self {
        Self::of(app, app.b.workspace)
    }

    fn of(app: &'a App, workspace: Id) -> Self {
        let runtime = app.as_identity(service_key_in(workspace, "records:write"));
        Self { runtime, next: AtomicU64::new(1) }
    }

    fn id(&self) -> Id {
        record_id(self.next.fetch_add(1, Ordering::Relaxed).into())
    }

    async fn report(&self, kind: &str, records: Vec<Value>) {
        for batch in records.chunks(100) {
            let done = self.runtime.done(&format!("records.add_{kind}"), json!({"records": batch})).await;
            assert_eq!((&done["rejected"], &done["accepted"]), (&json!([]), &json!(batch.len())));
        }
    }

    async fn calls(&self, calls: impl IntoIterator<Item = Call>) {
        let one = |call: Call| call.with("id", json!(self.id())).record;
        self.report("llm_usage", calls.into_iter().map(one).collect()).await;
    }

    async fn runs(&self, runs: impl IntoIterator<Item = Run>) {
        let mut records = Vec::new();
        for run in runs {
            let mut began =
                json!({"id": self.id(), "at": run.began, "execution_id": self.id(), "event": "started"});
            for (key, value) in run.more.as_object().unwrap() {
                began[key] = value.clone();
            }
            let execution = began["execution_id"].clone();
            records.push(began);
            if let Some((ended, status)) = run.ended {
                records.push(json!({
                    "id": self.id(), "at": ended, "execution_id": execution, "event": "finished",
                    "status": status
                }));
            }
        }
        self.report("executions", records).await;
    }
}

/// Creates an agent with this role.
async fn agent(person: &Person<'_>, name: &str, role: &str) -> Value {
    person.done("create_agent", json!({"name": name, "role": role})).await["id"].clone()
}

/// An app with rows of workspace B in every period. They must not change any figure of A.
async fn noisy(db: TestDb) -> App {
    let app = App::new(db).await;
    let log = Log::b(&app);
    let other = agent(&app.as_role_b(toolcrib_model::Role::Owner), "Canary", "coder").await;
    log.calls(["01-15T09:59:00", "01-14T23:00:00", "01-05T10:00:00"].map(|when| call(when, 999).by(&other)))
        .await;
    log.runs([
        run("01-14T11:00:00", "01-15T09:59:00", "failed").by(&other),
        run("01-05T11:00:00", "01-05T12:00:00", "completed").by(&other),
        running("01-14T09:00:00").by(&other),
    ])
    .await;
    app
}

/// These fields of a response, in this order.
fn fields(data: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| data[*name].clone()).collect()
}

/// These fields of every item.
fn rows(list: &Value, names: &[&str]) -> Value {
    list.as_array().unwrap().iter().map(|item| fields(item, names)).collect()
}
