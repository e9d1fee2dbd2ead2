//! The files of `web/`. A release has them in the binary; a debug build reads the folder at its start.

use std::{collections::BTreeMap, io::Write as _, sync::OnceLock};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use rust_embed::RustEmbed;
use sha2::{Digest as _, Sha256};

use crate::comments::without_comments;

/// The folder, without what only its authors need.
#[derive(RustEmbed)]
#[folder = "web/"]
#[exclude = "*.d.ts"]
#[exclude = "*.md"]
#[exclude = "*.json"]
struct Web;

/// The version in the address of the files for other sites.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file, and its compressed form after the first request for it.
struct Asset {
    content_type: &'static str,
    bytes: Bytes,
    gzipped: OnceLock<Bytes>,
}

/// The assets and the HTML pages.
pub struct Assets {
    /// The digest of all files, which is in the address of each.
    digest: String,
    files: BTreeMap<String, Asset>,
    pages: BTreeMap<String, String>,
}

impl Assets {
    /// Reads all files.
    pub fn load() -> Self {
        let (mut files, mut pages, mut hash) = (BTreeMap::new(), BTreeMap::new(), Sha256::new());
        let mut names: Vec<String> = Web::iter().map(std::borrow::Cow::into_owned).collect();
        names.sort_unstable();
        for name in names {
            let (Some(content_type), Some(file)) = (content_type(&name), Web::get(&name)) else { continue };
            if content_type == HTML {
                pages.insert(name, String::from_utf8_lossy(&file.data).into_owned());
                continue;
            }
            let bytes = served(&name, file.data.into_owned());
            hash.update(format!("{name}\0{}\0", bytes.len()));
            hash.update(&bytes);
            files.insert(name, Asset { content_type, bytes, gzipped: OnceLock::new() });
        }
        Self { digest: hex::encode(&hash.finalize()[..12]), files, pages }
    }

    /// Returns a page with the addresses of its assets.
    pub fn page(&self, name: &str) -> String {
        let page = self.pages.get(name).map_or("", String::as_str);
        page.replace("{{assets}}", &format!("/console/assets/{}", self.digest))
    }

    /// Returns the response with an asset, or `None` if there is none with this digest and path.
    pub fn response(&self, digest: &str, path: &str, asked: &HeaderMap) -> Option<Response> {
        (digest == self.digest).then(|| self.file(path, asked))?
    }

    /// Returns the response with a file for pages of other sites, or `None` if there is none with this version
    /// and path.
    pub fn embedded(&self, version: &str, path: &str, asked: &HeaderMap) -> Option<Response> {
        let mut response = (version == VERSION).then(|| self.file(path, asked))??;
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
        Some(response)
    }

    fn file(&self, path: &str, asked: &HeaderMap) -> Option<Response> {
        let asset = self.files.get(path)?;
        let gzip = accepts_gzip(asked);
        let bytes = if gzip { asset.gzipped.get_or_init(|| gzipped(&asset.bytes)) } else { &asset.bytes };
        let mut response = (StatusCode::OK, Body::from(bytes.clone())).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
        headers.insert(header::CACHE_CONTROL, IMMUTABLE);
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        Some(response)
    }
}

/// Returns what is served of a file: our own modules without their comments, which are a third of their size.
fn served(name: &str, bytes: Vec<u8>) -> Bytes {
    if content_type(name) != Some(JAVASCRIPT) || name.starts_with("vendor/") {
        return bytes.into();
    }
    String::from_utf8(bytes)
        .map_or_else(|error| error.into_bytes().into(), |text| without_comments(&text).into())
}

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript";

/// Returns the content type of a file that is served.
fn content_type(name: &str) -> Option<&'static str> {
    if name == "vendor/LICENSE" {
        return Some("text/plain; charset=utf-8");
    }
    match name.rsplit_once('.')?.1 {
        "js" => Some(JAVASCRIPT),
        "css" => Some("text/css"),
        "svg" => Some("image/svg+xml"),
        "html" => Some(HTML),
        _ => None,
    }
}

/// Whether the client accepts gzip. A quality of zero refuses it.
fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|one| {
        let mut parts = one.split(';').map(str::trim);
        let quality = |part: &str| {
            part.strip_prefix("q=").and_then(|text| text.parse::<f32>().ok()).is_some_and(|q| q <= 0.0)
        };
        parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip")) && !parts.any(quality)
    })
}

fn gzipped(bytes: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vendored_files_stay_as_they_are() {
        assert_eq!(served("vendor/lit.js", b"// licence\n".to_vec()), "// licence\n");
        assert_eq!(served("app.js", b"// what\n".to_vec()), "\n");
        assert_eq!(served("app.css", b"/** what */\n".to_vec()), "/** what */\n");
    }
}
