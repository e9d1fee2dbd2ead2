//! The address of the service. The token is sent there, so it is checked before a request is made.

use std::net::IpAddr;

use reqwest::Url;

use crate::failure::Failure;

/// Parses the address. The error does not repeat it, because it may contain a password.
pub fn parse(text: &str) -> Result<Url, Failure> {
    let wrong = |problem: &str| Failure::Usage(format!("`--url`: {problem}"));
    let url: Url = text.parse().map_err(|_| wrong("must be an address such as `https://tools.example`"))?;
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(&url) => {}
        "http" => {
            return Err(wrong("`http:` would send the token unencrypted to another machine; use `https:`"));
        }
        _ => return Err(wrong("must begin with `https:`")),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "must have no user and no password; the token comes from `TOOLCRIB_TOKEN` or `--token-file`",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must have no `?` and no `#`; a path is allowed"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn http_is_for_this_machine() {
        for url in [
            "https://tools.example",
            "https://tools.example:8443/prefix/",
            "http://127.0.0.1:8787",
            "http://127.9.9.9",
            "http://[::1]:1",
            "http://localhost:8787",
        ] {
            assert!(parse(url).is_ok(), "{url}");
        }
        for url in [
            "http://tools.example",
            "http://localhost.example",
            "http://127.0.0.1.example",
            "http://10.0.0.1",
            "http://[::ffff:127.0.0.1]",
            "http://0.0.0.0",
        ] {
            assert!(parse(url).unwrap_err().to_string().contains("use `https:`"), "{url}");
        }
    }

    #[test]
    fn nothing_but_a_path_is_in_it_and_no_password_is_repeated() {
        for url in [
            "https://ann:geheim@tools.example",
            "https://geheim@tools.example",
            "https://tools.example/?token=geheim",
            "https://tools.example/#geheim",
            "ftp://geheim.example",
            "geheim",
            "https://ann:geheim@",
            "",
        ] {
            let text = parse(url).unwrap_err().to_string();
            assert!(text.starts_with("`--url`: must") && !text.contains("geheim"), "{text}");
        }
    }
}
