//! Reads what the operator's toolsets name for their upstreams: secrets and certificates. Makes the client that calls
//! them.

use std::{fs, path::Path, sync::Arc};

use secrecy::SecretString;
use toolcrib_config::Settings;
use toolcrib_connectors::upstream::{RootCertificates, UpstreamClient, UpstreamClientSettings};
use toolcrib_engine::upstreams::CatalogUpstream;
use toolcrib_toolset::{AuthKind, CheckedToolset, DeclaredUpstream, UpstreamAuth, wrong_secret};

use crate::failure::Failure;

/// Returns the upstreams of the toolsets with their secrets. A secret or a file that is missing or can't be used is an
/// error that names it, so that the service does not start with tools that can't be called.
pub fn read(toolsets: &[Arc<CheckedToolset>]) -> Result<Vec<Arc<CatalogUpstream>>, Failure> {
    let declared = toolsets.iter().flat_map(|toolset| {
        let upstreams = toolset.document.upstreams.iter().flatten();
        upstreams.map(move |upstream| (toolset.slug.as_str(), upstream))
    });
    declared.map(|(slug, upstream)| one(slug, upstream)).collect()
}

fn one(slug: &str, declared: &DeclaredUpstream) -> Result<Arc<CatalogUpstream>, Failure> {
    let name = declared.name.as_deref().unwrap_or_default();
    let failed = |problem: String| {
        Failure::Usage(format!("`--toolset`: the upstream `{name}` of `{slug}`: {problem}"))
    };
    let secret = declared.auth.as_ref().map(secret).transpose().map_err(&failed)?.flatten();
    let roots = declared.ca_file.as_deref().map(certificates).transpose().map_err(&failed)?;
    let upstream = CatalogUpstream::of_operator(slug, declared, secret, roots);
    upstream.map(Arc::new).ok_or_else(|| failed("a field is missing".into()))
}

/// Returns the operator's secret. `None` if the file names none, because requests have none or each user has their own.
fn secret(auth: &UpstreamAuth) -> Result<Option<SecretString>, String> {
    let (text, place) = match (&auth.env, &auth.file) {
        (Some(name), _) => (variable(name)?, format!("the environment variable `{name}`")),
        (None, Some(path)) => {
            let text =
                fs::read_to_string(path).map_err(|error| format!("`{path}` can't be read: {error}"))?;
            // Editors and `echo` end a file with a line break.
            (text.trim_end_matches(['\r', '\n']).to_owned(), format!("`{path}`"))
        }
        (None, None) => return Ok(None),
    };
    match wrong_secret(auth.kind.unwrap_or(AuthKind::None), &text) {
        Some(problem) => Err(format!("the secret in {place} {problem}")),
        None => Ok(Some(SecretString::from(text))),
    }
}

#[expect(clippy::disallowed_methods, reason = "a toolset names the variable, so no setting can")]
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("the environment variable `{name}` is not set, or is no text"))
}

fn certificates(path: &str) -> Result<RootCertificates, String> {
    let pem = fs::read(Path::new(path)).map_err(|error| format!("`{path}` can't be read: {error}"))?;
    RootCertificates::from_pem(&pem).map_err(|error| format!("`{path}` {error}"))
}

/// Returns the client that calls upstreams. It never calls this service itself.
pub fn client(settings: &Settings, public_url: &str) -> Result<UpstreamClient, Failure> {
    let own = public_url.split_once("://").map_or(public_url, |(_, rest)| rest);
    let own = own.split('/').next().unwrap_or(own).to_owned();
    let settings =
        UpstreamClientSettings { allowed_hosts: settings.upstream_hosts.clone(), own_hosts: vec![own] };
    UpstreamClient::new(settings).map_err(|error| Failure::could_not("can't call upstreams", error))
}
