//! Alertmanager: reads the firing alerts from its API and parses the deliveries of its webhook.

mod delivery;

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use serde::Deserialize;
use toolcrib_model::{Id, Ts};

pub use delivery::delivered;

use crate::{
    Client, Label, UpstreamError,
    client::{Ping, read},
    embedded::DataScope,
};

/// The maximum number of labels of an alert. The rest is dropped.
const MAX_LABELS: usize = 64;
/// The maximum length of a label or a name, in characters. Longer ones are cut.
const SHORT: usize = 200;
/// The maximum length of a summary, in characters. Longer ones are cut.
const LONG: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideAlert {
    /// Alertmanager's hash of the labels.
    pub fingerprint: String,
    /// The name of the alerting rule.
    pub name: String,
    /// The label `severity`.
    pub severity: Option<String>,
    /// The first of the labels `service`, `job` and `instance` that the alert has.
    pub subject: String,
    /// The summary from the annotations.
    pub summary: String,
    /// The labels, limited in number and length.
    pub labels: BTreeMap<String, String>,
    /// When the alert began.
    pub since: Ts,
    /// When the alert ended. `None` while it fires.
    pub ended: Option<Ts>,
    /// The alert is silenced or inhibited, so Alertmanager sends no notification.
    pub silenced: bool,
    /// The workspace, from the workspace label.
    pub workspace: Option<Id>,
}

#[derive(Clone, Debug)]
pub struct Alertmanager {
    client: Client,
    label: Label,
}

/// The fields that the API and the webhook have in common.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Facts {
    fingerprint: String,
    labels: BTreeMap<String, String>,
    #[serde(default)]
    annotations: BTreeMap<String, String>,
    starts_at: Ts,
}

#[derive(Deserialize)]
struct Listed {
    #[serde(flatten)]
    facts: Facts,
    status: State,
}

#[derive(Deserialize)]
struct State {
    state: String,
}

impl Alertmanager {
    /// `label` is the label of alerts that contains the workspace's id.
    pub fn new(client: Client, label: Label) -> Self {
        Self { client, label }
    }

    /// Returns the firing alerts in the scope, including silenced ones.
    pub async fn alerts(&self, reach: DataScope) -> Result<Vec<OutsideAlert>, UpstreamError> {
        let mut query = vec![("active", "true"), ("silenced", "true"), ("inhibited", "true")];
        let matcher;
        if let DataScope::Workspace(id) = reach {
            // An id needs no escaping: it has only hexadecimal digits and hyphens.
            matcher = format!("{}=\"{id}\"", self.label);
            query.push(("filter", &matcher));
        }
        let listed: Vec<Listed> = read(&self.client.get("api/v2/alerts", &query).await?)?;
        let alerts = listed.into_iter().map(|one| {
            let silenced = one.status.state == "suppressed";
            OutsideAlert { silenced, ..one.facts.alert(&self.label) }
        });
        // Filter again: the response may contain more than the filter of the request.
        Ok(alerts.filter(|alert| reach.holds(alert.workspace)).collect())
    }
}

impl Ping for Alertmanager {
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>> {
        Box::pin(async { self.client.get("api/v2/status", &[]).await.map(drop) })
    }
}

impl Facts {
    fn alert(self, label: &Label) -> OutsideAlert {
        let of = |from: &BTreeMap<String, String>, names: &[&str]| {
            names.iter().find_map(|name| from.get(*name)).filter(|text| !text.is_empty()).cloned()
        };
        let name = of(&self.labels, &["alertname"]).unwrap_or_default();
        let subject = of(&self.labels, &["service", "job", "instance"]).unwrap_or_else(|| name.clone());
        let summary = of(&self.annotations, &["summary", "description", "message"]).unwrap_or_default();
        OutsideAlert {
            fingerprint: cut(&self.fingerprint, SHORT),
            severity: of(&self.labels, &["severity"]).map(|text| cut(&text, SHORT)),
            name: cut(&name, SHORT),
            subject: cut(&subject, SHORT),
            summary: cut(&summary, LONG),
            since: self.starts_at,
            ended: None,
            silenced: false,
            workspace: self.labels.get(label.as_str()).and_then(|id| id.parse().ok()),
            labels: self
                .labels
                .into_iter()
                .take(MAX_LABELS)
                .map(|(name, value)| (cut(&name, SHORT), cut(&value, SHORT)))
                .collect(),
        }
    }
}

fn cut(text: &str, most: usize) -> String {
    // PostgreSQL does not store NUL in text.
    text.chars().filter(|c| *c != '\0').take(most).collect()
}
