//! Valid calls, damaged in every way that models damage them, over every transport. Each damaged call, and
//! the corrected call that answers it, has the effect of the valid call or is a question. Prints the counts
//! by kind of damage.

mod damages;
mod transports;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_testkit::{TestDb, both_databases};

use crate::world::{World, world};
use damages::{Damage, damages};
use transports::{Sent, Transport};

/// The valid calls. `#` becomes a number, so that names are new.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("list_tasks", json!({"status": "in_progress", "priority": "high", "limit": 5})),
        ("get_activity_feed", json!({"period": "30d", "types": ["task"], "limit": 3})),
        ("get_peak_hours", json!({"days": 30, "timezone": "Europe/Berlin"})),
        ("query_loki_logs", json!({"service": "api", "level": "warning", "minutes": 30, "limit": 5})),
        (
            "create_task",
            json!({"title": "Call # back", "description": "About prices, {soon}", "priority": "high",
                "tags": ["prices"], "due_at": "2026-12-01T00:00:00Z"}),
        ),
        ("update_agent", json!({"agent": "Scout", "status": "active", "temperature": 1, "tags": ["a", "b"]})),
        (
            "configure_agent_heartbeat",
            json!({"agent": "Scout", "enabled": false, "interval_minutes": 60, "mode": "notify",
                "active_hours": {"start": "08:00", "end": "18:00", "timezone": "Europe/Berlin"}}),
        ),
        (
            "create_playbook",
            json!({"name": "Prices #", "description": "Collects prices", "tags": ["prices"]}),
        ),
        ("delete_agent", json!({"agent": "Scout"})),
    ]
}

/// What a call did or would do: the action and its resolved arguments.
type Effect = (String, Value);

/// The end of a damaged call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// It had the effect of the valid call.
    Ran,
    /// It was answered with a corrected call, which had the effect of the valid call.
    Corrected,
    /// It was answered with what is missing or unclear.
    Question,
}

struct Bench<'w> {
    app: &'w World,
    numbers: std::cell::Cell<u32>,
}

impl Bench<'_> {
    /// Makes a call and returns the effect or the problem, with the corrected call if there is one.
    async fn make(&self, transport: Transport, sent: Sent, number: u32) -> Result<Effect, Option<Value>> {
        // Writes and refusals have limits per minute.
        self.app.clock.advance(20);
        let answer = transport.call(self.app, sent, number).await;
        match self.effect(&answer, number).await {
            Some(effect) => Ok(effect),
            None => match answer.outcome {
                Outcome::Refused(problem) => {
                    assert!(problem.status < 500, "{problem:?}");
                    Err(problem.call)
                }
                other => panic!("{other:?}"),
            },
        }
    }

    async fn effect(&self, answer: &CallResponse, number: u32) -> Option<Effect> {
        let (action, arguments) = match &answer.outcome {
            Outcome::Completed(done) => {
                (done.action.clone(), done.api_call.as_ref().unwrap().payload.clone())
            }
            Outcome::Waiting(waiting) => {
                let view = self.app.owner().confirmation(waiting.confirmation.id).await.unwrap();
                (waiting.action.clone(), view.arguments)
            }
            _ => return None,
        };
        Some((action, unnumbered(&arguments, number)))
    }

    async fn valid(&self, transport: Transport, name: &str, arguments: &Value) -> Effect {
        let (arguments, number) = self.numbered(arguments);
        let sent = Sent::valid(name, &arguments);
        self.make(transport, sent, number)
            .await
            .unwrap_or_else(|call| panic!("{transport:?} {name}: {call:?}"))
    }

    async fn damaged(
        &self,
        transport: Transport,
        name: &str,
        arguments: &Value,
        damage: &Damage,
    ) -> Option<End> {
        let (arguments, number) = self.numbered(arguments);
        let sent = damage.apply(Sent::valid(name, &arguments))?;
        if !transport.can_send(&sent) {
            return None;
        }
        let expected = self.valid(transport, name, &unnumbered(&arguments, number)).await;
        let context = format!("{transport:?} `{}` {sent:?}", damage.name);
        match self.make(transport, sent, number).await {
            Ok(effect) => {
                assert_eq!(effect, expected, "{context}");
                Some(End::Ran)
            }
            Err(None) => Some(End::Question),
            Err(Some(call)) => {
                let sent = Sent::valid(call["name"].as_str().unwrap(), &call["arguments"]);
                let effect = self.make(transport, sent, number).await;
                assert_eq!(effect.as_ref(), Ok(&expected), "{context} then {call}");
                Some(End::Corrected)
            }
        }
    }

    fn numbered(&self, arguments: &Value) -> (Value, u32) {
        let number = self.numbers.replace(self.numbers.get() + 1);
        let text = arguments.to_string().replace('#', &format!("no. {number}"));
        (serde_json::from_str(&text).unwrap(), number)
    }
}

fn unnumbered(arguments: &Value, number: u32) -> Value {
    serde_json::from_str(&arguments.to_string().replace(&format!("no. {number}"), "#")).unwrap()
}

#[both_databases]
async fn a_damaged_call_has_the_same_effect_or_is_a_question(db: TestDb) {
    let app = world(db).await;
    app.owner().done("create_agent", json!({"name": "Scout"})).await;
    let bench = Bench { app: &app, numbers: 1_000.into() };
    let mut counts: BTreeMap<&str, BTreeMap<(Transport, End), u32>> = BTreeMap::new();
    let damages = damages();
    assert!(damages.len() >= 40, "{}", damages.len());
    for (name, arguments) in calls() {
        for transport in Transport::ALL {
            for damage in &damages {
                if let Some(end) = bench.damaged(transport, name, &arguments, damage).await {
                    *counts.entry(damage.name).or_default().entry((transport, end)).or_default() += 1;
                }
            }
        }
    }
    print(&counts);
    for damage in &damages {
        assert!(counts.contains_key(damage.name), "`{}` fits no call", damage.name);
    }
    // What has one meaning runs at once, whatever the transport of the model.
    for damage in damages.iter().filter(|damage| damage.certain) {
        for ((transport, end), n) in &counts[damage.name] {
            let runs = *end == End::Ran || *transport == Transport::Rest;
            assert!(runs, "{transport:?} `{}`: {n} did not run", damage.name);
        }
    }
}

/// Prints `ran/corrected/question` for each damage and transport.
fn print(counts: &BTreeMap<&str, BTreeMap<(Transport, End), u32>>) {
    let head: Vec<String> = Transport::ALL.iter().map(|transport| format!("{transport:?}")).collect();
    println!("| damage (ran/corrected/question) | {} |", head.join(" | "));
    for (damage, ends) in counts {
        let cell = |transport: Transport| {
            let of = |end| ends.get(&(transport, end)).copied().unwrap_or(0).to_string();
            [End::Ran, End::Corrected, End::Question].map(of).join("/")
        };
        let row: Vec<String> = Transport::ALL.into_iter().map(cell).collect();
        println!("| {damage} | {} |", row.join(" | "));
    }
}

#[test]
fn the_documents_have_the_number_of_kinds_of_damage() {
    let count = damages().len();
    for (page, text) in [
        ("testing.md", format!("damages nine valid calls in {count} ways")),
        ("surfaces.md", format!("damages valid calls in {count} ways")),
        ("security.md", format!("{count} kinds of damage × {} calls", calls().len())),
    ] {
        let path = format!("{}/../docs/{page}", env!("CARGO_MANIFEST_DIR"));
        assert!(std::fs::read_to_string(path).unwrap().contains(&text), "`docs/{page}`: {text}");
    }
}
