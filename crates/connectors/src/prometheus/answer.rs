//! Parses Prometheus's responses into series of numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use toolcrib_model::Ts;

use crate::{UpstreamError, client::read};

/// The maximum number of series of a response. The rest is dropped.
const MAX_SERIES: usize = 500;
/// The maximum number of points of a response, over all series. The rest is dropped.
const MAX_POINTS: usize = 10_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The labels, sorted by name. `__name__` is the name of the metric.
    pub labels: BTreeMap<String, String>,
    /// The values, oldest first. One value for [`When::At`](super::When::At). A value may be NaN or infinite.
    pub points: Vec<(Ts, f64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeriesResult {
    /// The series, limited in number.
    pub series: Vec<Series>,
    /// The number of series in the response.
    pub in_all: usize,
}

#[derive(Deserialize)]
struct Envelope {
    status: String,
    data: Option<Data>,
}

#[derive(Deserialize)]
#[serde(tag = "resultType", content = "result", rename_all = "lowercase")]
enum Data {
    Vector(Vec<Instant>),
    Matrix(Vec<Range>),
    Scalar(Pair),
    // The result of a query that is a string literal. It contains no number.
    String(IgnoredAny),
}

/// Seconds since 1970 and a number as text.
type Pair = (f64, String);

#[derive(Deserialize)]
struct Instant {
    metric: BTreeMap<String, String>,
    // Native histograms have no value.
    value: Option<Pair>,
}

#[derive(Deserialize)]
struct Range {
    metric: BTreeMap<String, String>,
    #[serde(default)]
    values: Vec<Pair>,
}

impl SeriesResult {
    /// Parses the body of a response.
    pub(super) fn read(body: &[u8]) -> Result<Self, UpstreamError> {
        let envelope: Envelope = read(body)?;
        let Some(data) = envelope.data.filter(|_| envelope.status == "success") else {
            return Err(UpstreamError::Malformed("it says neither success nor why not".to_owned()));
        };
        let all: Vec<(BTreeMap<String, String>, Vec<Pair>)> = match data {
            Data::Vector(all) => all.into_iter().map(|one| (one.metric, Vec::from_iter(one.value))).collect(),
            Data::Matrix(all) => all.into_iter().map(|one| (one.metric, one.values)).collect(),
            Data::Scalar(one) => vec![(BTreeMap::new(), vec![one])],
            Data::String(_) => Vec::new(),
        };
        let in_all = all.len();
        let mut points = 0;
        let kept = all.into_iter().take(MAX_SERIES).take_while(|(_, values)| {
            points += values.len();
            points <= MAX_POINTS
        });
        let series = kept.map(|(labels, values)| series(labels, &values)).collect::<Result<_, _>>()?;
        Ok(Self { series, in_all })
    }
}

fn series(labels: BTreeMap<String, String>, values: &[Pair]) -> Result<Series, UpstreamError> {
    let points = values.iter().map(|(at, value)| {
        let value = value.parse().map_err(|_| UpstreamError::Malformed("a value is no number".to_owned()))?;
        Ok((moment(*at), value))
    });
    Ok(Series { labels, points: points.collect::<Result<_, UpstreamError>>()? })
}

/// Converts Prometheus's seconds to a time. Prometheus has millisecond precision, for which a 64-bit float is
/// exact enough.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a float that is too large becomes the last moment there is"
)]
fn moment(seconds: f64) -> Ts {
    Ts::from_micros(((seconds * 1_000.0).round() as i64).saturating_mul(1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_answer_is_read() {
        let read = |data: &str| {
            SeriesResult::read(format!(r#"{{"status":"success","data":{data}}}"#).as_bytes()).unwrap()
        };
        let vector = read(
            r#"{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1.5,"NaN"]},{"metric":{},"histogram":[1,{}]}]}"#,
        );
        assert_eq!((vector.in_all, vector.series[0].points[0].0), (2, Ts::from_micros(1_500_000)));
        assert!(vector.series[0].points[0].1.is_nan() && vector.series[1].points.is_empty());
        let matrix =
            read(r#"{"result":[{"metric":{},"values":[[1,"+Inf"],[2,"-3e2"]]}],"resultType":"matrix"}"#);
        let values: Vec<f64> = matrix.series[0].points.iter().map(|point| point.1).collect();
        assert_eq!(values, [f64::INFINITY, -300.0]);
        assert_eq!(
            read(r#"{"resultType":"scalar","result":[1,"7"]}"#).series[0].points,
            [(Ts::from_micros(1_000_000), 7.0)]
        );
        assert!(read(r#"{"resultType":"string","result":[1,"text"]}"#).series.is_empty());
    }

    #[test]
    fn whatever_else_is_malformed() {
        for body in [
            "",
            "<html>",
            "[]",
            r#"{"status":"success"}"#,
            r#"{"status":"error","data":{"resultType":"scalar","result":[1,"7"]}}"#,
            r#"{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"seven"]}]}}"#,
            r#"{"status":"success","data":{"resultType":"picture","result":[]}}"#,
        ] {
            assert!(
                matches!(SeriesResult::read(body.as_bytes()), Err(UpstreamError::Malformed(_))),
                "{body}"
            );
        }
    }

    #[test]
    fn a_flood_of_series_is_cut_and_counted() {
        let one = r#"{"metric":{},"values":[[1,"1"],[2,"2"]]}"#;
        let many = |count: usize| {
            let body = format!(
                r#"{{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}}"#,
                vec![one; count].join(",")
            );
            let found = SeriesResult::read(body.as_bytes()).unwrap();
            (found.series.len(), found.in_all)
        };
        assert_eq!(many(500), (500, 500));
        assert_eq!(many(501), (500, 501));
        let long = format!(r#"{{"metric":{{}},"values":[{}]}}"#, vec![r#"[1,"1"]"#; 6_000].join(","));
        let body =
            format!(r#"{{"status":"success","data":{{"resultType":"matrix","result":[{long},{long}]}}}}"#);
        let found = SeriesResult::read(body.as_bytes()).unwrap();
        assert_eq!((found.series.len(), found.in_all), (1, 2));
    }
}
