//! Answers of what is not the service: redirects, pages, overload, and what is too large.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread::JoinHandle,
};

use super::said;
use crate::binary::toolcrib;

const TOKEN: &str = "geheim-4711";

/// A server that answers one request after the other with these bytes, and returns their heads.
pub fn answering<const N: usize>(answers: [Vec<u8>; N]) -> (String, JoinHandle<[String; N]>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let answer = move |answer: Vec<u8>| {
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
    };
    (base, std::thread::spawn(move || answers.map(answer)))
}

pub fn response(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}", body.len())
        .into_bytes()
}

/// Runs a command against such a server. Returns its code, what it said, and the request's head.
fn asked(args: &[&str], answer: Vec<u8>) -> (i32, String, String) {
    let (code, text, [head]) = asked_in_turn(args, [answer]);
    (code, text, head)
}

/// Runs a command that makes exactly so many requests.
fn asked_in_turn<const N: usize>(args: &[&str], answers: [Vec<u8>; N]) -> (i32, String, [String; N]) {
    let (base, thread) = answering(answers);
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
    let (code, text, head) =
        asked(&["packs", "--workspace", "w", "on", "game"], response("200 OK", "", pack));
    assert!(code == 0 && head.contains("x-workspace-id: w\r\n"), "{text}{head}");
}

#[test]
fn a_redirect_is_not_followed() {
    let (target, other) = answering([Vec::new()]);
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
    for (status, wait, told) in [
        ("429 Too Many Requests", "Retry-After: 17\r\n", "try again in 17 seconds ("),
        ("503 Service Unavailable", "Retry-After: 1\r\n", "try again in 1 second ("),
    ] {
        let answer = response(status, wait, problem);
        let (code, text, _) = asked(&["packs", "off", "game"], answer);
        assert_eq!(code, 3, "{text}");
        assert!(text.contains("too\\u{1b}[2J many calls; wait; ") && text.contains(told), "{text}");
    }
}

#[test]
fn a_change_without_an_answer_may_have_been_made() {
    let large = "x".repeat(17 << 20);
    let page = "<html>a page of a proxy</html>";
    for answer in [
        Vec::new(),
        response("502 Bad Gateway", "", page),
        response("504 Gateway Timeout", "", page),
        response("200 OK", "", page),
        response("200 OK", "", "{}"),
        response("200 OK", "", &large),
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"slug".to_vec(),
    ] {
        let is_gateway = answer.starts_with(b"HTTP/1.1 50");
        let key = ["key", "create", "--name", "x", "--scopes", "*:read"];
        for args in [&["packs", "off", "game"][..], &key, &["approvals", "deny", "x"]] {
            let (code, text, _) = asked(args, answer.clone());
            assert!(code == 3 && text.contains("; whether the change was made is unknown"), "{text}");
            assert!(!is_gateway || !text.contains("is it the address of the service?"), "{text}");
        }
    }
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

#[test]
fn a_list_ends() {
    let page = |cursor: &str| response("200 OK", "", &format!(r#"{{"items":[7],"next_cursor":{cursor}}}"#));
    let (code, text, [_, second]) = asked_in_turn(&["key", "list"], [page(r#""c""#), page(r#""c""#)]);
    assert!(code == 3 && text.contains("the list of `v1/keys` does not end"), "{text}");
    assert!(second.contains("?limit=100&cursor=c "), "{second}");
    let pages: [_; 100] = std::array::from_fn(|at| page(&format!("\"{at}\"")));
    let (code, text, _) = asked_in_turn(&["key", "list"], pages);
    assert!(code == 3 && text.contains("does not end after 100 items"), "{text}");
    let (code, _, head) = asked(
        &["audit", "tail", "--rows", "7"],
        response("200 OK", "", r#"{"items":[],"next_cursor":null}"#),
    );
    assert!(code == 0 && head.contains("?limit=7 "), "{head}");
}

#[test]
fn what_an_address_drops_is_refused() {
    for slug in ["", ".", "..", "ga\nme", "\t.."] {
        let mut command = toolcrib();
        command.env("TOOLCRIB_TOKEN", TOKEN).args(["packs", "on", slug, "--url", "http://127.0.0.1:1"]);
        let output = command.output().unwrap();
        let text = said(&output);
        assert!(output.status.code() == Some(2) && text.contains("` is not a name or an id"), "{text}");
    }
}

fn confirmation(level: &str) -> Vec<u8> {
    let id = "0198b2f0-0000-7000-8000-000000000001";
    let time = "2026-01-31T09:00:00Z";
    let confirmation = serde_json::json!({
        "id": id, "status": "pending", "action": "delete", "description": "Delete `Ann`", "level": level,
        "phrase": "Ann", "summary": [], "more": 0, "arguments": {"a": 1}, "created_at": time,
        "expires_at": time, "requester": {"kind": "user", "id": id}, "approve_url": "/",
        "can_decide": {"allowed": true, "needs_sign_in": false},
    });
    response("200 OK", "", &confirmation.to_string())
}

#[test]
fn an_approval_whose_call_fails_is_not_wrong_usage() {
    let problem = r#"{"code":"not_found","detail":"no such task"}"#;
    let refused = || response("404 Not Found", "", problem);
    let approve = ["approvals", "approve", "x", "--yes"];
    let (code, text, _) = asked_in_turn(&approve, [confirmation("simple"), refused()]);
    assert!(code == 3 && text.contains("no such task (`not_found`, status 404)"), "{text}");
    assert_eq!(asked(&approve, refused()).0, 2);
}

#[test]
fn a_typed_approval_runs_what_it_showed() {
    let approve = |phrase| ["approvals", "approve", "x", "--yes", "--json", "--phrase", phrase];
    // Without a second request.
    let (code, text, _) = asked_in_turn(&approve("ann"), [confirmation("typed")]);
    assert!(code == 1 && text.ends_with("not approved\n"), "{text}");
    let step = |phrase: &str, arguments: &str| {
        let step = format!(r#"{{"status":"phrase_required","phrase":"{phrase}","arguments":{arguments}}}"#);
        response("200 OK", "", &step)
    };
    let changed = step("Ann", r#"{"a":"\u202e2"}"#);
    let (code, text, _) = asked_in_turn(&approve("Ann"), [confirmation("typed"), changed]);
    assert!(code == 1 && text.ends_with("not approved\n"), "{text}");
    assert!(text.contains(r#"an approver changed the arguments: {"a":"\u{202e}2"}"#), "{text}");
    let other = step("Ben", "null");
    assert_eq!(asked_in_turn(&approve("Ann"), [confirmation("typed"), other]).0, 1);
    let ran = response("200 OK", "", r#"{"status":"completed"}"#);
    let answers = [confirmation("typed"), step("Ann", r#"{"a":1}"#), ran];
    let (code, text, [.., last]) = asked_in_turn(&approve("Ann"), answers);
    assert!(code == 0 && text.starts_with("{\n  \"status\": \"completed\"\n}\n"), "{text}");
    assert!(last.contains("/approve HTTP/1.1"), "{last}");
}
