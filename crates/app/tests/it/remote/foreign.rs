//! Answers of what is not the service: redirects, pages, overload, and what is too large.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread::JoinHandle,
};

use super::said;
use crate::binary::toolcrib;

const TOKEN: &str = "geheim-4711";

/// A server that answers one request with these bytes, and returns the request's head.
fn answering(answer: Vec<u8>) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = Vec::new();
        while !head.windows(4).any(|end| end == b"\r\n\r\n") {
            let mut part = [0; 4_096];
            let read = stream.read(&mut part).unwrap();
            head.extend_from_slice(&part[..read]);
        }
        // A client that has read enough closes the connection.
        drop(stream.write_all(&answer));
        String::from_utf8(head).unwrap()
    });
    (base, thread)
}

fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}", body.len())
        .into_bytes()
}

/// Runs a command against such a server. Returns its code, what it said, and the request's head.
fn asked(args: &[&str], answer: Vec<u8>) -> (i32, String, String) {
    let (base, thread) = answering(answer);
    let url = format!("{base}/behind/a/proxy");
    let output = toolcrib().env("TOOLCRIB_TOKEN", TOKEN).args(args).args(["--url", &url]).output().unwrap();
    let text = said(&output);
    assert!(!text.contains(TOKEN), "{text}");
    (output.status.code().unwrap(), text, thread.join().unwrap())
}

#[test]
fn a_path_before_that_of_the_api_is_kept() {
    let pack = r#"{"slug":"game","enabled":true,"changed":true}"#;
    let (code, text, head) = asked(&["packs", "on", "a b/../c?d"], response("200 OK", "", pack));
    assert_eq!((code, text.as_str()), (0, "the pack `game` is on\n"));
    assert!(head.starts_with("PATCH /behind/a/proxy/v1/packs/a%20b%2F..%2Fc%3Fd HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("authorization: Bearer {TOKEN}\r\n")), "{head}");
}

#[test]
fn a_redirect_is_not_followed() {
    let (target, other) = answering(Vec::new());
    for status in ["301 Moved Permanently", "307 Temporary Redirect"] {
        let location = format!("Location: {target}/\r\n");
        let (code, text, _) = asked(&["packs", "list"], response(status, &location, ""));
        assert_eq!(code, 3, "{text}");
        assert!(text.contains("redirect") && text.contains("name the address itself with `--url`"), "{text}");
    }
    assert!(!other.is_finished(), "somebody asked the other address");
}

#[test]
fn what_is_not_the_api_is_named_and_not_printed() {
    let page = "<html>\u{1b}[2J a page of a proxy</html>";
    for status in ["200 OK", "404 Not Found", "502 Bad Gateway"] {
        let (code, text, _) = asked(&["packs", "list"], response(status, "", page));
        assert_eq!(code, 3, "{text}");
        assert!(
            text.contains("/behind/a/proxy/v1/packs` answered with status ") && text.contains(&status[..3]),
            "{text}"
        );
        assert!(!text.contains("page of a proxy") && text.lines().count() == 1, "{text}");
    }
    let (code, text, _) = asked(&["packs", "list"], response("200 OK", "", r#"{"items":[{"slug":7}]}"#));
    assert!(code == 3 && text.contains("not that of this version of the API"), "{text}");
    let large = "x".repeat(17 << 20);
    let (code, text, _) = asked(&["packs", "list"], response("200 OK", "", &large));
    assert!(code == 3 && text.contains("answered more than 16777216 bytes (status 200)"), "{text}");
    // An export that ends before its end is not taken for the whole.
    let cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"seq\":1}\n{\"seq\"".to_vec();
    let (code, text, _) = asked(&["audit", "export"], cut);
    assert!(code == 3 && text.starts_with("{\"seq\":1}\n") && text.contains("broke off"), "{text}");
}

#[test]
fn overload_is_told_with_the_time_to_wait_and_nothing_is_repeated() {
    let problem = r#"{"code":"rate_limited","detail":"too\u001b[2J many calls","hint":"wait","errors":[]}"#;
    for status in ["429 Too Many Requests", "503 Service Unavailable"] {
        let answer = response(status, "Retry-After: 17\r\n", problem);
        let (code, text, _) = asked(&["packs", "off", "game"], answer);
        assert_eq!(code, 3, "{text}");
        assert!(
            text.contains("too\\u{1b}[2J many calls; wait; ") && text.contains("try again in 17 seconds"),
            "{text}"
        );
    }
    // What is not answered may have been done.
    let (code, text, _) = asked(&["packs", "off", "game"], Vec::new());
    assert!(code == 3 && text.contains("whether the change was made is unknown"), "{text}");
    let output = toolcrib()
        .env("TOOLCRIB_TOKEN", TOKEN)
        .args(["packs", "off", "game", "--url", "http://127.0.0.1:1"])
        .output()
        .unwrap();
    let text = said(&output);
    assert!(
        output.status.code() == Some(3) && text.contains("can't be reached") && !text.contains("unknown"),
        "{text}"
    );
}

#[test]
fn characters_that_would_change_a_terminal_are_shown_as_code_points() {
    let pack = r#"{"slug":"ga\u001b[2Jme","enabled":false,"changed":true}"#;
    let (_, text, _) = asked(&["packs", "off", "game"], response("200 OK", "", pack));
    assert_eq!(text, "the pack `ga\\u{1b}[2Jme` is off\n");
}
