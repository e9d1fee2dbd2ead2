//! What clients were told, to compare with the database.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex},
};

use serde_json::Value;
use toolcrib_model::{Cursor, Id};
use toolcrib_store::{
    Db,
    audit::{self, AuditEntry, AuditFilter},
    confirmations,
    tasks::{self, TaskFilter},
};
use toolcrib_testkit::settled;

/// A keyed call, as its clients know it.
#[derive(Clone, Debug, Default)]
pub struct Keyed {
    pub told: Option<String>,
    settled: bool,
}

impl Keyed {
    /// Notes the task that a client was told, which must always be the same.
    pub fn told(&mut self, task: String) {
        assert!(self.told.as_ref().is_none_or(|before| *before == task), "{self:?} and `{task}`");
        self.told = Some(task);
    }

    /// Notes the task that was told after the service came back.
    pub fn settled(&mut self, task: String) {
        self.told(task);
        self.settled = true;
    }
}

/// The decision that a client was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    Approved,
    Denied,
}

/// Everything that clients were told.
#[derive(Default)]
pub struct Told {
    pub written: HashSet<String>,
    pub read: HashSet<Id>,
    pub keyed: BTreeMap<String, Keyed>,
    pub replayed: usize,
    /// The title of the requested task, by the id of its confirmation.
    pub asked: BTreeMap<Id, String>,
    pub decided: BTreeMap<Id, Decided>,
    /// Confirmations that had been decided before, as a second decision showed.
    pub lost_answers: BTreeSet<Id>,
}

/// What clients were told, shared by all callers.
#[derive(Clone, Default)]
pub struct Books(Arc<Mutex<Told>>);

impl Books {
    pub fn note<T>(&self, write: impl FnOnce(&mut Told) -> T) {
        write(&mut self.0.lock().unwrap());
    }

    /// Numbers of responses so far, by the kind of caller.
    pub fn counts(&self) -> [usize; 4] {
        let told = self.0.lock().unwrap();
        let keyed = told.keyed.values().filter(|keyed| keyed.told.is_some()).count();
        [told.written.len(), told.read.len(), keyed, told.decided.len()]
    }

    /// Keyed calls that were not repeated yet: all without a response, and some with one.
    pub fn unsettled_keys(&self) -> Vec<(String, Keyed)> {
        let told = self.0.lock().unwrap();
        let open = |keyed: &Keyed| !keyed.settled;
        let (answered, missing): (Vec<_>, Vec<_>) = told
            .keyed
            .iter()
            .filter(|(_, keyed)| open(keyed))
            .map(|(title, keyed)| (title.clone(), keyed.clone()))
            .partition(|(_, keyed)| keyed.told.is_some());
        missing.into_iter().chain(answered.into_iter().rev().take(4)).collect()
    }

    /// Confirmations for which no client was told the decision.
    pub fn undecided(&self) -> Vec<Id> {
        let told = self.0.lock().unwrap();
        let known = |id: &Id| told.decided.contains_key(id) || told.lost_answers.contains(id);
        told.asked.keys().filter(|id| !known(id)).copied().collect()
    }

    /// Compares everything with what is stored. Returns the counts as a line of text.
    pub async fn balance(&self, db: &Db, plain: Id, asking: Id) -> String {
        let (here, there) = (Stored::at_rest(db, plain).await, Stored::at_rest(db, asking).await);
        let told = self.0.lock().unwrap();
        here.check(&told.written);
        here.check(&told.keyed.keys().cloned().collect());
        there.check(&HashSet::new());
        let rows: HashSet<Id> = here.reads.iter().copied().collect();
        assert_eq!(told.read.difference(&rows).count(), 0, "reads without their rows");
        for (id, title) in &told.asked {
            let question = there.questions.get(id).unwrap_or_else(|| panic!("`{id}` was asked and is lost"));
            assert_eq!(&question.title, title);
            let expected = match told.decided.get(id) {
                Some(Decided::Approved) => "executed",
                Some(Decided::Denied) => "denied",
                None => continue,
            };
            assert_eq!(question.status, expected, "`{id}`");
        }
        let by_status = there.check_questions();
        format!(
            "{} writes, {} reads and {} keys acknowledged, {} replayed; {} effects, {} rows; \
             {} questions asked, {} decisions acknowledged, {} answers lost; \
             {by_status:?}, {} effects, {} rows",
            told.written.len(),
            told.read.len(),
            told.keyed.values().filter(|keyed| keyed.told.is_some()).count(),
            told.replayed,
            here.titles.len(),
            here.rows.len(),
            told.asked.len(),
            told.decided.len(),
            told.lost_answers.len(),
            there.titles.len(),
            there.rows.len(),
        )
    }
}

/// A stored confirmation.
#[derive(Clone, Debug, PartialEq)]
struct VerifyRequest {
    title: String,
    status: String,
    /// The status at each step of its history.
    steps: Vec<String>,
}

