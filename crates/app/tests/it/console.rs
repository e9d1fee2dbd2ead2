//! The console of the binary: its pages, and links that sign in.

use reqwest::{Client, StatusCode, header};

use crate::binary::{Server, done, folder, refused};

/// The code of the link that the demo printed first, not counting the log.
fn printed_code(text: &str) -> &str {
    let logged = |line: &str| [" DEBUG ", " INFO ", " WARN "].iter().any(|level| line.contains(level));
    let line = text.lines().find(|line| !line.is_empty() && !logged(line)).unwrap();
    let (address, code) = line.split_once("/console/login#code=").unwrap();
    assert!(address.starts_with("open http://127.0.0.1:"), "{line}");
    code
}

/// Signs in with a code, as the sign-in page does. Returns the cookie.
async fn sign_in(server: &Server, code: &str) -> Result<String, StatusCode> {
    let asked = Client::new().post(format!("{}/console/session", server.base()));
    let reply = asked.header("Sec-Fetch-Site", "same-origin").bearer_auth(code).send().await.unwrap();
    if reply.status() != StatusCode::NO_CONTENT {
        return Err(reply.status());
    }
    let cookie = reply.headers()[header::SET_COOKIE].to_str().unwrap();
    Ok(cookie.split(';').next().unwrap().to_owned())
}

async fn who(server: &Server, cookie: &str) -> String {
    let asked = Client::new().get(format!("{}/v1/me", server.base()));
    let asked = asked.header("Sec-Fetch-Site", "same-origin").header("Cookie", cookie);
    let me: serde_json::Value = asked.send().await.unwrap().json().await.unwrap();
    me["user"]["subject"].as_str().unwrap_or_default().to_owned()
}

/// Checks a demo that logs everything, for the test of `secrets.rs`.
pub async fn the_demo_prints_a_link_that_signs_its_owner_in_once(server: &Server) {
    let printed = server.text();
    let code = printed_code(&printed);
    let cookie = sign_in(server, code).await.unwrap();
    assert_eq!(who(server, &cookie).await, "owner");
    assert_eq!(sign_in(server, code).await, Err(StatusCode::UNAUTHORIZED));
    let page = reqwest::get(server.base()).await.unwrap();
    assert_eq!((page.status(), page.url().path()), (StatusCode::OK, "/console/"));
    // The code is printed for the person, and in no line of the log.
    assert_eq!(server.text().matches(code).count(), 1);
}

#[tokio::test]
async fn the_command_line_makes_links_of_the_local_issuer() {
    let folder = folder();
    let data = folder.path().join("data");
    let data = data.to_str().unwrap();
    done(&["migrate", "--data-dir", data]);
    done(&["workspace", "create", "Shop", "--owner", "somebody", "--data-dir", data]);
    let server = Server::start(folder.path(), &[]);
    let address = server.base().replace("http://", "");
    let link = done(&["console", "link", "--user", "somebody", "--data-dir", data, "--bind", &address]);
    let (base, code) = link.trim().split_once("/console/login#code=").unwrap();
    assert_eq!(base, server.base());
    let cookie = sign_in(&server, code).await.unwrap();
    assert_eq!(who(&server, &cookie).await, "somebody");
    let public = ["--public-url", "https://tools.example", "--data-dir", data];
    let link = done(&[&["console", "link", "--user", "somebody"], &public[..]].concat());
    assert!(link.starts_with("https://tools.example/console/login#code="), "{link}");
    let provider = ["--jwks-url", "https://x.test", "--issuer", "x", "--audience", "y", "--data-dir", data];
    let text = refused(&[&["console", "link", "--user", "somebody"], &provider[..]].concat(), 2);
    assert!(text.contains("identity provider"), "{text}");
    assert_eq!(server.stop(), Some(0));
}
