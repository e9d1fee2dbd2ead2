//! Compares the settings of the identity provider with its keys and its metadata (`OpenID` Connect Discovery 1.0).

use serde::Deserialize;
use toolcrib_auth::KeySet;
use toolcrib_config::Settings;
use toolcrib_model::visible;

use super::Finding;
use crate::services::provider_client;

/// Fetches both from the provider at the same time. Each answer has a time limit of five seconds.
pub async fn check(settings: &Settings) -> Vec<Finding> {
    let (Some(keys_url), Some(issuer)) = (&settings.jwks_url, &settings.issuer) else { return Vec::new() };
    let (keys, metadata) = tokio::join!(fetch(settings, "--jwks-url", keys_url), metadata(settings, issuer));
    let mut findings = vec![match keys.and_then(|body| KeySet::parse(&body).map_err(str::to_owned)) {
        Ok(_) => Finding::new(true, "the identity provider's keys can be read"),
        Err(why) => Finding::new(false, format!("no user token can be verified: `--jwks-url`: {why}")),
    }];
    match metadata {
        Ok(metadata) => findings.extend(compare(&metadata, issuer, keys_url)),
        Err(why) => findings.push(Finding::note(format!(
            "`--issuer` can't be compared with the identity provider's metadata, without which nobody can sign in to the \
             console: {why}"
        ))),
    }
    findings
}

async fn fetch(settings: &Settings, flag: &'static str, url: &str) -> Result<Vec<u8>, String> {
    let client = provider_client(settings, flag, url).map_err(|failure| failure.to_string())?;
    client.fetch().await.map_err(|error| error.to_string())
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: Option<String>,
}

async fn metadata(settings: &Settings, issuer: &str) -> Result<Metadata, String> {
    let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    let body = fetch(settings, "--issuer", &url).await?;
    serde_json::from_slice(&body).map_err(|error| format!("its metadata can't be read: {error}"))
}

fn compare(metadata: &Metadata, issuer: &str, keys_url: &str) -> Vec<Finding> {
    let mut findings = vec![if metadata.issuer == issuer {
        Finding::new(true, "the identity provider's metadata has the issuer of `--issuer`")
    } else {
        Finding::new(
            false,
            format!(
                "the issuer in the identity provider's metadata is `{}`, to the last slash: set `--issuer` to it",
                visible(&metadata.issuer)
            ),
        )
    }];
    if let Some(uri) = metadata.jwks_uri.as_deref().filter(|uri| *uri != keys_url) {
        findings.push(Finding::note(format!(
            "`--jwks-url` is not the `jwks_uri` of the identity provider's metadata, which is `{}`",
            visible(uri)
        )));
    }
    findings
}
