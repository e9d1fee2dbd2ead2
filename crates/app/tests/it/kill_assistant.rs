//! kill -9 while runs of the assistant are carried out: no message is lost, each call of a transcript has an
//! answer that is true, and each call has one effect at most. A mission of a round gets one run a task, in
//! their order.
//!
//! Two rounds on each database, or 250 with `SOAK=1`; two kills each. And two rounds on PostgreSQL, or
//! 100, in which one of two processes is frozen for longer than its lease, and as many in which two processes
//! are restarted in turn, after which no run counts as lost. Prints the counts.

use std::{
    collections::{BTreeMap, HashMap},
    future::pending,
    process::Command,
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::timeout;
use toolcrib_model::{Cursor, Id, PlannedCallState, RunKind, RunState, WorkRunner};
use toolcrib_store::{
    Db,
    assistant_runs::{self, RunFilter, RunRow},
    assistant_steps::{self, CallRow},
    missions,
    tasks::{self, TaskFilter},
};
use toolcrib_testkit::{FakeModel, LlmReply, TestDb, both_databases, change_workspace, eventually, soak};

use crate::{
    api::Api,
    binary::{Server, folder},
    place::Place,
};

/// Runs of a round: as many as a person may have open. The last one is asked to stop.
const RUNS: usize = 4;
/// A process is killed, and the next one while it goes on with the runs.
const KILLS: u64 = 2;
const LEASE_SECONDS: &str = "1";
/// A lease that a slow machine does not lose.
const LONG_LEASE_SECONDS: &str = "15";
const LONGEST_FREEZE: Duration = Duration::from_secs(15);
/// How often the run that is to stop is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// How long a process lives at most: longer than a lease and a run.
const LIFE_MS: u64 = 1_700;

type Sent = Vec<tokio::task::JoinHandle<bool>>;

/// The service and its model, which asks for two tasks after each message, and ends the run when it reads the
/// answers.
struct House {
    place: Place,
    model: FakeModel,
    client: reqwest::Client,
    lease_seconds: &'static str,
}

impl House {
    fn start(&self) -> Server {
        self.start_as("log.txt")
    }

    /// Starts a process with a log file of its own, for one of several.
    fn start_as(&self, log: &str) -> Server {
        let mut with = vec!["--demo", "--assistant-provider", &self.model.url];
        with.extend(["--assistant-context", "200000", "--assistant-lease-seconds", self.lease_seconds]);
        self.place.start_as(log, &with)
    }

    fn owner(&self, server: &Server) -> Api {
        Api::new(&self.client, server, &self.place.folder, "owner")
    }

    /// Sends the messages of a round to this process and another one, which are killed, until each message is
    /// acknowledged. Waits until the runs have ended. Returns the process of the next round.
    async fn one_round(&self, first: Server, round: u64) -> Server {
        // Small and large pauses between the events of an answer, so that the kills hit requests, commits and
        // calls.
        let pace = Duration::from_millis(1 + round * 7 % 40);
        self.model.answer_with(move |body| reply(body).pace(pace));
        let (mut server, mut acknowledged) = (first, [false; RUNS]);
        self.start_mission(&server, round).await;
        for kill in 0..KILLS {
            let sent = self.send(&server, round, acknowledged);
            let delay = Duration::from_millis((round * 137 + kill * 709) % LIFE_MS);
            let _ = timeout(delay, pending::<()>()).await;
            server.kill();
            acknowledged = told(sent).await;
            server = self.start();
        }
        assert_eq!(told(self.send(&server, round, acknowledged)).await, [true; RUNS], "acknowledged at last");
        self.ended(&server).await;
        server
    }

    /// Sends the messages of a round to this process, which is frozen until another one has ended its runs.
    /// Returns the other one.
    async fn frozen_round(&self, frozen: Server, round: u64) -> Server {
        let pace = Duration::from_millis(20 + round * 7 % 40);
        self.model.answer_with(move |body| reply(body).pace(pace));
        let other = self.start_as(&format!("log-{}.txt", round % 2));
        self.start_mission(&frozen, round).await;
        let sent = self.send(&frozen, round, [false; RUNS]);
        let _ = timeout(Duration::from_millis((40 + round * 137) % 600), pending::<()>()).await;
        signal(&frozen, "-STOP");
        // A process that was frozen in a commit holds up the other one until it goes on.
        let _ = timeout(LONGEST_FREEZE, self.ended(&other)).await;
        signal(&frozen, "-CONT");
        let acknowledged = told(sent).await;
        assert_eq!(told(self.send(&other, round, acknowledged)).await, [true; RUNS], "acknowledged at last");
        self.ended(&other).await;
        frozen.kill();
        other
    }

    /// Sends the messages of a round to this process and another one, which are restarted in turn, as an
    /// upgrade does. Returns the one that was started last.
    async fn rolling_round(&self, one: Server, round: u64) -> Server {
        let pace = Duration::from_millis(20 + round * 7 % 40);
        self.model.answer_with(move |body| reply(body).pace(pace));
        let two = self.start_as("two.txt");
        self.start_mission(&one, round).await;
        let sent = self.send(&one, round, [false; RUNS]);
        let _ = timeout(Duration::from_millis((40 + round * 137) % 600), pending::<()>()).await;
        let next = self.start_as(&format!("log-{}.txt", round % 2));
        stop(one).await;
        stop(two).await;
        let acknowledged = told(sent).await;
        assert_eq!(told(self.send(&next, round, acknowledged)).await, [true; RUNS], "acknowledged at last");
        self.ended(&next).await;
        next
    }

    /// Starts a mission of two tasks, which a person confirms.
    async fn start_mission(&self, server: &Server, round: u64) {
        let owner = self.owner(server);
        let tasks = json!([
            { "title": format!("Run {round}-first") },
            { "title": format!("Run {round}-then"), "depends_on": [0] },
        ]);
        let mission = json!({ "goal": "Both", "tasks": tasks, "auto_start": true });
        let path = "/v1/actions/platform_create_mission";
        let (_, waits) = owner.ask("POST", path, Some(&mission)).await.unwrap();
        let id = waits["confirmation"]["id"].as_str().unwrap_or_else(|| panic!("{waits}"));
        let path = format!("/v1/confirmations/{id}/approve");
        let (status, answer) = owner.ask("POST", &path, Some(&json!({}))).await.unwrap();
        assert_eq!(status, 200, "{answer}");
    }

    /// Waits until no run is open.
    async fn ended(&self, server: &Server) {
        let owner = self.owner(server);
        eventually("the runs have ended", async || {
            let page = owner.get("/v1/assistant/runs?limit=100").await;
            let open = page["items"].as_array().unwrap().iter().filter(|run| run["ended_at"].is_null());
            let open: Vec<String> = open.map(ToString::to_string).collect();
            if open.is_empty() { Ok(()) } else { Err(open.join("\n")) }
        })
        .await;
    }

    /// Sends the messages that are not acknowledged, as a client does that had no answer. Returns for each
    /// whether it is acknowledged now.
    fn send(&self, server: &Server, round: u64, acknowledged: [bool; RUNS]) -> Sent {
        let one = |n: usize| tokio::spawn(say(self.owner(server), round, n, acknowledged[n]));
        (0..RUNS).map(one).collect()
    }
}

/// For each message, whether it is acknowledged.
async fn told(sent: Sent) -> [bool; RUNS] {
    let told: Vec<bool> = join_all(sent).await.into_iter().map(Result::unwrap).collect();
    told.try_into().unwrap()
}

/// Sends a message unless it is acknowledged. Asks the last run of a round to stop, earlier or later.
async fn say(owner: Api, round: u64, n: usize, is_acknowledged: bool) -> bool {
    if is_acknowledged {
        return true;
    }
    let message = json!({ "message": format!("Run {round}-{n}"), "message_id": format!("{round}-{n}") });
    let path = format!("/v1/assistant/threads/thread-{n}/runs");
    let Some((status, run)) = owner.ask("POST", &path, Some(&message)).await else { return false };
    // A process that was frozen answers that the time of the request is over.
    if matches!(status, 503 | 504) {
        return false;
    }
    assert!(matches!(status, 200 | 202), "{status} {run}");
    if n + 1 < RUNS {
        return true;
    }
    let run = run["run"].as_str().unwrap();
    let wanted = i64::try_from(round % 3).unwrap();
    // A stop that has no answer was sent to a process that was killed: it may or may not be stored.
    while let Some((_, now)) = owner.ask("GET", &format!("/v1/assistant/runs/{run}"), None).await {
        if now["steps"].as_i64() >= Some(wanted) || !now["ended_at"].is_null() {
            owner.ask("POST", &format!("/v1/assistant/runs/{run}/stop"), None).await;
            break;
        }
        let _ = timeout(LOOK, pending::<()>()).await;
    }
    true
}

async fn stop(server: Server) {
    assert_eq!(tokio::task::spawn_blocking(|| server.stop()).await.unwrap(), Some(0));
}

fn signal(server: &Server, signal: &str) {
    assert!(Command::new("kill").args([signal, &server.id().to_string()]).status().unwrap().success());
}

/// What the model says.
fn reply(body: &Value) -> LlmReply {
    let messages = body["messages"].as_array().unwrap();
    let said = messages.iter().rposition(|message| message["role"] == "user").unwrap();
    if messages[said..].iter().any(|message| message["role"] == "tool") {
        return LlmReply::text(["The ", "tasks ", "were ", "asked for."]);
    }
    let words = messages[said]["content"].as_str().unwrap().lines().find(|line| line.starts_with("Run "));
    // The demo has heartbeats and schedules of its own, which may be due.
    let Some(words) = words.map(str::to_owned) else { return LlmReply::text(["Nothing to report"]) };
    let task = |which: &str| json!({ "title": format!("{words} {which}"), "description": "once" });
    LlmReply::calls(["first", "second"].map(|which| ("platform_create_task", task(which))))
}

/// What is stored in the end.
struct Stored {
    runs: Vec<(RunRow, Vec<CallRow>)>,
    /// How many tasks have a title.
    tasks: HashMap<String, usize>,
    /// The states of the missions, with those of their tasks.
    missions: Vec<(String, Vec<String>)>,
}

async fn stored(db: &Db, workspace: Id) -> Stored {
    let mut tx = db.read(workspace).await.unwrap();
    let all = RunFilter { owner: None, state: None, kind: None };
    let mut runs = Vec::new();
    for run in assistant_runs::list(&mut tx, all, Cursor::START, 1_000_000).await.unwrap() {
        if !run.message.starts_with("Run ") {
            continue;
        }
        let calls = assistant_steps::calls_of_run(&mut tx, run.id).await.unwrap();
        runs.push((run, calls));
    }
    let mut made = HashMap::new();
    for task in tasks::list(&mut tx, &TaskFilter::default(), Cursor::START, 1_000_000).await.unwrap() {
        if task.title.starts_with("Run ") {
            *made.entry(task.title).or_default() += 1;
        }
    }
    let mut ended = Vec::new();
    for row in missions::list(&mut tx, None, Cursor::START, 1_000_000).await.unwrap() {
        let tasks = missions::tasks(&mut tx, row.mission.id).await.unwrap();
        ended.push((row.mission.state, tasks.into_iter().map(|task| task.status).collect()));
    }
    tx.end().await.unwrap();
    Stored { runs, tasks: made, missions: ended }
}

/// What the transcripts say.
#[derive(Default)]
struct Transcripts {
    /// How many runs ended in a state.
    states: BTreeMap<&'static str, usize>,
    /// How often a process took a run over from one that was killed.
    taken_over: i64,
    /// Whether the call with a title ran.
    ran: HashMap<String, bool>,
}

impl Transcripts {
    fn of(stored: &Stored) -> Self {
        let mut told = Self::default();
        for (run, calls) in &stored.runs {
            let may_stop = run.message.ends_with(&format!("-{}", RUNS - 1));
            assert!(
                run.state == RunState::Completed || (run.state == RunState::Stopped && may_stop),
                "{run:?}"
            );
            assert!(
                calls.len() == 2 || (run.state == RunState::Stopped && calls.is_empty()),
                "{run:?}: {calls:?}"
            );
            *told.states.entry(run.state.as_str()).or_default() += 1;
            told.taken_over += run.lost;
            for call in calls {
                told.add(call);
            }
        }
        told
    }

    fn add(&mut self, call: &CallRow) {
        let answer = call.answer.as_deref().unwrap_or_else(|| panic!("it has no answer: {call:?}"));
        // It was closed, or it was refused while the database did not answer.
        let not_run = ["the call was not run", "nothing was done"].iter().any(|says| answer.contains(says));
        let says_so = if call.is_error { not_run } else { answer.contains("\"status\":\"completed\"") };
        assert!(call.state == PlannedCallState::Answered && says_so, "{call:?}");
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
        let title = arguments["title"].as_str().unwrap().to_owned();
        assert!(self.ran.insert(title, !call.is_error).is_none(), "it was planned twice: {call:?}");
    }
}

/// Compares what the transcripts say with what is true, and prints the numbers.
fn agree(stored: &Stored, what: &str, rounds: u64, are_lost: bool) {
    let told = Transcripts::of(stored);
    let (runs, tasks) = (stored.runs.len(), stored.tasks.len());
    let ran = told.ran.values().filter(|ran| **ran).count();
    println!(
        "{what}: {rounds} rounds, {runs} runs {:?}, taken over {} times, {ran} calls ran and {} \
         were closed, {tasks} tasks",
        told.states,
        told.taken_over,
        told.ran.len() - ran,
    );
    for (title, ran) in &told.ran {
        let made = stored.tasks.get(title).copied().unwrap_or_default();
        assert_eq!(made, usize::from(*ran), "`{title}`: it ran, says the transcript: {ran}");
    }
    let untold: Vec<_> = stored.tasks.keys().filter(|title| !told.ran.contains_key(*title)).collect();
    assert!(untold.is_empty(), "no transcript has the calls of {untold:?}");
    for (round, n) in (0..rounds).flat_map(|round| (0..RUNS).map(move |n| (round, n))) {
        let sent = format!("Run {round}-{n}");
        let runs = stored.runs.iter().filter(|(run, _)| run.message == sent).count();
        assert_eq!(runs, 1, "the message `{sent}` has {runs} runs");
    }
    // A kill between two runs loses none, and a few rounds may have no other.
    let may_lose_none = !are_lost || rounds < 10;
    let as_expected = if told.taken_over > 0 { are_lost } else { may_lose_none };
    assert!(as_expected, "processes lost runs {} times", told.taken_over);
    let done = ("completed".to_owned(), vec!["done".to_owned(); 2]);
    let ours = stored.missions.iter().filter(|mission| **mission == done).count();
    let of_tasks = stored.runs.iter().filter(|(run, _)| run.kind == RunKind::Mission).count();
    let expected = usize::try_from(rounds).unwrap();
    assert_eq!((ours, of_tasks), (expected, 2 * expected), "{:?}", stored.missions);
}

/// Processes lose runs with `are_lost`, and none without.
async fn survives(
    db: &TestDb,
    (what, rounds): (&str, u64),
    are_lost: bool,
    one_round: impl AsyncFn(&House, Server, u64) -> Server,
) {
    let folder = folder();
    let (model, client) = (FakeModel::start().await, reqwest::Client::new());
    let lease_seconds = if are_lost { LEASE_SECONDS } else { LONG_LEASE_SECONDS };
    let house = House { place: Place::new(folder.path(), db), model, client, lease_seconds };
    let mut server = house.start();
    let workspace = house.owner(&server).workspace;
    house.place.limits_off(workspace).await;
    let db = house.place.open().await;
    change_workspace(&db, workspace, |row| row.settings.runner = WorkRunner::Internal).await;
    db.close().await;
    for round in 0..rounds {
        server = one_round(&house, server, round).await;
    }
    server.kill();
    let db = house.place.open().await;
    agree(&stored(&db, workspace).await, &format!("{what}, {}", db.kind()), rounds, are_lost);
    db.close().await;
    house.place.verify();
}

#[both_databases]
async fn runs_survive_a_kill_soak(db: TestDb) {
    let what = ("the assistant with two kills -9 a round", soak(2, 250));
    survives(&db, what, true, async |house, first, round| house.one_round(first, round).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_survive_a_frozen_process_on_postgres_soak() {
    let what = ("the assistant with a frozen process", soak(2, 100));
    let db = toolcrib_testkit::postgres().await;
    survives(&db, what, true, async |house, first, round| house.frozen_round(first, round).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_survive_a_rolling_restart_on_postgres_soak() {
    let what = ("the assistant with a rolling restart", soak(2, 100));
    let db = toolcrib_testkit::postgres().await;
    survives(&db, what, false, async |house, first, round| house.rolling_round(first, round).await).await;
}
