//! Railway: reads the services of one project, their deployments and the deployments' logs.
//!
//! Railway has no workspaces, so these requests can't be limited to one. The caller must be allowed to read
//! the data of the whole platform.

use futures_util::future::BoxFuture;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::{Value, json};
use toolcrib_model::Ts;

use crate::{
    Client, UpstreamError,
    client::{Ping, read},
    embedded::{LogLevel, LogLine},
};

/// The URL of Railway's public API.
pub const API: &str = "https://backboard.railway.com/graphql/v2";

/// The maximum length of a line, in characters. Longer ones are cut.
const MAX_LINE_CHARS: usize = 8_192;

const SERVICES: &str = "query services($project: String!) { project(id: $project) { \
    environments { edges { node { id name serviceInstances { edges { node { serviceName \
    latestDeployment { id status createdAt } } } } } } } } }";
const LOGS: &str = "query logs($deployment: String!, $limit: Int!) { \
    deploymentLogs(deploymentId: $deployment, limit: $limit) { timestamp message severity } }";
const ANSWERS: &str = "query answers($project: String!) { project(id: $project) { id } }";

/// A project on Railway and one of its environments.
#[derive(Clone, Debug)]
pub struct Project {
    pub id: String,
    /// The environment's name.
    pub environment: String,
}

/// A client of Railway for one project.
#[derive(Clone, Debug)]
pub struct Railway {
    client: Client,
    project: Project,
}

/// A service and its newest deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployed {
    /// The service's name.
    pub service: String,
    /// `None` if the service was never deployed.
    pub deployment: Option<Deployment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deployment {
    pub id: String,
    /// Railway's status, such as `SUCCESS` or `CRASHED`.
    pub status: String,
    pub created_at: Ts,
}

impl Deployment {
    /// Returns whether the deployment runs, or `None` if that is not known yet.
    pub fn up(&self) -> Option<bool> {
        match self.status.as_str() {
            // A sleeping deployment wakes up at the next request.
            "SUCCESS" | "SLEEPING" => Some(true),
            "FAILED" | "CRASHED" | "REMOVED" | "REMOVING" | "SKIPPED" => Some(false),
            _ => None,
        }
    }
}

#[derive(Deserialize)]
struct Found {
    project: ProjectNode,
}

#[derive(Deserialize)]
struct ProjectNode {
    environments: GraphqlConnection<EnvironmentNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EnvironmentNode {
    id: String,
    name: String,
    service_instances: GraphqlConnection<InstanceNode>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InstanceNode {
    service_name: String,
    latest_deployment: Option<Deployment>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Logs {
    deployment_logs: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    timestamp: Ts,
    message: String,
    severity: Option<String>,
}

impl Railway {
    /// The token of `client` must be allowed to read the project.
    pub fn new(client: Client, project: Project) -> Self {
        Self { client, project }
    }

    /// Returns the services of the environment, sorted by name.
    pub async fn services(&self) -> Result<Vec<Deployed>, UpstreamError> {
        let found: Found = self.ask(SERVICES, json!({ "project": self.project.id })).await?;
        let wanted = &self.project.environment;
        let mut environments = found.project.environments.nodes();
        let Some(environment) = environments.find(|one| one.name == *wanted || one.id == *wanted) else {
            return Err(UpstreamError::Refused(format!("the project has no environment `{wanted}`")));
        };
        let deployed = environment
            .service_instances
            .nodes()
            .map(|one| Deployed { service: one.service_name, deployment: one.latest_deployment });
        let mut deployed: Vec<Deployed> = deployed.collect();
        deployed.sort_by(|one, other| one.service.cmp(&other.service));
        Ok(deployed)
    }

    /// Returns the last `limit` log lines of a service's deployment, newest first.
    pub async fn logs(
        &self,
        service: &str,
        deployment: &str,
        limit: usize,
    ) -> Result<Vec<LogLine>, UpstreamError> {
        let logs: Logs = self.ask(LOGS, json!({ "deployment": deployment, "limit": limit })).await?;
        let mut lines: Vec<LogLine> = logs.deployment_logs.into_iter().map(|line| line.of(service)).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.at));
        lines.truncate(limit);
        Ok(lines)
    }

    async fn ask<T: DeserializeOwned>(&self, query: &str, variables: Value) -> Result<T, UpstreamError> {
        data(&self.client.post_json(&json!({ "query": query, "variables": variables })).await?)
    }
}

impl Ping for Railway {
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>> {
        Box::pin(async {
            let variables = json!({ "project": self.project.id });
            self.ask::<IgnoredAny>(ANSWERS, variables).await.map(drop)
        })
    }
}

impl Line {
    fn of(self, service: &str) -> LogLine {
        LogLine {
            at: self.timestamp,
            level: self.severity.as_deref().map_or(LogLevel::Info, LogLevel::parse),
            service: service.to_owned(),
            message: self.message.chars().take(MAX_LINE_CHARS).collect(),
            fields: serde_json::Map::new(),
            workspace: None,
        }
    }
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: Option<T>,
    #[serde(default)]
    errors: Vec<Error>,
}

#[derive(Deserialize)]
struct Error {
    #[serde(default)]
    message: String,
}

/// A list in the form of a GraphQL connection.
#[derive(Deserialize)]
struct GraphqlConnection<T> {
    edges: Vec<Edge<T>>,
}

#[derive(Deserialize)]
struct Edge<T> {
    node: T,
}

impl<T> GraphqlConnection<T> {
    fn nodes(self) -> impl Iterator<Item = T> {
        self.edges.into_iter().map(|edge| edge.node)
    }
}

/// Returns the data of a response's body. Any error fails the whole response, even one with partial data.
fn data<T: DeserializeOwned>(body: &[u8]) -> Result<T, UpstreamError> {
    // Read the errors first, because `data` may then be null or have another shape.
    let errors = read::<Envelope<IgnoredAny>>(body)?.errors;
    if let Some(error) = errors.into_iter().next() {
        return Err(UpstreamError::Refused(error.message));
    }
    read::<Envelope<T>>(body)?
        .data
        .ok_or_else(|| UpstreamError::Malformed("it has neither data nor errors".to_owned()))
}
