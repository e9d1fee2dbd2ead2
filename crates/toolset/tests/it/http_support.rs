//! Mappings, their requests and their responses.

use serde_json::{Value, json};
use toolcrib_toolset::{
    HttpMapping, RequestDefect, ResponseMapping, ShapedResponse, UpstreamRequest, build_request,
    shape_response,
};
use url::Url;

pub const BASE: &str = "https://api.example:8443/v2/";

pub fn mapping(fields: &Value) -> HttpMapping {
    let mut mapping = json!({ "upstream": "helpdesk", "method": "POST", "path": "" });
    for (key, value) in fields.as_object().unwrap() {
        mapping[key] = value.clone();
    }
    serde_json::from_value(mapping).unwrap()
}

/// The request of a mapping, with arguments, at [`BASE`].
pub fn request(fields: &Value, arguments: &Value) -> Result<UpstreamRequest, RequestDefect> {
    build_request(&mapping(fields), &Url::parse(BASE).unwrap(), arguments)
}

pub fn body(fields: &Value, arguments: &Value) -> Option<String> {
    request(fields, arguments).unwrap().body.map(|body| String::from_utf8(body.bytes).unwrap())
}

pub fn url(fields: &Value, arguments: &Value) -> String {
    String::from(request(fields, arguments).unwrap().url).strip_prefix(BASE).unwrap().to_owned()
}

/// The data of a response, shaped by the fields of a mapping.
pub fn shaped(fields: &Value, content_type: &str, body: &str) -> ShapedResponse {
    let mapping: ResponseMapping = serde_json::from_value(fields.clone()).unwrap();
    shape_response(Some(&mapping), Some(content_type), body.as_bytes())
}
