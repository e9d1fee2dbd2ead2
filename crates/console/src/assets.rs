//! The files of `web/`, which `build.rs` prepares and compresses.

use std::{collections::BTreeMap, io::Read as _, sync::OnceLock};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use flate2::read::GzDecoder;
use sha2::{Digest as _, Sha256};

/// The path of each file in `web/`, and its bytes as gzip.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The version in the address of the files for other sites.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// The policy of the pages.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types lit-html";
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file, and its bytes without compression after the first request for them.
struct Asset {
    content_type: &'static str,
    gzipped: &'static [u8],
    bytes: OnceLock<Bytes>,
}

/// The assets and the HTML pages.
pub struct Assets {
    /// The digest of all files, which is in the address of each.
    digest: String,
    files: BTreeMap<&'static str, Asset>,
    pages: BTreeMap<&'static str, String>,
}

impl Assets {
    /// Reads the pages, and makes the digest of the other files.
    pub fn load() -> Self {
        let (mut files, mut pages, mut hash) = (BTreeMap::new(), BTreeMap::new(), Sha256::new());
        for &(name, gzipped) in FILES {
            let Some(content_type) = content_type(name) else { continue };
            if content_type == HTML {
                pages.insert(name, String::from_utf8_lossy(&decompressed(gzipped)).into_owned());
                continue;
            }
            hash.update(format!("{name}\0{}\0", gzipped.len()));
            hash.update(gzipped);
            files.insert(name, Asset { content_type, gzipped, bytes: OnceLock::new() });
        }
        Self { digest: hex::encode(&hash.finalize()[..12]), files, pages }
    }

    /// Returns a page with the addresses of its assets.
    pub fn page(&self, name: &str) -> HtmlPage {
        let page = self.pages.get(name).map_or("", String::as_str);
        HtmlPage::new(page.replace("{{assets}}", &format!("/console/assets/{}", self.digest)))
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
        let bytes = if gzip {
            Bytes::from_static(asset.gzipped)
        } else {
            asset.bytes.get_or_init(|| decompressed(asset.gzipped)).clone()
        };
        let mut response = (StatusCode::OK, Body::from(bytes)).into_response();
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

const HTML: &str = "text/html; charset=utf-8";

/// A page with its tag. It is the same bytes for everybody.
pub struct HtmlPage {
    html: Bytes,
    tag: HeaderValue,
}

impl HtmlPage {
    fn new(html: String) -> Self {
        let tag = format!("\"{}\"", hex::encode(&Sha256::digest(&html)[..12]));
        let tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
        Self { html: html.into(), tag }
    }

    /// Returns the response, without a body if the client has the page.
    pub fn response(&self, asked: &HeaderMap) -> Response {
        let known = asked.get_all(header::IF_NONE_MATCH).iter().any(|tag| tag == self.tag);
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            (StatusCode::OK, self.html.clone()).into_response()
        };
        let headers = response.headers_mut();
        let set: [(HeaderName, &str); 3] = [
            (header::CONTENT_TYPE, HTML),
            (header::CACHE_CONTROL, "no-cache"),
            (header::CONTENT_SECURITY_POLICY, POLICY),
        ];
        for (name, value) in set {
            headers.insert(name, HeaderValue::from_static(value));
        }
        headers.insert(header::ETAG, self.tag.clone());
        response
    }
}

/// Returns the content type of a file that is served.
fn content_type(name: &str) -> Option<&'static str> {
    if name == "vendor/LICENSE" {
        return Some("text/plain; charset=utf-8");
    }
    match name.rsplit_once('.')?.1 {
        "js" => Some("text/javascript"),
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

fn decompressed(gzipped: &[u8]) -> Bytes {
    let mut bytes = Vec::new();
    // `build.rs` made the file, and reading from memory does not fail.
    let _ = GzDecoder::new(gzipped).read_to_end(&mut bytes);
    bytes.into()
}
