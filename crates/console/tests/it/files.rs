//! Pages and assets.

use axum::body::Body;
use http_body_util::BodyExt as _;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::App;

/// The folder of the assets, as a page names it.
async fn folder(app: &App) -> String {
    let page = app.anonymous().get("/console/login").await.text;
    let at = page.find("/console/assets/").unwrap();
    page[at..].split('/').take(4).collect::<Vec<_>>().join("/")
}

#[both_databases]
async fn every_page_has_the_policy_and_the_same_bytes(db: TestDb) {
    let app = App::new(db).await;
    let home = app.anonymous().get("/").await;
    assert_eq!((home.status.as_u16(), home.header("location")), (308, "/console/"));
    let index = app.anonymous().get("/console/").await;
    for path in ["/console/w/1/inbox", "/console/%3Cimg%20src=x%3E", "/console/account"] {
        let page = app.anonymous().get(path).await;
        assert_eq!((page.status.as_u16(), &page.text), (200, &index.text), "{path}");
    }
    let login = app.anonymous().get("/console/login").await;
    let approve = app.anonymous().get("/approve/0197a000-0000-7000-8000-000000000000").await;
    let other = app.anonymous().get("/approve/%3Cscript%3E").await;
    assert_eq!(
        (approve.status.as_u16(), &approve.text),
        (200, &other.text),
        "nothing of the address is in it"
    );
    for page in [&index, &login, &approve] {
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
        assert!(policy.ends_with("require-trusted-types-for 'script'; trusted-types lit-html"), "{policy}");
        for (name, value) in [
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "no-cache"),
            ("content-type", "text/html; charset=utf-8"),
        ] {
            assert_eq!(page.header(name), value);
        }
        assert!(!page.text.contains("{{assets}}"));
    }
    let again = app.anonymous().with("If-None-Match", index.header("etag")).get("/console/").await;
    assert_eq!((again.status.as_u16(), again.text.as_str()), (304, ""));
    assert_ne!(index.header("etag"), login.header("etag"));
}

#[both_databases]
async fn assets_have_types_and_one_digest(db: TestDb) {
    let app = App::new(db).await;
    let folder = folder(&app).await;
    for (path, kind) in
        [("app.js", "text/javascript"), ("app.css", "text/css"), ("icon.svg", "image/svg+xml")]
    {
        let file = app.anonymous().get(&format!("{folder}/{path}")).await;
        assert_eq!((file.status.as_u16(), file.header("content-type")), (200, kind));
        assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        let asking = app.anonymous().with("Accept-Encoding", "br, gzip");
        let packed = asking.open("GET", &format!("{folder}/{path}"), None, Body::empty()).await;
        assert_eq!(packed.headers()["content-encoding"], "gzip");
        let packed = packed.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(packed[..2], [0x1f, 0x8b]);
        let mut text = String::new();
        let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
        std::io::Read::read_to_string(&mut decoder, &mut text).unwrap();
        assert_eq!(text, file.text);
    }
    assert_eq!(app.anonymous().get(&format!("{folder}/vendor/LICENSE")).await.status, 200);
    for path in ["types.d.ts", "README.md", "package.json", "index.html", "no.js", "../app.js"] {
        app.anonymous().get(&format!("{folder}/{path}")).await.problem(404, "not_found");
    }
    app.anonymous().get("/console/assets/0123456789ab/app.js").await.problem(404, "not_found");
    app.anonymous().get("/console/assets/app.js").await.problem(404, "not_found");
}

#[both_databases]
async fn pages_of_other_sites_load_the_elements_by_version(db: TestDb) {
    let app = App::new(db).await;
    let folder = folder(&app).await;
    let path = format!("/elements/{}/vendor/lit.js", env!("CARGO_PKG_VERSION"));
    let file = app.anonymous().with("Sec-Fetch-Site", "cross-site").get(&path).await;
    assert_eq!((file.status.as_u16(), file.header("content-type")), (200, "text/javascript"));
    assert_eq!(file.header("access-control-allow-origin"), "*");
    assert_eq!(file.header("cross-origin-resource-policy"), "cross-origin");
    assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable");
    let own = app.anonymous().get(&format!("{folder}/vendor/lit.js")).await;
    assert_eq!((&own.text, own.header("access-control-allow-origin")), (&file.text, ""));
    for path in ["/elements/0.0.0/vendor/lit.js", &path.replace("lit.js", "no.js")] {
        let problem = app.anonymous().get(path).await.problem(404, "not_found");
        assert!(problem["hint"].as_str().unwrap().contains(env!("CARGO_PKG_VERSION")), "{problem}");
    }
}
