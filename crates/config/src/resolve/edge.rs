//! The settings for clients and their proxies.

use secrecy::SecretString;
use toolcrib_model::{Network, ProxyHeader};

use super::values::Values;
use crate::ConfigError;

/// The settings for clients and their proxies. [`crate::TABLE`] describes each.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "described in the table")]
pub struct EdgeSettings {
    pub trusted_proxies: Vec<Network>,
    pub proxy_header: ProxyHeader,
    pub metrics_token: Option<SecretString>,
    pub max_connections: u32,
    pub header_seconds: u32,
    pub body_seconds: u32,
    pub idle_seconds: u32,
    pub write_seconds: u32,
    pub streams_per_principal: u32,
    pub streams_per_workspace: u32,
    pub connector_proxy: Option<SecretString>,
    pub embed_origins: Vec<String>,
}

const HOUR: u32 = 3_600;

/// Parses these settings. Returns the first error.
pub(super) fn settings(values: &Values<'_>) -> Result<EdgeSettings, ConfigError> {
    let settings = EdgeSettings {
        trusted_proxies: proxies(values)?,
        proxy_header: match values.text("proxy_header")?.as_str() {
            "x-forwarded-for" => ProxyHeader::XForwardedFor,
            "forwarded" => ProxyHeader::Forwarded,
            _ => return Err(values.wrong("proxy_header", "must be x-forwarded-for or forwarded")),
        },
        metrics_token: values.secret("metrics_token"),
        max_connections: values.number("max_connections", 1_000_000)?,
        header_seconds: values.number("header_seconds", HOUR)?,
        body_seconds: values.number("body_seconds", HOUR)?,
        idle_seconds: values.number("idle_seconds", HOUR)?,
        write_seconds: values.number("write_seconds", HOUR)?,
        streams_per_principal: values.number("streams_per_principal", 100_000)?,
        streams_per_workspace: values.number("streams_per_workspace", 1_000_000)?,
        connector_proxy: values.url("connector_proxy")?.map(SecretString::from),
        embed_origins: origins(values)?,
    };
    values.check_token("metrics_token", settings.metrics_token.as_ref())?;
    Ok(settings)
}

fn proxies(values: &Values<'_>) -> Result<Vec<Network>, ConfigError> {
    let list = values.list("trusted_proxies");
    let read = list.iter().map(|text| {
        let wrong = |problem| values.wrong("trusted_proxies", &format!("{problem}, not `{text}`"));
        text.parse().map_err(wrong)
    });
    read.collect()
}

/// Parses origins in the form in which browsers send them in `Origin`.
fn origins(values: &Values<'_>) -> Result<Vec<String>, ConfigError> {
    let list = values.list("embed_origins");
    for text in &list {
        let url = url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "https" | "http"));
        if url.is_none_or(|url| url.origin().ascii_serialization() != *text) {
            let problem = format!("must be origins, such as https://app.example, not `{text}`");
            return Err(values.wrong("embed_origins", &problem));
        }
    }
    Ok(list)
}
