//! Searches log lines.

use toolcrib_connectors::embedded::{LogLevel, LogQuery, SERVICE};
use toolcrib_engine::prelude::*;

use super::view::{EMBEDDED, LOKI, LineView, Scope, reach, upstream};
use crate::Infrastructure;

pub struct QueryLokiLogs(pub Infrastructure);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of a service in Loki, or without Loki a part of this service, such as `http`. Default: all.
    pub service: Option<String>,
    /// Only lines of this level.
    #[schemars(extend("x-plain-words" = true))]
    pub level: Option<LogLevel>,
    /// Text in the message or a field, case-insensitive.
    pub search: Option<String>,
    /// Number of past minutes. Default: 60.
    #[schemars(range(min = 1, max = 10_080))]
    pub minutes: Option<i64>,
    /// Maximum number of lines. Default: 100.
    #[schemars(range(min = 1, max = 500))]
    pub limit: Option<i64>,
}

/// Result of `platform_query_loki_logs`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Lines, newest first.
    pub items: Vec<LineView>,
    /// Scope of the lines.
    pub scope: Scope,
    /// Source of the lines.
    #[schemars(extend("x-ours" = true))]
    pub source: &'static str,
    /// Time of the oldest stored line; null if none is stored or if unknown.
    pub kept_since: Option<Ts>,
}

impl ExternalAction for QueryLokiLogs {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_query_loki_logs", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .admin_only()
            .external()
            .describe("Search log lines by service, level, text and time. For one service's last lines use platform_get_logs.")
            .tags(&["logs", "loki", "errors", "search", "debug"])
            .examples(&["Show errors of the last hour", "What did the log say about timeouts today?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let reach = reach(cx.caller);
        let now = self.0.platform.now();
        let mut query = LogQuery {
            reach,
            service: input.service.as_deref(),
            level: input.level,
            search: input.search.as_deref(),
            from: now.plus_seconds(-60 * input.minutes.unwrap_or(60)),
            limit: usize::try_from(input.limit.unwrap_or(100)).unwrap_or(100),
        };
        if let Some(loki) = &self.0.connectors.loki {
            let lines = loki.lines(&query, now).await.map_err(|error| upstream("Loki", &error))?;
            let items = lines.into_iter().map(LineView::from).collect();
            return Ok(Output { items, scope: reach.into(), source: LOKI, kept_since: None });
        }
        // No filter for this service itself: its lines have the names of its components.
        query.service = query.service.filter(|service| *service != SERVICE);
        let journal = self.0.platform.journal();
        let lines = journal.lines(&query);
        let items = lines.into_iter().map(LineView::from).collect();
        Ok(Output { items, scope: reach.into(), source: EMBEDDED, kept_since: journal.oldest() })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {}", count(output.items.len(), "log line"))
    }
}
