//! Lists what is being downloaded.

use std::collections::HashMap;

use toolcrib_engine::prelude::*;
use toolcrib_registry::first_sentence;

use crate::{
    answer::as_text,
    arr::{QueuePage, QueueRecord},
    kind::Kind,
    server::{LOCAL, Server},
    text::Text,
    zone,
};

const PAGE: usize = 50;
/// How many records of a server are read.
const MAX_RECORDS: usize = 500;

pub struct GetDownloadQueue;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Number of films, and of lines of episodes. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<usize>,
}

/// A download. The episodes of a season pack are one.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Line {
    /// Title of the film or series; the name of the release if the server does not know what it is.
    pub title: Text,
    /// Number of the season; null for films.
    pub season: Option<i64>,
    /// Number of the episode; null for films and for several episodes.
    pub episode: Option<i64>,
    /// Number of episodes in it; null for films.
    pub episodes: Option<usize>,
    /// Progress in percent; null if unknown.
    pub progress: Option<u8>,
    /// Minutes that are left, rounded up; null if unknown.
    pub minutes_left: Option<u64>,
    /// State in words, such as `downloading`, `paused` or `import blocked`.
    #[schemars(extend("x-ours" = true))]
    pub state: &'static str,
    /// What the server says is wrong; null if nothing is.
    pub problem: Option<Text>,
}

/// Result of `media_get_download_queue`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Films.
    pub movies: Vec<Line>,
    /// Episodes and season packs.
    pub episodes: Vec<Line>,
    /// Number of downloads in both queues, of those that were read.
    pub total: usize,
    /// Number of records that were not read, because a queue has more than 500.
    pub unread: usize,
    /// Reasons why the queue of a server could not be read.
    pub errors: Vec<Text>,
}

/// The lines of a server's queue.
#[derive(Default)]
struct Queue {
    lines: Vec<Line>,
    unread: usize,
}

impl ExternalAction for GetDownloadQueue {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        crate::read("media_get_download_queue")
            .describe("List what Radarr and Sonarr are downloading: progress, time left, state and problems.")
            .tags(&["download", "queue", "progress", "radarr", "sonarr", "stuck"])
            .examples(&["How far is the download?", "What is downloading right now?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let limit = input.limit.unwrap_or(20);
        let (radarr, sonarr) = tokio::join!(queue(cx, Kind::Radarr), queue(cx, Kind::Sonarr));
        let mut errors = Vec::new();
        let (movies, episodes) = match (radarr, sonarr) {
            (Err(radarr), Err(sonarr)) => return Err(of_both(radarr, sonarr)),
            (radarr, sonarr) => (kept(radarr, &mut errors), kept(sonarr, &mut errors)),
        };
        let (total, unread) = (movies.lines.len() + episodes.lines.len(), movies.unread + episodes.unread);
        let first = |queue: Queue| queue.lines.into_iter().take(limit).collect();
        Ok(Output { movies: first(movies), episodes: first(episodes), total, unread, errors })
    }

    fn services(&self) -> &'static [&'static str] {
        &["radarr", "sonarr"]
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {}", count(output.total, "download"))
    }
}

/// Returns the queue, or adds the error. A server that the workspace does not have is none.
fn kept(queue: Result<Queue, ActionError>, errors: &mut Vec<Text>) -> Queue {
    queue.unwrap_or_else(|error| {
        if !is_missing(&error) {
            errors.push(as_text(&error));
        }
        Queue::default()
    })
}

fn is_missing(error: &ActionError) -> bool {
    error.code == ErrorCode::ConnectorNotConfigured
}

/// Returns the error of the call if neither queue can be read: of a server that is set, else of both.
fn of_both(radarr: ActionError, sonarr: ActionError) -> ActionError {
    if !is_missing(&radarr) {
        return radarr;
    }
    if !is_missing(&sonarr) {
        return sonarr;
    }
    let mut hints: Vec<String> = [radarr.hint, sonarr.hint].into_iter().flatten().collect();
    hints.dedup();
    ActionError::new(radarr.code, format!("{}; {}", radarr.detail, sonarr.detail)).hint(hints.join("; "))
}

