//! `doctor` compares the settings of the identity provider with the provider.

use axum::{Json, Router, routing::get};
use serde_json::{Value, json};

use crate::binary::{done, folder, run};

/// A provider. Returns its address.
async fn provider(metadata: fn(&str) -> Option<Value>) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": "A".repeat(43)}]});
    let mut app = Router::new().route("/keys", get(async move || Json(keys)));
    if let Some(metadata) = metadata(&base) {
        app = app.route("/.well-known/openid-configuration", get(async move || Json(metadata)));
    }
    tokio::spawn(async move { axum::serve(listener, app).await });
    base
}

/// Runs `doctor` with these settings. Returns its exit code, and its lines about the provider.
fn doctor(jwks_url: &str, issuer: &str) -> (Option<i32>, Vec<String>) {
    let folder = folder();
    let data = folder.path().to_str().unwrap();
    done(&["migrate", "--data-dir", data]);
    let place = ["doctor", "--data-dir", data, "--audience", "api"];
    let output = run(&[&place[..], &["--jwks-url", jwks_url, "--issuer", issuer]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    let about = ["provider", "`--issuer`", "`--jwks-url`"];
    let lines = text.lines().filter(|line| about.iter().any(|word| line.contains(word)));
    (output.status.code(), lines.skip(1).map(str::to_owned).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_the_provider_are_compared_with_its_metadata() {
    let base = provider(|base| Some(json!({"issuer": base, "jwks_uri": format!("{base}/keys")}))).await;
    let keys = format!("{base}/keys");
    let can_be_read = "ok    the identity provider's keys can be read";
    let same = "ok    the identity provider's metadata has the issuer of `--issuer`";
    assert_eq!(doctor(&keys, &base), (Some(0), vec![can_be_read.to_owned(), same.to_owned()]));

    let (code, lines) = doctor(&keys, &format!("{base}/"));
    assert_eq!((code, &*lines[0]), (Some(1), can_be_read));
    assert!(
        lines[1].starts_with("FAIL")
            && lines[1].contains(&format!("`{base}`, to the last slash: set `--issuer`"))
    );

    let (code, lines) = doctor(&format!("{keys}?old"), &base);
    assert_eq!((code, &*lines[1]), (Some(0), same));
    assert!(
        lines[2].starts_with("NOTE  `--jwks-url` is not the `jwks_uri`") && lines[2].contains(&keys),
        "{lines:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_cannot_be_read_are_a_failure_and_missing_metadata_is_a_note() {
    let base = provider(|_| None).await;
    let (code, lines) = doctor(&format!("{base}/keys"), &base);
    assert_eq!(code, Some(0), "{lines:?}");
    assert!(
        lines[1].starts_with("NOTE  `--issuer` can't be compared") && lines[1].contains("status 404"),
        "{lines:?}"
    );

    // A port on which nothing listens, and which no other process gets.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let closed = socket.local_addr().unwrap();
    for (keys, why) in
        [(format!("http://{closed}/keys"), "can't be reached"), (format!("{base}/none"), "status 404")]
    {
        let (code, lines) = doctor(&keys, &base);
        assert_eq!(code, Some(1), "{lines:?}");
        assert!(
            lines[0].starts_with("FAIL") && lines[0].contains("`--jwks-url`") && lines[0].contains(why),
            "{lines:?}"
        );
    }
}
