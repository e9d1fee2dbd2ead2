//! The header `Retry-After`.

use std::time::Duration;

use httpdate::parse_http_date;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

/// Returns the seconds that a response asks to wait: `Retry-After` as seconds, also with a fraction, or as a date. The
/// date is compared with that of the response, which every server with a clock sends, so that the clocks need not
/// agree.
pub fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let header = |name: HeaderName| headers.get(name)?.to_str().ok().map(str::trim);
    let wait = header(RETRY_AFTER)?;
    if let Ok(seconds) = wait.parse() {
        let wait = Duration::try_from_secs_f64(seconds).ok()?;
        return Some(wait.as_secs() + u64::from(wait.subsec_nanos() > 0));
    }
    let (until, now) = (parse_http_date(wait).ok()?, parse_http_date(header(DATE)?).ok()?);
    Some(until.duration_since(now).unwrap_or_default().as_secs())
}
