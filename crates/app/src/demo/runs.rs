//! The daily records that agent runtimes report: model calls with their costs, executions of the playbook,
//! and heartbeats.

use serde_json::{Value, json};
use toolcrib_model::Ts;

use super::{
    demo_history::DemoHistory, script::Actor, seeded_random::SeededRandom, workspaces::DemoWorkspace,
};
use crate::{context::AppContext, failure::Failure};

/// Fixed, so that the records are the same each time.
const SEED: u64 = 20_260_122;
/// Microseconds per day.
const DAY: i64 = 86_400_000_000;

/// Model, and the price of a million input and output tokens in cents.
const MODELS: [(&str, u32, u32); 2] = [("gpt-4o-mini", 15, 60), ("gpt-4o", 250, 1_000)];
/// Errors of failed executions.
const FAULTS: [&str; 2] = ["the supplier's page did not answer", "two invoices have the same number"];

/// The agent runtimes of one workspace.
pub struct Runs<'a> {
    context: &'a AppContext,
    place: &'a DemoWorkspace,
    random: SeededRandom,
    records: Records,
}

/// The records of one day, by operation.
#[derive(Default)]
struct Records {
    usage: Vec<Value>,
    executions: Vec<Value>,
    heartbeats: Vec<Value>,
}

impl<'a> Runs<'a> {
    /// Creates the runtimes of a workspace.
    pub fn new(context: &'a AppContext, place: &'a DemoWorkspace) -> Self {
        Self { context, place, random: SeededRandom::new(SEED), records: Records::default() }
    }

    /// Reports the records of a day at 19:00. `morning` is any time of that day. Nothing is reported for the
    /// first day, on which the agents are created.
    pub async fn report(&mut self, history: &mut DemoHistory, day: i64, morning: Ts) -> Result<(), Failure> {
        if day == 0 {
            return Ok(());
        }
        let midnight = Ts::from_micros(morning.as_micros() - morning.as_micros().rem_euclid(DAY));
        let desk = self.place.agent.to_string();
        for _ in 0..6 + self.random.below(6) {
            let at = self.working_hours(midnight);
            self.model_call(at, &desk, 0, &Value::Null);
        }
        if let (Some(playbook), Some(researcher), Some(checker)) =
            (history.saved("review"), history.saved("researcher"), history.saved("invoice checker"))
        {
            let (playbook, researcher, checker) =
                (playbook.to_owned(), researcher.to_owned(), checker.to_owned());
            for _ in 0..=self.random.below(3) {
                let at = self.working_hours(midnight);
                self.run(at, &playbook, [&researcher, &checker]);
            }
            self.heartbeat(midnight.plus_seconds(6 * 3_600), &checker);
        }
        history.at(midnight.plus_seconds(19 * 3_600));
        self.send(history).await
    }

    /// Returns a random time of the day, mostly before noon.
    fn working_hours(&mut self, midnight: Ts) -> Ts {
        let hours = [8, 9, 9, 10, 10, 10, 11, 13, 14, 15, 17];
        let hour = self.random.pick(&hours).copied().unwrap_or(9);
        midnight.plus_seconds(hour * 3_600 + i64::from(self.random.below(3_600)))
    }

    fn id(&self, at: Ts) -> Value {
        json!(self.context.ids.new_id(at))
    }

    fn model_call(&mut self, at: Ts, agent: &str, model: usize, execution: &Value) {
        let Some((model, read, written)) = MODELS.get(model) else { return };
        let (input, output) = (600 + self.random.below(2_400), 80 + self.random.below(700));
        // One cent is 10,000 microdollars. Per million tokens this leaves a division by 100.
        let cost = (input * read + output * written) / 100;
        let mut record = json!({ "id": self.id(at), "at": at, "agent_id": agent, "model": model, "provider": "openai",
            "input_tokens": input, "output_tokens": output, "cost_microusd": cost });
        if !execution.is_null() {
            record["execution_id"] = execution.clone();
        }
        self.records.usage.push(record);
    }

    /// Records one execution of the playbook with its two steps. One in eight fails in the second step.
    fn run(&mut self, began: Ts, playbook: &str, agents: [&str; 2]) {
        let execution = self.id(began);
        let fails = self.random.below(8) == 0;
        let mut at = began;
        self.happened(
            at,
            &execution,
            json!({ "event": "started", "playbook_id": playbook, "agent_id": agents[0] }),
        );
        for (step, agent) in agents.into_iter().enumerate() {
            let model = usize::from(self.random.below(3) == 0);
            self.model_call(at, agent, model, &execution);
            at = at.plus_seconds(40 + i64::from(self.random.below(400)));
            let failed = fails && step == 1;
            let status = if failed { "failed" } else { "completed" };
            self.happened(
                at,
                &execution,
                json!({ "event": "step", "step": step, "agent_id": agent, "status": status }),
            );
        }
        let mut end = json!({ "event": "finished", "status": if fails { "failed" } else { "completed" } });
        if fails {
            let error = self.random.pick(&FAULTS).copied().unwrap_or_default();
            end["error"] = json!(error);
        } else {
            end["output"] = json!("Nothing that a person has to look at.");
        }
        self.happened(at.plus_seconds(2), &execution, end);
    }

    fn happened(&mut self, at: Ts, execution: &Value, mut record: Value) {
        record["id"] = self.id(at);
        record["at"] = json!(at);
        record["execution_id"] = execution.clone();
        self.records.executions.push(record);
    }

    fn heartbeat(&mut self, at: Ts, agent: &str) {
        let (status, note) = match self.random.below(6) {
            0 => ("acted", "Two invoices arrived since yesterday; both match their orders."),
            1 => ("failed", "The mailbox could not be read."),
            _ => ("ok", "Nothing new."),
        };
        let record =
            json!({ "id": self.id(at), "at": at, "agent_id": agent, "status": status, "note": note });
        self.records.heartbeats.push(record);
    }

    async fn send(&mut self, history: &mut DemoHistory) -> Result<(), Failure> {
        let Records { usage, executions, heartbeats } = std::mem::take(&mut self.records);
        for (operation, records) in [
            ("records.add_executions", executions),
            ("records.add_llm_usage", usage),
            ("records.add_heartbeats", heartbeats),
        ] {
            if !records.is_empty() {
                let arguments = json!({ "records": records });
                history.done(self.place, Actor::Service, operation, &arguments, None).await?;
            }
        }
        Ok(())
    }
}
