//! Stores the last lines of the service's log in memory, and counts the calls that they report.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt,
    sync::Arc,
};

use parking_lot::{Mutex, MutexGuard};
use serde_json::{Map, Value};
use toolcrib_model::{Clock, Id, Ts, closed_set};

use super::{DataScope, calls::CallCounts};

closed_set! {
    "a log level",
    /// Level of a log line.
    LogLevel {
        /// Details for developers.
        Debug = "debug",
        /// Normal operation.
        Info = "info",
        /// Unexpected, but handled.
        Warning = "warning",
        /// A failure.
        Error = "error",
    }
}

impl LogLevel {
    /// Parses the level of another logging system. An unknown word gives [`LogLevel::Info`].
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

#[derive(Clone, Debug)]
pub struct LogLine {
    /// When the line was written.
    pub at: Ts,
    pub level: LogLevel,
    /// The part of the service that wrote it, such as `http` or `database`.
    pub service: String,
    pub message: String,
    /// The structured fields.
    pub fields: Map<String, Value>,
    /// The workspace that the line is about, if any.
    pub workspace: Option<Id>,
}

/// A query for log lines. A field that is `None` does not filter.
#[derive(Clone, Debug)]
pub struct LogQuery<'q> {
    /// Only lines in this scope.
    pub reach: DataScope,
    /// Only lines of this part of the service.
    pub service: Option<&'q str>,
    /// Only lines of exactly this level.
    pub level: Option<LogLevel>,
    /// Only lines with this text in the message or in a field. Ignores case.
    pub search: Option<&'q str>,
    /// Only lines from this time on.
    pub from: Ts,
    /// The maximum number of lines.
    pub limit: usize,
}

/// The last lines of the log and the calls per minute, in memory. Drops the oldest lines when full.
pub struct Journal {
    clock: Arc<dyn Clock>,
    capacity: usize,
    lines: Mutex<Lines>,
    calls: Mutex<CallCounts>,
}

/// The lines in the order in which they were written, and the number of them by workspace and part of the service: to
/// list the parts must not read all lines, because every line that is written waits for the lock.
#[derive(Debug, Default)]
struct Lines {
    lines: VecDeque<Arc<LogLine>>,
    services: BTreeMap<Option<Id>, BTreeMap<String, usize>>,
}

impl Journal {
    /// The default capacity in lines, about 10 MB.
    pub const LINES: usize = 20_000;

    /// Creates an empty journal for at most `capacity` lines.
    pub fn new(clock: Arc<dyn Clock>, capacity: usize) -> Arc<Self> {
        Arc::new(Self { clock, capacity, lines: Mutex::default(), calls: Mutex::default() })
    }

    /// Returns the matching lines, newest first.
    pub fn lines(&self, query: &LogQuery<'_>) -> Vec<LogLine> {
        let searched = query.search.map(str::to_lowercase);
        // The texts are compared and copied after the lock is released.
        let most = if searched.is_some() { usize::MAX } else { query.limit };
        let found = self.newest(query, most);
        let matches = |line: &&Arc<LogLine>| searched.as_deref().is_none_or(|text| has(line, text));
        found.iter().filter(matches).take(query.limit).map(|line| LogLine::clone(line)).collect()
    }

    /// Returns at most `most` lines that match everything but `search`, newest first.
    fn newest(&self, query: &LogQuery<'_>, most: usize) -> Vec<Arc<LogLine>> {
        let held = self.lines.lock();
        held.lines
            .iter()
            .rev()
            .filter(|line| query.reach.holds(line.workspace) && line.at >= query.from)
            .filter(|line| query.service.is_none_or(|service| line.service == service))
            .filter(|line| query.level.is_none_or(|level| line.level == level))
            .take(most)
            .cloned()
            .collect()
    }

    /// Returns the time of the oldest line in the journal. Earlier lines may have been dropped.
    pub fn oldest(&self) -> Option<Ts> {
        self.lines.lock().lines.front().map(|line| line.at)
    }

    /// Returns the parts of the service that wrote lines in the scope.
    pub fn services(&self, reach: DataScope) -> BTreeSet<String> {
        let held = self.lines.lock();
        let in_scope = held.services.iter().filter(|(workspace, _)| reach.holds(**workspace));
        in_scope.flat_map(|(_, services)| services.keys().cloned()).collect()
    }

    pub(super) fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    pub(super) fn calls(&self) -> MutexGuard<'_, CallCounts> {
        self.calls.lock()
    }

    pub(super) fn write(&self, line: LogLine) {
        let line = Arc::new(line);
        let mut held = self.lines.lock();
        while held.lines.len() >= self.capacity.max(1) {
            held.drop_oldest();
        }
        held.add(line);
    }
}

impl Lines {
    fn add(&mut self, line: Arc<LogLine>) {
        let services = self.services.entry(line.workspace).or_default();
        if let Some(number) = services.get_mut(&line.service) {
            *number += 1;
        } else {
            services.insert(line.service.clone(), 1);
        }
        self.lines.push_back(line);
    }

    fn drop_oldest(&mut self) {
        let Some(line) = self.lines.pop_front() else { return };
        let Some(services) = self.services.get_mut(&line.workspace) else { return };
        if let Some(number) = services.get_mut(&line.service) {
            *number -= 1;
            if *number == 0 {
                services.remove(&line.service);
            }
        }
        if services.is_empty() {
            self.services.remove(&line.workspace);
        }
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
        f.debug_struct("Journal").field("lines", &self.lines.lock().lines.len()).finish_non_exhaustive()
    }
}