/// Reads the queue of a server by pages. Behind its end a server answers the last page again, so that the total alone
/// says where the end is.
async fn queue(cx: &ExternalCx<'_>, kind: Kind) -> Result<Queue, ActionError> {
    let server = Server::of(cx, kind, LOCAL).await?;
    let mut records: Vec<QueueRecord> = Vec::new();
    let mut total = 0;
    for page in 1..=MAX_RECORDS / PAGE {
        let (page, size) = (page.to_string(), PAGE.to_string());
        let mut query = vec![("page", &*page), ("pageSize", &*size)];
        query.extend(match kind {
            Kind::Radarr => [("includeMovie", "true"), ("includeUnknownMovieItems", "true")].as_slice(),
            _ => &[
                ("includeSeries", "true"),
                ("includeEpisode", "true"),
                ("includeUnknownSeriesItems", "true"),
            ],
        });
        let read: QueuePage = server.get("/api/v3/queue", &query).await?;
        total = read.total_records;
        let is_empty = read.records.is_empty();
        records.extend(read.records);
        if is_empty || records.len() >= total {
            break;
        }
    }
    // The queue may shrink while it is read.
    records.truncate(total);
    Ok(Queue { unread: total.saturating_sub(records.len()), lines: lines(kind, &records) })
}

/// Makes a line of each download. Records of one download are episodes of one season pack.
fn lines(kind: Kind, records: &[QueueRecord]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut by_download: HashMap<(&str, Option<i64>), usize> = HashMap::new();
    for record in records {
        let of = (record.download_id.as_str(), record.season_number);
        let known = Some(of).filter(|(id, _)| kind == Kind::Sonarr && !id.is_empty());
        if let Some(line) = known.and_then(|of| by_download.get(&of)).and_then(|at| lines.get_mut(*at)) {
            line.episodes = line.episodes.map(|episodes| episodes + 1);
            line.episode = None;
            continue;
        }
        by_download.extend(known.map(|of| (of, lines.len())));
        lines.push(line(kind, record));
    }
    lines
}

fn line(kind: Kind, record: &QueueRecord) -> Line {
    let title = match kind {
        Kind::Radarr => record.movie.as_ref().map(|movie| &movie.title),
        _ => record.series.as_ref().map(|series| &series.title),
    };
    let title = title.filter(|title| !title.is_empty()).unwrap_or(&record.title);
    Line {
        title: Text::name(title),
        season: record.season_number,
        episode: record.episode.as_ref().map(|episode| episode.episode_number),
        episodes: (kind == Kind::Sonarr).then_some(1),
        progress: progress(record.size, record.sizeleft),
        minutes_left: record.timeleft.as_deref().and_then(zone::seconds).map(|seconds| seconds.div_ceil(60)),
        state: state(record),
        problem: problem(record),
    }
}

/// Returns the percentage that is done. Servers say size 0 where they don't know it.
fn progress(size: f64, left: f64) -> Option<u8> {
    let done = (1.0 - left / size) * 100.0;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
    (size > 0.0).then(|| done.clamp(0.0, 100.0) as u8)
}

fn state(record: &QueueRecord) -> &'static str {
    let is_ill = matches!(&*record.tracked_download_status, "warning" | "error");
    match (&*record.tracked_download_state, &*record.status) {
        ("importBlocked", _) => "import blocked",
        ("importing", _) => "importing",
        ("imported", _) => "imported",
        ("failedPending" | "failed", _) | (_, "failed") => "failed",
        ("importPending", _) | (_, "completed") => "waiting for import",
        (_, "queued") => "queued",
        (_, "delay") => "delayed",
        (_, "paused") => "paused",
        (_, "downloading") if !is_ill => "downloading",
        (_, "downloading" | "warning") => "with a warning",
        (_, "downloadClientUnavailable") => "its download program does not answer",
        _ => "unknown",
    }
}

fn problem(record: &QueueRecord) -> Option<Text> {
    let message = record.status_messages.iter().find_map(|status| status.messages.first());
    let text = Some(&record.error_message).filter(|text| !text.is_empty()).or(message)?;
    Some(Text::name(&first_sentence(text.lines().next()?)))
}
