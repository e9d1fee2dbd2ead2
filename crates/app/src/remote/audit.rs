//! `audit tail` and `audit export` over the API.

use super::{
    answer::{broken_off, fields},
    api::Api,
};
use crate::{
    commands::audit::text,
    failure::{Failure, Ran},
    output,
};

pub async fn tail(api: &Api, rows: usize) -> Result<Ran, Failure> {
    let found = api.list(&["v1", "audit"], &[], rows).await?;
    for row in found.iter().rev() {
        output::line(&text(&fields(row)?))?;
    }
    Ok(Ran::Done)
}

/// Prints the lines as they come, byte for byte.
pub async fn export(api: &Api, from: Option<&str>, to: Option<&str>, after_seq: i64) -> Result<Ran, Failure> {
    let after = after_seq.to_string();
    let mut query = vec![("after_seq", after.as_str())];
    query.extend(from.map(|from| ("from", from)));
    query.extend(to.map(|to| ("to", to)));
    let (mut response, url) = api.stream(&["v1", "audit", "export"], &query).await?;
    let mut parts = output::Parts::default();
    while let Some(part) = response.chunk().await.map_err(|error| broken_off(&url, error))? {
        if !parts.print(&part)? {
            return Ok(Ran::Done);
        }
    }
    parts.end()?;
    Ok(Ran::Done)
}
