//! The deliveries of Alertmanager's webhook.

use serde::Deserialize;
use toolcrib_model::Ts;

use super::{Facts, OutsideAlert};
use crate::{Label, UpstreamError, client::read};

/// The only version of the webhook's message format.
const VERSION: &str = "4";

#[derive(Deserialize)]
struct Message {
    version: String,
    alerts: Vec<Told>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    #[serde(flatten)]
    facts: Facts,
    status: Status,
    ends_at: Option<Ts>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Firing,
    Resolved,
}

/// Parses the body of a message, and returns its firing and its ended alerts. `label` is the label that contains the
/// workspace's id. An ended alert without an end time gets the end time `now`.
pub fn delivered(body: &[u8], label: &Label, now: Ts) -> Result<Vec<OutsideAlert>, UpstreamError> {
    let message: Message = read(body)?;
    if message.version != VERSION {
        return Err(UpstreamError::Malformed(format!(
            "it is of version `{}`, not {VERSION}",
            message.version
        )));
    }
    let alerts = message.alerts.into_iter().map(|told| {
        let ended = (told.status == Status::Resolved).then(|| told.ends_at.unwrap_or(now));
        OutsideAlert { ended, ..told.facts.alert(label) }
    });
    Ok(alerts.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Ts = Ts::from_micros(1_768_471_200_000_000);

    fn read(body: &str) -> Result<Vec<OutsideAlert>, UpstreamError> {
        delivered(body.as_bytes(), &"workspace".parse().unwrap(), NOW)
    }

    #[test]
    fn a_message_is_read() {
        let delivery = read(
            r#"{"version":"4","groupKey":"{}:{}","status":"firing","receiver":"toolcrib","groupLabels":{},
            "commonLabels":{},"commonAnnotations":{},"externalURL":"http://am","truncatedAlerts":0,"alerts":[
            {"status":"firing","labels":{"alertname":"Slow","severity":"warning","job":"api",
              "workspace":"0197a000-0000-7000-8000-00000000000a"},"annotations":{"summary":"too slow"},
              "startsAt":"2026-01-15T09:00:00.5Z","endsAt":"0001-01-01T00:00:00Z","generatorURL":"","fingerprint":"f1"},
            {"status":"resolved","labels":{"alertname":"Gone","workspace":"not an id"},"annotations":{},
              "startsAt":"2026-01-15T08:00:00Z","endsAt":"2026-01-15T09:30:00Z","generatorURL":"","fingerprint":"f2"}]}"#,
        );
        let [slow, gone] = <[_; 2]>::try_from(delivery.unwrap()).unwrap();
        assert_eq!(
            (slow.name.as_str(), slow.severity.as_deref(), slow.ended),
            ("Slow", Some("warning"), None)
        );
        assert_eq!((slow.subject.as_str(), slow.summary.as_str()), ("api", "too slow"));
        assert!(slow.workspace.is_some());
        assert_eq!((gone.ended, gone.workspace), (Some(NOW.plus_seconds(-1_800)), None));
        assert_eq!((gone.subject.as_str(), gone.severity), ("Gone", None));
    }

    #[test]
    fn texts_and_labels_are_cut() {
        let labels: Vec<String> = (0..200).map(|n| format!(r#""l{n}":"{}""#, "ü".repeat(300))).collect();
        let body = format!(
            r#"{{"version":"4","alerts":[{{"status":"firing","labels":{{{},"alertname":"{}"}},"annotations":
            {{"summary":"{}\u0000"}},"startsAt":"2026-01-15T09:00:00Z","fingerprint":"f"}}]}}"#,
            labels.join(","),
            "n".repeat(300),
            "s".repeat(3_000),
        );
        let alert = read(&body).unwrap().remove(0);
        assert_eq!((alert.name.len(), alert.summary.len(), alert.labels.len()), (SHORT_NAME, 2_000, 64));
        assert!(alert.labels.values().all(|value| value.chars().count() <= SHORT_NAME));
    }

    const SHORT_NAME: usize = 200;

    #[test]
    fn whatever_else_is_refused() {
        for body in [
            "",
            "[]",
            r#"{"version":"3","alerts":[]}"#,
            r#"{"version":"4"}"#,
            r#"{"version":"4","alerts":[{}]}"#,
        ] {
            assert!(matches!(read(body), Err(UpstreamError::Malformed(_))), "{body}");
        }
    }
}
