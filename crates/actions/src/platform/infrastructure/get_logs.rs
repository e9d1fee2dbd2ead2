//! Gets the last log lines of one service.

use toolcrib_connectors::{
    embedded::{DataScope, LogLine, LogQuery, SERVICE},
    railway::Railway,
};
use toolcrib_engine::prelude::*;

use super::view::{EMBEDDED, LineView, RAILWAY, Scope, platform_only, reach, upstream};
use crate::{
    Infrastructure,
    shared::refs::{Ref, missing},
};

/// Number of lines to search for `filter`.
const SEARCHED: usize = 1_000;

pub struct GetLogs(pub Infrastructure);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the service, from `platform_list_services`.
    #[schemars(extend("x-reference" = true))]
    pub service: String,
    /// Maximum number of lines. Default: 200.
    #[schemars(range(min = 1, max = 1_000))]
    pub lines: Option<i64>,
    /// Text in the message or a field, case-insensitive. With Railway only the last 1,000 lines are searched.
    pub filter: Option<String>,
}

/// Result of `platform_get_logs`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Name of the service.
    #[schemars(extend("x-ours" = true))]
    pub service: String,
    /// Lines, newest first.
    pub items: Vec<LineView>,
    /// Scope of the lines.
    pub scope: Scope,
    /// Source of the lines.
    #[schemars(extend("x-ours" = true))]
    pub source: &'static str,
    /// Time of the oldest stored line; null if none is stored.
    pub kept_since: Option<Ts>,
}

impl ExternalAction for GetLogs {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_logs", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .admin_only()
            .external()
            .describe("Get one service's last log lines. To search all services by level or time use platform_query_loki_logs.")
            .tags(&["logs", "deployment", "service", "output", "tail"])
            .examples(&["Show me the last 50 log lines of the database"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let limit = usize::try_from(input.lines.unwrap_or(200)).unwrap_or(200);
        if let Some(railway) = &self.0.connectors.railway {
            platform_only(cx.caller, "Railway")?;
            return deployed(railway, input, limit).await;
        }
        let reach = reach(cx.caller);
        let service = self.known(&input.service, reach)?;
        let journal = self.0.platform.journal();
        let lines = journal.lines(&LogQuery {
            reach,
            // No filter for this service itself: its lines have the names of its components.
            service: Some(service.as_str()).filter(|service| *service != SERVICE),
            level: None,
            search: input.filter.as_deref(),
            from: Ts::from_micros(i64::MIN),
            limit,
        });
        let items = lines.into_iter().map(LineView::from).collect();
        Ok(Output { service, items, scope: reach.into(), source: EMBEDDED, kept_since: journal.oldest() })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Found {} of `{}`", count(output.items.len(), "log line"), output.service)
    }
}

impl GetLogs {
    /// Returns the service with this name, case-insensitive. 404 with similar names if there is none.
    fn known(&self, name: &str, reach: DataScope) -> Result<String, ActionError> {
        let wanted = name.to_lowercase();
        let platform = &self.0.platform;
        let components = platform.components().into_iter().map(|component| component.name);
        let mut names: Vec<String> = components.chain(platform.journal().services(reach)).collect();
        names.dedup();
        match names.iter().find(|known| known.to_lowercase() == wanted) {
            Some(known) => Ok(known.clone()),
            None => Err(missing("service", &Ref(name.to_owned()), &names, "platform_list_services")),
        }
    }
}

/// Returns the last lines of the newest deployment of a service on Railway.
async fn deployed(railway: &Railway, input: &Input, limit: usize) -> Result<Output, ActionError> {
    let wrong = |error| upstream("Railway", &error);
    let services = railway.services().await.map_err(wrong)?;
    let wanted = input.service.to_lowercase();
    let Some(found) = services.iter().find(|one| one.service.to_lowercase() == wanted) else {
        let names: Vec<String> = services.into_iter().map(|one| one.service).collect();
        return Err(missing("service", &Ref(input.service.clone()), &names, "platform_list_services"));
    };
    let service = found.service.clone();
    let mut items = Vec::new();
    if let Some(deployment) = &found.deployment {
        let read = if input.filter.is_some() { SEARCHED } else { limit };
        let lines = railway.logs(&service, &deployment.id, read).await.map_err(wrong)?;
        let filter = input.filter.as_deref().map(str::to_lowercase);
        let has =
            |line: &LogLine| filter.as_deref().is_none_or(|text| line.message.to_lowercase().contains(text));
        items.extend(lines.into_iter().filter(has).take(limit).map(LineView::from));
    }
    Ok(Output { service, items, scope: Scope::Platform, source: RAILWAY, kept_since: None })
}
