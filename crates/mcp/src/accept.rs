//! The header `Accept`. The transport demands that both media types are named; many clients name one of them, a range,
//! or nothing, and take the response that they get.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::Response,
};

/// What the transport demands.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
/// The media types and ranges of which one is enough.
const ENOUGH: [&str; 5] = ["application/json", "text/event-stream", "application/*", "text/*", "*/*"];

/// Middleware that lets a client that accepts one of the media types accept both (RFC 9110, 12.5.1).
pub async fn accept_either(mut request: Request, next: Next) -> Response {
    if is_enough(request.headers()) {
        request.headers_mut().insert(header::ACCEPT, BOTH);
    }
    next.run(request).await
}

fn is_enough(headers: &HeaderMap) -> bool {
    let mut lines = headers.get_all(header::ACCEPT).iter().peekable();
    lines.peek().is_none() || lines.any(|line| line.to_str().is_ok_and(|line| line.split(',').any(accepts)))
}

/// Returns whether an element of the list is one of the media types, with a weight above 0.
fn accepts(element: &str) -> bool {
    let mut parts = element.split(';').map(|part| part.trim().to_ascii_lowercase());
    let is_named = parts.next().is_some_and(|kind| ENOUGH.contains(&kind.as_str()));
    let weight = parts.find_map(|part| part.strip_prefix("q=").map(|weight| weight.trim().parse::<f32>()));
    is_named && !matches!(weight, Some(Ok(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_type_with_a_weight_is_enough() {
        for enough in ["*/*", "text/html, APPLICATION/JSON;q=0.1", "application/* ; q=1", "text/event-stream"]
        {
            assert!(enough.split(',').any(accepts), "{enough}");
        }
        for other in
            ["", "text/html", "application/json;q=0", "application/json; q=0.000", "application/jsonx"]
        {
            assert!(!other.split(',').any(accepts), "{other}");
        }
    }
}
