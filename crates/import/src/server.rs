//! The base URL of the service.

use serde_json::Value;
use toolcrib_toolset::quoted;
use url::Url;

/// Returns the base URL of the first server that has an absolute one.
pub fn first_server(document: &Value) -> Option<String> {
    let servers = document.get("servers").and_then(Value::as_array)?;
    servers.iter().find_map(server_url)
}

/// Returns the base URL of a server, with the defaults of its variables.
pub fn server_url(server: &Value) -> Option<String> {
    let mut url = server.get("url").and_then(Value::as_str)?.to_owned();
    let variables = server.get("variables").and_then(Value::as_object);
    for (name, variable) in variables.into_iter().flatten().take(20) {
        let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), default);
        if url.len() > 2_000 {
            return None;
        }
    }
    base_url(&url).ok()
}

/// Returns a URL in the form that an upstream needs: normal, and ending with `/`.
pub fn base_url(text: &str) -> Result<String, String> {
    let shown = quoted(text);
    let Ok(mut url) = Url::parse(text) else {
        return Err(format!("{shown} must be a URL such as `https://api.example/v2/`"));
    };
    let is_web =
        matches!(url.scheme(), "https" | "http") && url.host_str().is_some_and(|host| !host.is_empty());
    if !is_web || text.contains(['{', '}', '\\']) {
        return Err(format!("{shown} must begin with `https://` and a host"));
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || text.contains('@') {
        return Err(format!("{shown} must not have a credential or a query"));
    }
    url.set_fragment(None);
    let path = format!("{}/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    let base = url.to_string();
    if base.len() > 2_000 { Err(format!("{shown} is longer than 2000 characters")) } else { Ok(base) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_is_absolute_and_has_its_variables() {
        let document = json!({ "servers": [
            { "url": "/v1" },
            { "url": "https://{region}.API.example/v{n}", "variables": {
                "region": { "default": "eu" }, "n": { "default": "2" } } }
        ] });
        assert_eq!(first_server(&document).as_deref(), Some("https://eu.api.example/v2/"));
        assert_eq!(base_url("https://a.example").as_deref(), Ok("https://a.example/"));
        for wrong in
            ["", "/v1", "ftp://a.example", "https://{x}.example", "https://u:p@a.example", "https://a?x=1"]
        {
            assert!(base_url(wrong).is_err(), "{wrong}");
        }
        assert_eq!(first_server(&json!({ "servers": [1, {}] })), None);
    }
}
