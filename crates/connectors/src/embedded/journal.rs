//! The last lines of the own log, and the calls they tell of.

use std::{
    collections::{BTreeSet, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value};
use toolcrib_model::{Clock, Id, Ts};

use super::{DataScope, calls::CallBook, layer::JournalLayer};

/// How bad a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For developers.
    Debug,
    /// As it should be.
    Info,
    /// Odd, and survived.
    Warning,
    /// Something failed.
    Error,
}

impl LogLevel {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// What a word means that somebody else wrote for a level; what is unknown is as it should be.
    pub fn parse(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "debug" | "trace" => Self::Debug,
            "warn" | "warning" => Self::Warning,
            "error" | "err" | "critical" | "crit" | "fatal" | "panic" | "alert" | "emerg" | "emergency" => {
                Self::Error
            }
            _ => Self::Info,
        }
    }
}

/// One line of the log.
#[derive(Clone, Debug)]
pub struct LogLine {
    /// When.
    pub at: Ts,
    /// How bad.
    pub level: LogLevel,
    /// The part of the service that wrote it, such as `http` or `database`.
    pub service: String,
    /// The text.
    pub message: String,
    /// What goes with it.
    pub fields: Map<String, Value>,
    /// In which workspace it happened, where in one.
    pub workspace: Option<Id>,
}

/// Which lines are asked for; a field that is absent asks for nothing.
#[derive(Clone, Debug)]
pub struct LogQuery<'q> {
    /// Whose.
    pub reach: DataScope,
    /// Of this part of the service.
    pub service: Option<&'q str>,
    /// Of exactly this level.
    pub level: Option<LogLevel>,
    /// With this text in the message or in a field, in any case.
    pub search: Option<&'q str>,
    /// Not older than this.
    pub from: Ts,
    /// At most so many.
    pub limit: usize,
}

/// The log's last lines in memory, and calls by the minute. Old ones go when it is full.
pub struct Journal {
    clock: Arc<dyn Clock>,
    capacity: usize,
    lines: Mutex<VecDeque<LogLine>>,
    calls: Mutex<CallBook>,
}

impl Journal {
    /// How many lines are kept where nothing else is said: some 10 MB.
    pub const LINES: usize = 20_000;

    /// Empty, for at most `capacity` lines.
    pub fn new(clock: Arc<dyn Clock>, capacity: usize) -> Arc<Self> {
        Arc::new(Self { clock, capacity, lines: Mutex::default(), calls: Mutex::default() })
    }

    /// What feeds it: to be added to the subscriber.
    pub fn layer(self: &Arc<Self>) -> JournalLayer {
        JournalLayer::new(self.clone())
    }

    /// The lines that match, newest first.
    pub fn lines(&self, query: &LogQuery<'_>) -> Vec<LogLine> {
        let wanted = query.search.map(str::to_lowercase);
        let held = self.held();
        held.iter()
            .rev()
            .filter(|line| query.reach.holds(line.workspace) && line.at >= query.from)
            .filter(|line| query.service.is_none_or(|service| line.service == service))
            .filter(|line| query.level.is_none_or(|level| line.level == level))
            .filter(|line| wanted.as_deref().is_none_or(|text| has(line, text)))
            .take(query.limit)
            .cloned()
            .collect()
    }

    /// When the oldest line that is still held was written: what was before is unknown.
    pub fn oldest(&self) -> Option<Ts> {
        self.held().front().map(|line| line.at)
    }

    /// The parts of the service that wrote lines within reach.
    pub fn services(&self, reach: DataScope) -> BTreeSet<String> {
        let held = self.held();
        held.iter().filter(|line| reach.holds(line.workspace)).map(|line| line.service.clone()).collect()
    }

    pub(super) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    pub(super) fn calls(&self) -> MutexGuard<'_, CallBook> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self, line: LogLine) {
        let mut held = self.held();
        while held.len() >= self.capacity.max(1) {
            held.pop_front();
        }
        held.push_back(line);
    }

    fn held(&self) -> MutexGuard<'_, VecDeque<LogLine>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has(line: &LogLine, text: &str) -> bool {
    line.message.to_lowercase().contains(text)
        || line.fields.values().any(|value| match value {
            Value::String(value) => value.to_lowercase().contains(text),
            other => other.to_string().contains(text),
        })
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("lines", &self.held().len()).finish_non_exhaustive()
    }
}
