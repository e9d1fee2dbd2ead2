//! Alertmanager: the alerts that fire, by its API, and those that its webhook delivers.

mod delivery;

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use secrecy::SecretString;
use serde::Deserialize;
use toolcrib_model::{Id, Ts};

pub use delivery::Delivery;

use crate::{Client, Label, RequestLimits, UpstreamError, client::read, embedded::DataScope, ping::Ping};

/// The most labels of an alert that are kept.
const MOST_LABELS: usize = 64;
/// How many characters of a label or a name are kept.
const SHORT: usize = 200;
/// How many characters of a summary are kept.
const LONG: usize = 2_000;

/// An alert as Alertmanager tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideAlert {
    /// The same for the same labels.
    pub fingerprint: String,
    /// The rule.
    pub name: String,
    /// As the label `severity` says.
    pub severity: Option<String>,
    /// What it is about: the first that there is of the labels `service`, `job`, `instance`.
    pub subject: String,
    /// As the annotations say.
    pub summary: String,
    /// Its labels, cut.
    pub labels: BTreeMap<String, String>,
    /// Since when.
    pub since: Ts,
    /// Until when; absent while it fires.
    pub ended: Option<Ts>,
    /// Nobody is told: it is silenced or inhibited.
    pub silenced: bool,
    /// Whose it is, by the workspace's label.
    pub workspace: Option<Id>,
}

/// One Alertmanager.
#[derive(Clone, Debug)]
pub struct Alertmanager {
    client: Client,
    label: Label,
}

/// What the API and the webhook write alike.
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
    /// At the operator's base URL; `label` tells workspaces apart in its alerts.
    pub fn new(url: &str, token: Option<SecretString>, label: Label) -> Result<Self, UpstreamError> {
        Ok(Self { client: Client::new(url, token, RequestLimits::USUAL)?, label })
    }

    /// The same through the operator's HTTP proxy.
    pub fn through(self, proxy: &str) -> Result<Self, UpstreamError> {
        Ok(Self { client: self.client.through(proxy)?, ..self })
    }

    /// The alerts within reach that fire now, silenced ones too.
    pub async fn alerts(&self, reach: DataScope) -> Result<Vec<OutsideAlert>, UpstreamError> {
        let mut query = vec![("active", "true"), ("silenced", "true"), ("inhibited", "true")];
        let matcher;
        if let DataScope::Workspace(id) = reach {
            // An id is made of hexadecimal digits and hyphens.
            matcher = format!("{}=\"{id}\"", self.label);
            query.push(("filter", &matcher));
        }
        let listed: Vec<Listed> = read(&self.client.get("api/v2/alerts", &query).await?)?;
        let alerts = listed.into_iter().map(|one| {
            let silenced = one.status.state == "suppressed";
            OutsideAlert { silenced, ..one.facts.alert(&self.label) }
        });
        // What was asked for was limited; what came back is looked at all the same.
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
                .take(MOST_LABELS)
                .map(|(name, value)| (cut(&name, SHORT), cut(&value, SHORT)))
                .collect(),
        }
    }
}

fn cut(text: &str, most: usize) -> String {
    // A database keeps no NUL.
    text.chars().filter(|c| *c != '\0').take(most).collect()
}