/// What a workspace stores of this test.
#[derive(Debug, PartialEq)]
struct Stored {
    /// Titles of the tasks.
    titles: Vec<String>,
    /// Titles in the audit rows of calls that succeeded, each with its confirmation.
    rows: Vec<(String, Option<Id>)>,
    reads: Vec<Id>,
    /// Confirmations in the audit rows of decisions that count.
    decisions: Vec<Id>,
    questions: BTreeMap<Id, VerifyRequest>,
}

fn title(arguments: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    arguments["title"].as_str().filter(|title| title.starts_with("mixed-")).map(str::to_owned)
}

impl Stored {
    /// Reads once nothing changes any more: a server process of PostgreSQL may outlive its client for a
    /// moment.
    async fn at_rest(db: &Db, workspace: Id) -> Self {
        settled("nothing moves any more", async || Self::read(db, workspace).await).await
    }

    async fn read(db: &Db, workspace: Id) -> Self {
        const ALL: i64 = 10_000_000;
        let mut tx = db.read(workspace).await.unwrap();
        let made = tasks::list(&mut tx, &TaskFilter::default(), Cursor::START, ALL).await.unwrap();
        let of = |action: &str| AuditFilter {
            action: Some(format!("platform_{action}").as_str().into()),
            outcome: Some("succeeded".into()),
            ..AuditFilter::default()
        };
        let created = audit::list(&mut tx, &of("create_task"), Cursor::START, ALL).await.unwrap();
        let listed = audit::list(&mut tx, &of("list_tasks"), Cursor::START, ALL).await.unwrap();
        let everything = confirmations::ConfirmationQuery::default();
        let now = toolcrib_model::Ts::from_micros(0);
        let asked = confirmations::list(&mut tx, &everything, now, Cursor::START, ALL).await.unwrap();
        tx.end().await.unwrap();
        let call = |row: &&AuditEntry| row.kind == "call";
        let steps = |history: &str| -> Vec<String> {
            let history: Value = serde_json::from_str(history).unwrap();
            let status = |step: &Value| step["status"].as_str().unwrap().to_owned();
            history.as_array().unwrap().iter().map(status).collect()
        };
        Self {
            titles: made
                .into_iter()
                .map(|row| row.title)
                .filter(|title| title.starts_with("mixed-"))
                .collect(),
            rows: created
                .iter()
                .filter(call)
                .filter_map(|row| Some((title(&row.arguments)?, row.confirmation_id)))
                .collect(),
            reads: listed.iter().map(|row| row.id).collect(),
            decisions: created
                .iter()
                .filter(|row| row.kind == "confirmation")
                .filter_map(|row| row.confirmation_id)
                .collect(),
            questions: asked
                .into_iter()
                .filter_map(|row| {
                    let (title, steps) = (title(&row.call.arguments)?, steps(&row.history));
                    Some((row.id, VerifyRequest { title, status: row.status.to_string(), steps }))
                })
                .collect(),
        }
    }

    /// Checks that everything acknowledged is there, and that each effect has one row and each row its
    /// effect.
    fn check(&self, acknowledged: &HashSet<String>) {
        let made: HashSet<&String> = self.titles.iter().collect();
        let rows: HashSet<&String> = self.rows.iter().map(|(title, _)| title).collect();
        assert_eq!(made.len(), self.titles.len(), "something ran twice");
        assert_eq!(rows.len(), self.rows.len(), "an effect has two rows");
        assert_eq!(made.symmetric_difference(&rows).collect::<Vec<_>>(), Vec::<&&String>::new());
        let lost: Vec<_> = acknowledged.iter().filter(|title| !made.contains(title)).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    }

    /// Checks that the call of each confirmation ran once or not at all, as its record says, with one line of
    /// history. Returns the number of confirmations by status.
    fn check_questions(&self) -> BTreeMap<String, usize> {
        let effects = counted(self.titles.iter().cloned());
        let calls = counted(self.rows.iter().filter_map(|(_, confirmation)| *confirmation));
        let decisions = counted(self.decisions.iter().copied());
        let mut by_status = BTreeMap::new();
        for (id, question) in &self.questions {
            let status = question.status.as_str();
            let once = usize::from(status == "executed");
            let of = |counts: &HashMap<Id, usize>| counts.get(id).copied().unwrap_or_default();
            let ran = effects.get(&question.title).copied().unwrap_or_default();
            assert_eq!((ran, of(&calls)), (once, once), "{question:?}");
            assert_eq!(of(&decisions), usize::from(status != "pending"), "{question:?}");
            let line: &[&str] = if status == "pending" { &["pending"] } else { &["pending", status] };
            assert_eq!(question.steps, line, "{question:?}");
            *by_status.entry(status.to_owned()).or_default() += 1;
        }
        by_status
    }
}

fn counted<T: Eq + std::hash::Hash>(items: impl Iterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
}
